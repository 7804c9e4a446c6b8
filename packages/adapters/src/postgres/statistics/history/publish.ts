import {
  type Day,
  type DayOfImport,
  dayOf,
  type EventOfWebsite,
  type ImportCounts,
  type ImportedLogs,
  type TimeZone,
  zoneOf,
} from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { isId } from '../../../system.ts';
import type { Database } from '../../connection/database.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { type ImportKey, recordDone, requireEngine } from '../../imports/record-import.ts';
import { IMPORTED_HIT_COLUMNS } from '../../journal/hit-rows.ts';
import { monthOf, PARTITIONED, preparePartition } from '../jobs/partitions.ts';
import { addSummaries, summariseDays } from '../jobs/summarise.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { HASHING, NESTED_LOOPS } from '../planner.ts';
import { codeOf } from '../summary-columns.ts';
import { VISIT_COLUMNS, visitsOfHits } from '../visits/visits.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';

/** How many hits the days of one statement may have before the last of them. */
const MAX_HITS = 50_000;

interface StagedDay extends WebsiteDay {
  readonly hits: number;
  /** Whether raw hits of the day are kept. */
  readonly isKept: boolean;
  /** Whether the day has hits of another origin. */
  readonly isMixed: boolean;
}

/** What `StatisticsHistory.publish` gets. */
interface Publication {
  readonly importId: string;
  readonly counts: ImportCounts;
  readonly now: Date;
  readonly event: EventOfWebsite | undefined;
  readonly read: ImportedLogs | undefined;
}

/** What an import has added. */
interface Published {
  readonly hits: number;
  /** Days of which it has sums. */
  readonly summedDays: number;
}

/** See `StatisticsHistory`. Returns `undefined` if the import does not run. */
export async function publish(
  database: Database,
  installation: TimeZone,
  { importId, counts, now, event, read }: Publication,
): Promise<Published | undefined> {
  if (!isId(importId)) return undefined;
  await preparePartitions(database, importId);
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await requireEngine(transaction, 'inside');
    const found = await findRunning(transaction, importId);
    if (found === undefined) return undefined;
    const days = await stagedDays(transaction, found);
    await countHits(transaction, found, days, zoneOf(found, installation), now);
    const summed = await stagedSums(transaction, found);
    // Last: until then the import can report that it is alive.
    if (!(await recordDone(transaction, found, [...days, ...summed], counts, event, read)))
      throw new Error('The import ended while it was counted.');
    return { hits: days.reduce((sum, { hits }) => sum + hits, 0), summedDays: summed.length };
  });
}

/** Creates the partitions of months whose hits are kept; for a moment, this holds up the hits that are written. */
async function preparePartitions(database: Database, importId: string): Promise<void> {
  const { rows } = await database.query(
    once(sql<{ day: Day }>`
      select distinct date_trunc('month', day)::date::text as day from import_hit
      where import_number = (select number from import where id = ${importId})
        and day >= (select kept_from from hit_retention)`),
  );
  for (const { day } of rows) {
    for (const table of PARTITIONED) {
      await database.transaction(async (transaction) => {
        await waitForWorkLock(transaction);
        await preparePartition(transaction, table, monthOf(day, 0));
      });
    }
  }
}

interface FoundImport extends ImportKey {
  readonly timeZone: string | null;
}

async function findRunning(transaction: Transaction, importId: string): Promise<FoundImport | undefined> {
  const { rows } = await transaction.query(
    once(sql<FoundImport>`
      select import.number, website_number as "websiteNumber", time_zone as "timeZone"
      from import join website on website.number = website_number
      where import.id = ${importId} and status = 'running'`),
  );
  return rows[0];
}

async function stagedDays(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
): Promise<readonly StagedDay[]> {
  const { rows } = await transaction.query(
    once(sql<StagedDay>`
      select ${websiteNumber}::text as "websiteNumber", staged.day::text as day, hits,
        staged.day >= (select kept_from from hit_retention) as "isKept", website_day.day is not null as "isMixed"
      from (
        select day, count(*)::double precision as hits from import_hit where import_number = ${number} group by day
      ) staged left join website_day on website_number = ${websiteNumber} and website_day.day = staged.day
      order by staged.day`),
  );
  return rows;
}

