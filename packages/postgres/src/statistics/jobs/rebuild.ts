import { isId } from '@hitherto/domain/base';
import type { RebuildProgress, RebuildScope } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COUNTS, IS_PART } from '../book/store-part.ts';
import { addUpMonths } from '../days/months.ts';
import { deleteNumbers } from '../days/number-rows.ts';
import type { PartLimits } from '../part-limits.ts';
import { type DayWithHits, IS_KEPT, splitDays, tableOfDays, type WebsiteDay } from '../website-days.ts';
import { waitForWorkLock } from './work-lock.ts';

/** How many days a transaction takes at most, and how many hits they may have, unless it is one. */
const MAX_DAYS = 500;
const MAX_HITS = 50_000;

/**
 * Counts the hits of each day again, and makes the numbers of days and months that are over.
 *
 * @param closeDays makes the numbers of days that have none
 */
export async function rebuild(
  database: Database,
  scope: RebuildScope,
  limits: PartLimits,
  closeDays: () => Promise<void>,
  onProgress: (progress: RebuildProgress) => void,
): Promise<{ readonly days: number; readonly hits: number }> {
  const days = await daysOf(database, scope);
  let done = 0;
  for (const batch of splitDays(days, MAX_HITS, MAX_DAYS)) {
    onProgress({ done, total: days.length });
    await database.transaction(async (transaction) => {
      await waitForWorkLock(transaction);
      await noteHits(transaction, batch);
    });
    await closeDays();
    done += batch.length;
  }
  await database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await addUpMonths(transaction, days, limits.listsOfMonths);
  });
  return { days: days.length, hits: days.reduce((sum, { hits }) => sum + hits, 0) };
}

async function daysOf(database: Database, { websiteId, from, to }: RebuildScope): Promise<readonly DayWithHits[]> {
  if (websiteId !== undefined && !isId(websiteId)) return [];
  const conditions = [
    IS_KEPT,
    ...(websiteId === undefined ? [] : [sql`website_number = (select number from website where id = ${websiteId})`]),
    ...(from === undefined ? [] : [sql`day >= ${from}::date`]),
    ...(to === undefined ? [] : [sql`day <= ${to}::date`]),
  ];
  return daysWithHits(database, sql.join(conditions, sql` and `));
}

/** The days of existing websites that have hits, in order. */
export async function daysWithHits(
  { query }: Pick<Transaction, 'query'>,
  isChosen: RawBuilder<unknown>,
): Promise<readonly DayWithHits[]> {
  const { rows } = await query(
    once(sql<DayWithHits>`
      select website_number as "websiteNumber", found.day::text as day, sum(hits)::double precision as hits from (
        select website_number, day, sum(hits) as hits from added_hits where ${isChosen} group by website_number, day
        union all
        select website_number, day, sum(hits) from book where ${isChosen} and ${IS_PART} and ${COUNTS}
        group by website_number, day
      ) found join website on website.number = website_number
      group by website_number, found.day order by website_number, found.day`),
  );
  return rows;
}

/**
 * Notes how many hits these days have in the book, and that their numbers have to be made again: for everything that changes
 * hits in another way than by adding some. Days whose hits are not kept any more stay as they are. The caller holds the lock of the work.
 */
export async function noteHits(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  const { rows: kept } = await transaction.query(
    once(sql<WebsiteDay>`
      select website_number as "websiteNumber", day::text as day from ${tableOfDays(days)}
      where day >= (select kept_from from hit_retention)`),
  );
  if (kept.length === 0) return;
  await deleteNumbers(transaction, kept);
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, hits, rewritten_in)
      select chosen.website_number, chosen.day, (
        select coalesce(sum(hits), 0) from book
        where book.website_number = chosen.website_number and book.day = chosen.day and ${IS_PART} and ${COUNTS}
      ), pg_current_xact_id()::text::bigint
      from ${tableOfDays(kept)} chosen
      on conflict (website_number, day) do update
        set hits = excluded.hits, hits_in_numbers = 0, rewritten_in = excluded.rewritten_in`),
  );
}

/** Deletes everything that is made of these days, which have no hits, but for hits that have been added since. */
export async function forgetDays(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  if (days.length === 0) return;
  await deleteNumbers(transaction, days);
  await transaction.query(
    once(sql`
      delete from website_day using ${tableOfDays(days)} chosen
      where website_day.website_number = chosen.website_number and website_day.day = chosen.day`),
  );
}
