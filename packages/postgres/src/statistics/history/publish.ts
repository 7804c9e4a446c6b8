import { isId } from '@hitherto/domain/base';
import { type Day, dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { DayOfImport } from '@hitherto/domain/engine';
import type { ImportCounts, ImportedLogs } from '@hitherto/domain/imports';
import type { EventOfWebsite } from '@hitherto/domain/webhooks';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { type ImportKey, recordDone, requireEngine } from '../../imports/record-import.ts';
import { IMPORTED_HIT_COLUMNS } from '../../journal/hit-rows.ts';
import { addUpMonths } from '../days/months.ts';
import {
  addUpNumbers,
  deleteNumbers,
  insertNumbers,
  NUMBERS_ROW_COLUMNS,
  type ReadNumbers,
  readNumbers,
} from '../days/number-rows.ts';
import { monthOf, prepareMonth } from '../jobs/partitions.ts';
import { noteNumbers } from '../jobs/summarise.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { codeOf, KINDS } from '../summary-columns.ts';
import type { WebsiteDay } from '../website-days.ts';
import type { Preparation, StagedHits } from './prepare.ts';
import { deleteStagedHits, findRunning } from './staging.ts';

interface StagedDay extends WebsiteDay {
  readonly hits: number;
  /** Whether raw hits of the day are kept. */
  readonly isKept: boolean;
  /** Whether the day has hits of another origin. */
  readonly isMixed: boolean;
}

/** The arguments of `ImportStaging.publish`. */
interface Publication {
  readonly importId: string;
  readonly counts: ImportCounts;
  readonly now: Date;
  readonly event: EventOfWebsite | undefined;
  readonly read: ImportedLogs | undefined;
}

/** The additions of an import. */
interface Published {
  readonly hits: number;
  /** The number of days for which it has sums. */
  readonly summedDays: number;
}

/** See `ImportStaging`. Returns `undefined` if the import does not run. */
export async function publish(
  database: Database,
  installation: TimeZone,
  preparation: Preparation,
  { importId, counts, now, event, read }: Publication,
): Promise<Published | undefined> {
  if (!isId(importId)) return undefined;
  const staged = await stagedHits(database, importId);
  await preparation.complete(staged);
  await preparePartitions(database, staged);
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await requireEngine(transaction, 'inside');
    const found = await findRunning(transaction, importId);
    if (found === undefined) return undefined;
    const days = await stagedDays(transaction, found);
    preparation.requireAll(days);
    await addHits(transaction, found, days, dayOf(zoneOf(found, installation), now));
    const summed = await stagedSums(transaction, found);
    // Last: until then the import can report that it is alive.
    if (!(await recordDone(transaction, found, [...days, ...summed], counts, event, read)))
      throw new Error('The import ended while it was counted.');
    return { hits: days.reduce((sum, { hits }) => sum + hits, 0), summedDays: summed.length };
  });
}

async function stagedHits(database: Database, importId: string): Promise<readonly StagedHits[]> {
  const { rows } = await database.query(
    once(sql<StagedHits>`
      select day::text as day, count(*)::double precision as hits from import_hit
      where import_number = (select number from import where id = ${importId}) group by day order by import_hit.day`),
  );
  return rows;
}

/** Creates the partitions of months whose hits are kept. */
async function preparePartitions(database: Database, staged: readonly StagedHits[]): Promise<void> {
  const { rows } = await database.query(
    once(sql<{ day: Day }>`
      select distinct date_trunc('month', day)::date::text as day from unnest(${staged.map(({ day }) => day)}::date[]) day
      where day >= (select kept_from from hit_retention)`),
  );
  for (const { day } of rows) await prepareMonth(database, monthOf(day, 0), waitForWorkLock);
}