/** The days of staged sums: they count as soon as the import is done. */
async function stagedSums(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
): Promise<readonly DayOfImport[]> {
  const { rows } = await transaction.query(
    once(sql<DayOfImport>`
      select day::text as day, sum(pageviews + events)::double precision as hits from imported_sum
      where website_number = ${websiteNumber} and import_number = ${number} and dimension = ${codeOf('total')}
      group by day order by day`),
  );
  return rows;
}

async function countHits(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
  days: readonly StagedDay[],
  zone: TimeZone,
  now: Date,
): Promise<void> {
  await transaction.query(
    once(sql`
      insert into hit (${columnsOf(IMPORTED_HIT_COLUMNS)}) select ${columnsOf(IMPORTED_HIT_COLUMNS)} from import_hit
      where import_number = ${number} and day >= (select kept_from from hit_retention) order by day`),
  );
  const staged = {
    hits: (of: readonly WebsiteDay[]) => stagedHits(number, of),
    visits: (of: readonly WebsiteDay[]) => visitsOfHits(stagedHits(number, of)),
  };
  for (const batch of batchesOf(days)) {
    const zoned = batch.map((day) => ({ ...day, zone }));
    const kept = zoned.filter(({ isKept }) => isKept);
    const alone = kept.filter(({ isMixed }) => !isMixed);
    await addVisits(transaction, websiteNumber, number, alone);
    await summariseDays(
      transaction,
      alone.filter(({ day }) => day < dayOf(zone, now)),
    );
    // Jobs make the visits and summaries of days with hits of another origin, as of all new hits.
    const mixed = kept.filter(({ isMixed }) => isMixed);
    await markVisitors(transaction, websiteNumber, number, mixed);
    // Of days whose hits are no longer kept, nothing but the summary is stored.
    const old = zoned.filter(({ isKept }) => !isKept);
    await noteDays(transaction, websiteNumber, number, old);
    await addSummaries(transaction, old, staged);
  }
  await transaction.query(once(sql`delete from import_hit where import_number = ${number}`));
}

/** The days have no other hits, so their visits are those of the staged hits. */
async function addVisits(
  transaction: Transaction,
  websiteNumber: string,
  number: string,
  days: readonly WebsiteDay[],
): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(once(sql`select ${HASHING}`));
  await transaction.query(
    once(sql`insert into visit (${columnsOf(VISIT_COLUMNS)}) ${visitsOfHits(stagedHits(number, days))}`),
  );
  await noteDays(transaction, websiteNumber, number, days);
}

/** Marks the visitors of the staged hits, whose hits are added in this transaction. */
async function markVisitors(
  transaction: Transaction,
  websiteNumber: string,
  number: string,
  days: readonly WebsiteDay[],
): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      insert into changed_visitor (website_number, day, visitor)
      select distinct ${websiteNumber}::bigint, day, visitor from (${stagedHits(number, days)}) staged`),
  );
}

/** Notes the days, which lack a summary with their hits. */
async function noteDays(
  transaction: Transaction,
  websiteNumber: string,
  number: string,
  days: readonly WebsiteDay[],
): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, summarised, visits)
      select ${websiteNumber}::bigint, chosen.day, false, (
        select count(distinct visitor) from import_hit where import_number = ${number} and import_hit.day = chosen.day
      ) from ${tableOfDays(days)} chosen
      on conflict (website_number, day) do update
        set visits = website_day.visits + excluded.visits, summarised = false`),
  );
}

/** Days together, so that a statement has enough to do. */
function* batchesOf(days: readonly StagedDay[]): Generator<StagedDay[]> {
  let batch: StagedDay[] = [];
  let hits = 0;
  for (const day of days) {
    batch.push(day);
    hits += day.hits;
    if (hits < MAX_HITS) continue;
    yield batch;
    batch = [];
    hits = 0;
  }
  if (batch.length > 0) yield batch;
}

function stagedHits(number: string, days: readonly WebsiteDay[]): RawBuilder<unknown> {
  const dates = days.map(({ day }) => day);
  return sql`select * from import_hit where import_number = ${number} and day = any(${dates}::date[])`;
}
