import type { Day, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { dayValues } from '../days/day-values.ts';
import { isOfKinds, KINDS } from '../days/kinds.ts';
import { SUMMARY_COLUMNS } from '../days/numbers.ts';
import { summariseWeeks } from '../days/weeks.ts';
import { ALL_VISITS, HASH_JOINS } from '../visits/chosen-visits.ts';
import { tryWorkLock } from './work-lock.ts';

export interface WebsiteDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly day: Day;
}

/** How many days of websites a call summarises. */
const MAX_DAYS = 100;

/** Summarises days before `today` whose visits are up to date. */
export function summarise(database: Database, zone: TimeZone, today: Day): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<{ websiteNumber: string; days: Day[] }>`
        select website_number as "websiteNumber", array_agg(day::text) as days
        from (
          select website_number, day from website_day
          where (not summarised or running_zone is not null)
            and day < ${today}::date and day >= (select kept_from from hit_retention)
            and not exists (
              select from changed_visitor changed
              where changed.website_number = website_day.website_number and changed.day = website_day.day)
          order by day, website_number limit ${MAX_DAYS}
        ) ready
        group by website_number`),
    );
    for (const { websiteNumber, days } of rows) await summariseDays(transaction, zone, websiteNumber, days);
    return rows.reduce((count, { days }) => count + days.length, 0) === MAX_DAYS;
  });
}

/** Makes the summaries of these days anew, and the sums of their weeks. The caller holds the lock under which visits change. */
export async function summariseDays(
  transaction: Transaction,
  zone: TimeZone,
  websiteNumber: string,
  days: readonly Day[],
): Promise<void> {
  await deleteSummaries(transaction, websiteNumber, days);
  await transaction.query(once(sql`select ${HASH_JOINS}`));
  await transaction.query(
    once(sql`
      with ${dayValues({ websiteNumber, days, ...ALL_VISITS }, KINDS, zone)}
      insert into summary (website_number, ${SUMMARY_COLUMNS})
      select ${websiteNumber}::bigint, ${SUMMARY_COLUMNS} from day_value`),
  );
  await transaction.query(
    once(sql`
      update website_day set summarised = true, running_zone = null, appended = 0
      where website_number = ${websiteNumber} and day = any(${days}::date[])`),
  );
  await summariseWeeks(transaction, websiteNumber, days);
}

export async function deleteSummaries(
  transaction: Transaction,
  websiteNumber: string,
  days: readonly Day[],
): Promise<void> {
  await transaction.query(once(sql`delete from summary where ${isSummaryOf(websiteNumber, days)}`));
}

/** The condition that a row of `summary` is of these days. It names all kinds, because they come before days in the index. */
export function isSummaryOf(websiteNumber: string, days: readonly Day[]): RawBuilder<unknown> {
  return sql`website_number = ${websiteNumber} and day = any(${days}::date[]) and ${isOfKinds(KINDS)}`;
}
