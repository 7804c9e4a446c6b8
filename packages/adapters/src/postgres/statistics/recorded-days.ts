import type { Day, StatisticsQuery } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../ids.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { HASH_JOINS } from './chosen-visits.ts';

/** What a read has to look at. */
export interface RecordedDays {
  readonly websiteNumber: string;
  /** Days that are read from visits and hits; the others from their summaries. */
  readonly days: readonly Day[];
}

/**
 * The days of the query that have to be read from visits and hits: those that are not summarised, or have hits since;
 * with `all`, every day whose hits are kept. `undefined` if there is no such website. Configures the transaction for
 * `chosenVisits`.
 */
export async function recordedDays(
  transaction: Transaction,
  { websiteId, from, to }: StatisticsQuery,
  all: boolean,
): Promise<RecordedDays | undefined> {
  if (!isId(websiteId)) return undefined;
  const { rows } = await transaction.query(
    once(sql<{ number: string; days: Day[] }>`
      select website.number, ${HASH_JOINS}, array(
        select day::text from (
          select day from website_day
          where website_number = website.number and day between ${from}::date and ${to}::date
            and (${all}::boolean or not summarised)
          union
          select day from changed_visitor
          where website_number = website.number and day between ${from}::date and ${to}::date
        ) recorded
        where day >= (select kept_from from hit_retention)
      ) as days
      from website where website.id = ${websiteId}`),
  );
  const [found] = rows;
  return found && { websiteNumber: found.number, days: found.days };
}
