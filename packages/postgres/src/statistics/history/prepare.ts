import { unavailable } from '@hitherto/domain/base';
import { type Day, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import { hitRowsOf } from '../columns/hit-rows.ts';
import { readDayHits } from '../columns/read-day-hits.ts';
import { countHitsOfDay, numbersOfDay, readValueSecret } from '../days/count-days.ts';
import { insertImportNumbers } from '../days/number-rows.ts';
import { findRunning } from './staging.ts';

/** How many hits the days have that are prepared while the file is read, so that a statement has enough to do. */
const MIN_HITS = 20_000;
/** How many hits the days that are read at once may have before the last of them. */
const MAX_HITS = 50_000;

/** A day with staged hits, and their number. */
export interface StagedHits {
  readonly day: Day;
  readonly hits: number;
}

/**
 * Makes the numbers of an import from its staged hits, in a table where they do not count yet. Most of that happens
 * while its file is read, so that publishing has little left to do.
 */
export interface Preparation {
  /** Begins to prepare the days that the file seems to have left behind, once they are enough and no others are being prepared. */
  goOn(staged: readonly CountedHit[]): void;
  /** Prepares all other days, and those with hits that came later. Rejects with the error of earlier ones. */
  complete(days: readonly StagedHits[]): Promise<void>;
  /** Waits until no days are being prepared. */
  settled(): Promise<void>;
  /** Rejects if these days lack hits that were staged: a crash of PostgreSQL empties tables that are not logged. */
  requireAll(days: readonly StagedHits[]): void;
}

/** @param installation the zone of websites without their own */
export function createPreparation(database: Database, installation: TimeZone, importId: string): Preparation {
  /** The hits of each day that have been staged, and how many of them were when it was prepared. */
  const staged = new Map<Day, number>();
  const prepared = new Map<Day, number>();

  /** The preparation in progress, if any; after an error, none is started. */
  let preparing: Promise<void> | undefined;

  const prepare = async (days: readonly StagedHits[]) => {
    for (const batch of batchesOf(days)) await prepareBatch(batch);
  };

  const prepareBatch = (days: readonly StagedHits[]) =>
    database.transaction(async (transaction) => {
      const found = await findRunning(transaction, importId);
      if (found === undefined) return;
      const { number, websiteNumber } = found;
      const zone = zoneOf(found, installation);
      const dates = sql.lit(`{${days.map(({ day }) => day).join()}}`);
      const isOfDays = sql`import_number = ${sql.lit(number)} and day = any(${dates}::date[])`;
      const secret = await readValueSecret(transaction);
      for (const { hits } of await readDayHits(transaction, hitRowsOf(sql`import_hit where ${isOfDays}`))) {
        const day = { websiteNumber, day: hits.day, zone };
        await insertImportNumbers(transaction, number, await numbersOfDay(secret, day, countHitsOfDay(hits)));
      }
      for (const { day, hits } of days) prepared.set(day, hits);
    });

  return {
    goOn(hits) {
      const current = new Set<Day>();
      for (const { day } of hits) {
        staged.set(day, (staged.get(day) ?? 0) + 1);
        current.add(day);
      }
      // A day with later hits is prepared a second time, but not again and again.
      const left = [...staged].flatMap(([day, hits]) => (current.has(day) || prepared.has(day) ? [] : [{ day, hits }]));
      if (preparing !== undefined || sumOf(left) < MIN_HITS) return;
      preparing = prepare(left).then(() => {
        preparing = undefined;
      });
      // Thrown where it is awaited.
      preparing.catch(() => {});
    },

    async complete(days) {
      await preparing;
      const stale = days.filter(({ day, hits }) => prepared.get(day) !== hits);
      await deletePrepared(database, importId, stale);
      await prepare(stale);
    },

    async settled() {
      await preparing?.catch(() => {});
    },

    requireAll(days) {
      const found = new Map(days.map(({ day, hits }) => [day, hits]));
      for (const [day, hits] of staged) {
        if (found.get(day) !== hits)
          throw unavailable('PostgreSQL has crashed, and lost hits that were being imported.');
      }
    },
  };
}

/** Deletes the prepared rows of days that lack hits. */
async function deletePrepared(database: Database, importId: string, days: readonly StagedHits[]): Promise<void> {
  if (days.length === 0) return;
  await database.query(
    once(sql`
      delete from import_numbers where import_number = (select number from import where id = ${importId})
        and day = any(${days.map(({ day }) => day)}::date[])`),
  );
}

function sumOf(days: readonly StagedHits[]): number {
  return days.reduce((sum, { hits }) => sum + hits, 0);
}

/** Days together, so that a statement has enough to do. */
function* batchesOf(days: readonly StagedHits[]): Generator<StagedHits[]> {
  let batch: StagedHits[] = [];
  for (const day of days) {
    batch.push(day);
    if (sumOf(batch) < MAX_HITS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