async function stagedDays(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
): Promise<readonly StagedDay[]> {
  const { rows } = await transaction.query(
    once(sql<StagedDay>`
      select ${websiteNumber}::text as "websiteNumber", staged.day::text as day, staged.hits,
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

/** Adds the staged hits, and the numbers that are prepared of them. */
async function addHits(
  transaction: Transaction,
  key: ImportKey,
  days: readonly StagedDay[],
  today: Day,
): Promise<void> {
  if (days.length === 0) return;
  const kept = days.filter(({ isKept }) => isKept);
  const alone = kept.filter(({ isMixed }) => !isMixed);
  // Of days whose hits are no longer kept, nothing but the numbers is stored.
  const summarised = [...alone.filter(({ day }) => day < today), ...days.filter(({ isKept: hasHits }) => !hasHits)];
  await copyStaged(transaction, key, kept);
  await addNumbers(transaction, key, summarised);
  await noteDays(
    transaction,
    days.filter(({ isMixed, isKept }) => !(isMixed && isKept)),
  );
  // Jobs make the numbers of days with hits of another origin, as for all new hits.
  await noteAdded(
    transaction,
    kept.filter(({ isMixed }) => isMixed),
  );
  await noteNumbers(transaction, summarised);
  await addUpMonths(transaction, summarised);
  await deleteStagedHits(transaction, key.number);
}

/** Copies the hits of these days. */
async function copyStaged(transaction: Transaction, { number }: ImportKey, days: readonly WebsiteDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      insert into hit (${columnsOf(IMPORTED_HIT_COLUMNS)})
      select ${columnsOf(IMPORTED_HIT_COLUMNS)} from import_hit
      where import_number = ${number} and day = any(${datesOf(days)}::date[])`),
  );
}

/** Adds the numbers that are prepared of these days to those that the days have. */
async function addNumbers(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
  days: readonly StagedDay[],
): Promise<void> {
  if (days.length === 0) return;
  const mixed = days.filter(({ isMixed }) => isMixed);
  const readMixed = () =>
    readNumbers(transaction, websiteNumber, [{ isMonth: false, days: datesOf(mixed), kinds: KINDS }]);
  const known = await readMixed();
  await deleteNumbers(transaction, days);
  await transaction.query(
    once(sql`
      insert into day_numbers (${columnsOf(NUMBERS_ROW_COLUMNS)})
      select ${columnsOf(NUMBERS_ROW_COLUMNS)} from import_numbers
      where import_number = ${number} and day = any(${datesOf(days)}::date[])`),
  );
  if (known.length === 0) return;
  const lists = new Map<string, ReadNumbers[]>();
  for (const row of [...known, ...(await readMixed())]) {
    const key = `${row.day} ${row.kind}`;
    lists.set(key, [...(lists.get(key) ?? []), row]);
  }
  await deleteNumbers(transaction, mixed);
  const sums = [...lists.values()].flatMap((list) =>
    list.slice(0, 1).map((row) => ({ ...row, ...addUpNumbers(list), websiteNumber })),
  );
  await insertNumbers(transaction, sums);
}

/** Notes how many hits were added to these days. */
async function noteAdded(transaction: Transaction, days: readonly StagedDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      insert into added_hits (website_number, day, hits)
      select * from unnest(
        ${days.map(({ websiteNumber }) => websiteNumber)}::bigint[], ${datesOf(days)}::date[],
        ${days.map(({ hits }) => hits)}::integer[]
      )`),
  );
}

/** Notes the days, and how many hits each has. */
async function noteDays(transaction: Transaction, days: readonly StagedDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, hits)
      select * from unnest(
        ${days.map(({ websiteNumber }) => websiteNumber)}::bigint[], ${datesOf(days)}::date[],
        ${days.map(({ hits }) => hits)}::bigint[]
      )
      on conflict (website_number, day) do update set hits = website_day.hits + excluded.hits`),
  );
}

function datesOf(days: readonly WebsiteDay[]): readonly Day[] {
  return days.map(({ day }) => day);
}
