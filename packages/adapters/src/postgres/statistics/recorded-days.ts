import type { Day, StatisticsQuery, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { isId } from '../../system.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { HASH_JOINS, inScope, type Scope } from './chosen-visits.ts';
import { changedHits, changedVisits, MISMATCHES } from './visit-changes.ts';

/** What a read has to look at. */
export interface RecordedDays {
  readonly websiteNumber: string;
  /** Days that are read from visits and hits; the others from their summaries. */
  readonly days: readonly Day[];
  /** Days with a running summary, to which `unseenChanges` have to be added. */
  readonly changedDays: readonly Day[];
}

/**
 * The days of the query that have to be read from visits and hits: those that are not summarised, or have hits since;
 * with `all`, every day whose hits are kept. `undefined` if there is no such website. Configures the transaction for
 * `chosenVisits`.
 */
export async function recordedDays(
  transaction: Transaction,
  { websiteId, from, to }: StatisticsQuery,
  zone: TimeZone,
  all: boolean,
): Promise<RecordedDays | undefined> {
  if (!isId(websiteId)) return undefined;
  const { rows } = await transaction.query(
    once(sql<{ number: string; days: Day[]; changedDays: Day[] }>`
      select website.number, ${HASH_JOINS}, recorded.days, recorded."changedDays"
      from website cross join lateral (
        select coalesce(array_agg(day::text) filter (where not is_running), '{}') as days,
          coalesce(array_agg(day::text) filter (where is_running), '{}') as "changedDays"
        from (
          select day, bool_and(is_running) as is_running from (
            select day, false as is_running from website_day
            where website_number = website.number and day between ${from}::date and ${to}::date
              and (${all}::boolean or not summarised)
            union
            select changed.day, coalesce(running_zone = ${zone.name}, false)
            from changed_visitor changed left join website_day using (website_number, day)
            where website_number = website.number and day between ${from}::date and ${to}::date
          ) recorded
          where day >= (select kept_from from hit_retention)
          group by day
        ) recorded
      ) recorded
      where website.id = ${websiteId}`),
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  const { number: websiteNumber, days, changedDays } = found;
  const mismatched =
    changedDays.length > 0 ? await mismatchedDays(transaction, { websiteNumber, days: changedDays }) : [];
  return {
    websiteNumber,
    days: [...days, ...mismatched],
    changedDays: changedDays.filter((day) => !mismatched.includes(day)),
  };
}

/** Tables that end with `changed_visit`: what hits that `visit` does not know yet change in the running summaries of these days. */
export function unseenChanges(scope: Omit<Scope, 'filters'>): RawBuilder<unknown> {
  return sql`${changedVisitors(scope)}, ${changedVisits()}`;
}

async function mismatchedDays(transaction: Transaction, scope: Omit<Scope, 'filters'>): Promise<readonly Day[]> {
  const { rows } = await transaction.query(
    once(sql<{ day: Day }>`
      with ${changedVisitors(scope)},
      old_visit as (
        select visit.* from changed cross join lateral (
          select website_number, day, visitor, pageviews, events from visit
          where website_number = changed.website_number and day = changed.day and visitor = changed.visitor
            and ${inScope('visit', scope)}
          offset 0
        ) visit
      )
      select distinct day::text as day from (${MISMATCHES}) mismatched`),
  );
  return rows.map(({ day }) => day);
}

/** Tables of marked visitors and their hits. */
function changedVisitors(scope: Omit<Scope, 'filters'>): RawBuilder<unknown> {
  return sql`
    changed as materialized (
      select website_number, day, visitor, array_agg(xmin) as batches from changed_visitor
      where ${inScope('changed_visitor', scope)}
      group by website_number, day, visitor
    ),
    ${changedHits(inScope('hit', scope))}`;
}
