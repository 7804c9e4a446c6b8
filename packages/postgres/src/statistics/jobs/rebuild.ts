import { isId } from '@hitherto/domain/base';
import { type Day, dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { RebuildProgress, RebuildScope } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { ZonedDay } from '../days/hours.ts';
import { addUpMonths } from '../days/months.ts';
import { deleteNumbers } from '../days/number-rows.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import { rebuildVisits } from './rebuild-visits.ts';
import { summariseDays } from './summarise.ts';
import { waitForWorkLock } from './work-lock.ts';

/** How many days a transaction rebuilds at most, and how many hits they may have before the last of them. */
const MAX_DAYS = 500;
const MAX_HITS = 50_000;

interface DayToRebuild extends ZonedDay {
  readonly hits: number;
}

/**
 * Rebuilds the visits of each day from its hits, and the numbers of days and months that are over. A running summary ends, and
 * is made again later.
 *
 * @param installation the zone of websites without their own
 */
export async function rebuild(
  database: Database,
  installation: TimeZone,
  scope: RebuildScope,
  now: Date,
  onProgress: (progress: RebuildProgress) => void,
): Promise<{ readonly days: number; readonly hits: number }> {
  const days = await daysWithHits(database, installation, scope);
  for (let done = 0; done < days.length; ) {
    onProgress({ done, total: days.length });
    const batch = nextBatch(days, done);
    await rebuildDays(database, batch, now);
    done += batch.length;
  }
  await database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await addUpMonths(transaction, days);
  });
  return { days: days.length, hits: days.reduce((sum, { hits }) => sum + hits, 0) };
}

async function daysWithHits(
  database: Database,
  installation: TimeZone,
  { websiteId, from, to }: RebuildScope,
): Promise<DayToRebuild[]> {
  if (websiteId !== undefined && !isId(websiteId)) return [];
  const conditions = [
    sql`day >= (select kept_from from hit_retention)`,
    ...(websiteId === undefined ? [] : [sql`website_number = (select number from website where id = ${websiteId})`]),
    ...(from === undefined ? [] : [sql`day >= ${from}::date`]),
    ...(to === undefined ? [] : [sql`day <= ${to}::date`]),
  ];
  const { rows } = await database.query(
    once(sql<Omit<DayToRebuild, 'zone'> & { timeZone: string | null }>`
      select website_number as "websiteNumber", day::text as day, hits, time_zone as "timeZone"
      from (
        select website_number, day, count(*)::double precision as hits from hit
        where ${sql.join(conditions, sql` and `)} group by website_number, day
      ) kept join website on website.number = website_number
      order by website_number, kept.day`),
  );
  return rows.map((row) => ({ ...row, zone: zoneOf(row, installation) }));
}

function nextBatch(days: readonly DayToRebuild[], start: number): DayToRebuild[] {
  const batch: DayToRebuild[] = [];
  let hits = 0;
  for (const day of days.slice(start, start + MAX_DAYS)) {
    if (hits >= MAX_HITS) break;
    batch.push(day);
    hits += day.hits;
  }
  return batch;
}

function rebuildDays(database: Database, batch: readonly ZonedDay[], now: Date): Promise<void> {
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    // Retention may have reached some days since: their summaries can no longer be rebuilt.
    const { rows } = await transaction.query(
      once(sql<{ keptFrom: Day }>`select kept_from::text as "keptFrom" from hit_retention`),
    );
    const days = batch.filter(({ day }) => day >= (rows[0]?.keptFrom ?? day));
    if (days.length === 0) return;
    await makeVisits(transaction, days);
    await summariseDays(
      transaction,
      days.filter(({ day, zone }) => day < dayOf(zone, now)),
    );
  });
}

/**
 * Makes the visits of these days from their hits; the days have neither numbers nor columns then. The caller holds the lock of
 * the work.
 */
export async function makeVisits(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  await rebuildVisits(transaction, days);
  await noteVisits(transaction, days);
}

/** Notes how many visits and hits these days have, and that their numbers and columns have to be made again. */
export async function noteVisits(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  await deleteNumbers(transaction, days);
  const made = sql`
    select chosen.website_number, chosen.day, of_day.* from ${tableOfDays(days)} chosen cross join lateral (
      select count(*) as visits, coalesce(sum(pageviews + events), 0) as hits from visit
      where visit.website_number = chosen.website_number and visit.day = chosen.day
    ) of_day`;
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, visits, hits)
      select website_number, day, visits, hits from (${made}) made
      on conflict (website_number, day) do update set visits = excluded.visits, hits = excluded.hits,
        hits_in_numbers = 0, hits_in_columns = 0, running_zone = null`),
  );
  await transaction.query(
    once(sql`
      delete from visit_columns using ${tableOfDays(days)} chosen
      where visit_columns.website_number = chosen.website_number and visit_columns.day = chosen.day`),
  );
}
