import { groupBy, isId } from '@hitherto/domain/base';
import { type Day, dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { DayOfImport } from '@hitherto/domain/engine';
import type { ImportCounts, ImportedLogs } from '@hitherto/domain/imports';
import type { EventOfWebsite } from '@hitherto/domain/webhooks';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { type ImportKey, recordDone, requireEngine } from '../../imports/record-import.ts';
import { readParts } from '../book/read.ts';
import { gatherDays } from '../book/read-day-hits.ts';
import { IS_PART } from '../book/store-part.ts';
import { numbersOfDays, readValueSecret } from '../days/count-days.ts';
import { addUpMonths } from '../days/months.ts';
import { addUpNumbers, deleteNumbers, insertNumbers, readNumbers } from '../days/number-rows.ts';
import { noteNumbers } from '../jobs/summarise.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { codeOf, KINDS } from '../summary-columns.ts';
import { type DayWithHits, listOfDays, splitDays } from '../website-days.ts';
import { findRunning, type RunningImport } from './staging.ts';

interface StagedDay extends DayWithHits {
  /** Whether hits of the day are kept. */
  readonly isKept: boolean;
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
  readonly websiteNumber: string;
  /** The day that is not over. */
  readonly today: Day;
  /** The number of days for which it has sums. */
  readonly summedDays: number;
}

/** See `ImportStaging`. Returns `undefined` if the import does not run. */
export async function publish(
  database: Database,
  installation: TimeZone,
  { importId, counts, now, event, read }: Publication,
): Promise<Published | undefined> {
  if (!isId(importId)) return undefined;
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await requireEngine(transaction, 'inside');
    const found = await findRunning(transaction, importId);
    if (found === undefined) return undefined;
    const days = await stagedDays(transaction, found);
    await noteDays(transaction, days);
    await addOldNumbers(
      transaction,
      found,
      zoneOf(found, installation),
      days.filter(({ isKept }) => !isKept),
    );
    const summed = await stagedSums(transaction, found);
    // Last: until then the import can report that it is alive.
    if (!(await recordDone(transaction, found, [...days, ...summed], counts, event, read)))
      throw new Error('The import ended while it was counted.');
    const { websiteNumber } = found;
    return { websiteNumber, today: dayOf(zoneOf(found, installation), now), summedDays: summed.length };
  });
}

async function stagedDays(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
): Promise<readonly StagedDay[]> {
  const { rows } = await transaction.query(
    once(sql<StagedDay>`
      select ${websiteNumber}::text as "websiteNumber", day::text as day, sum(hits)::double precision as hits,
        day >= (select kept_from from hit_retention) as "isKept"
      from book where website_number = ${websiteNumber} and import_number = ${number} and ${IS_PART}
      group by day order by book.day`),
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

/** Notes how many hits are added to these days. */
async function noteDays(transaction: Transaction, days: readonly StagedDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, hits, rewritten_in)
      select *, pg_current_xact_id()::text::bigint from unnest(
        ${days.map(({ websiteNumber }) => websiteNumber)}::bigint[], ${days.map(({ day }) => day)}::date[],
        ${days.map(({ hits }) => hits)}::bigint[]
      )
      on conflict (website_number, day) do update set hits = website_day.hits + excluded.hits, rewritten_in = excluded.rewritten_in`),
  );
}

/** How many hits the days have together whose numbers are made at once. */
const MAX_HITS = 50_000;

/** Of days whose hits are no longer kept, nothing but the numbers is stored: they are added to those that the days have. */
async function addOldNumbers(
  transaction: Transaction,
  found: RunningImport,
  zone: TimeZone,
  days: readonly StagedDay[],
): Promise<void> {
  if (days.length === 0) return;
  const secret = await readValueSecret(transaction);
  for (const part of splitDays(days, MAX_HITS)) await addNumbers(transaction, found, zone, secret, part);
  await noteNumbers(transaction, days);
  await addUpMonths(transaction, days);
}

async function addNumbers(
  transaction: Transaction,
  { number, websiteNumber }: RunningImport,
  zone: TimeZone,
  secret: string,
  days: readonly StagedDay[],
): Promise<void> {
  const gathered = gatherDays();
  const isOfImport = sql`book.day = chosen.day and book.website_number = chosen.website_number
    and import_number = ${sql.lit(number)}`;
  const parts = sql`(select book.* from ${listOfDays(days)} join book on ${isOfImport}) book where true`;
  await gathered.addParts(await readParts(transaction, parts));
  const zoned = days.map((day) => ({ ...day, zone, kinds: KINDS }));
  const added = await numbersOfDays(secret, zoned, gathered.days(), () => ({ filters: [], pageRules: [] }));
  const dates = days.map(({ day }) => day);
  const known = await readNumbers(transaction, websiteNumber, [{ isMonth: false, days: dates, kinds: KINDS }]);
  await deleteNumbers(transaction, days);
  const lists = groupBy([...known, ...added], ({ day, kind }) => `${day} ${kind}`);
  await insertNumbers(
    transaction,
    [...lists.values()].flatMap((list) =>
      list.slice(0, 1).map((row) => ({ ...row, ...addUpNumbers(list), websiteNumber })),
    ),
  );
  await transaction.query(once(sql`delete from book using ${listOfDays(days)} where ${isOfImport}`));
}
