import { unavailable } from '@hitherto/domain/base';
import { type Day, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, cte, once } from '../../connection/statement.ts';
import { countDays, listsOf } from '../days/count-days.ts';
import { dayValues, HIT_COLUMNS } from '../days/day-values.ts';
import { insertImportNumbers } from '../days/number-rows.ts';
import { HASHING } from '../planner.ts';
import { KINDS } from '../summary-columns.ts';
import { VISIT_COLUMNS, visitsOfHits } from '../visits/visits.ts';
import { findRunning, type RunningImport } from './staging.ts';

/** How many hits the days have that are prepared while the file is read, so that a statement has enough to do. */
const MIN_HITS = 20_000;
/** How many hits the days of one statement may have before the last of them. */
const MAX_HITS = 50_000;

/** A day with staged hits, and their number. */
export interface StagedHits {
  readonly day: Day;
  readonly hits: number;
}

/**
 * Makes the visits and numbers of an import from its staged hits, in tables where they do not count yet. Most of that happens
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
      await transaction.query(once(sql`select ${HASHING}`));
      const dates = days.map(({ day }) => day);
      const lists = visitsAndLists(found, dates, zoneOf(found, installation));
      await insertImportNumbers(transaction, found.number, await countDays(transaction, lists));
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

/** Stores the visits of these days, and selects their lists, in one statement, so that the visits are made only once. */
function visitsAndLists({ number }: RunningImport, days: readonly Day[], zone: TimeZone): RawBuilder<unknown> {
  const isOfDays = sql`import_number = ${number} and day = any(${days}::date[])`;
  const visits = cte('visit_of_day', visitsOfHits(sql`select * from import_hit where ${isOfDays}`));
  const hits = cte('hit_of_day', sql`select ${columnsOf(HIT_COLUMNS)} from import_hit where ${isOfDays}`);
  const values = dayValues({ visits, hits: sql`select * from ${hits}`, days, zone, isFolded: true }, KINDS);
  const storedVisit = cte(
    'stored_visit',
    sql`
      insert into import_visit (import_number, ${columnsOf(VISIT_COLUMNS)})
      select ${number}::bigint, ${columnsOf(VISIT_COLUMNS)} from ${visits} returning day`,
  );
  return sql`select * from (${listsOf(values)}) list where (select count(*) from ${storedVisit}) > 0`;
}

/** Deletes the prepared rows of days that lack hits. */
async function deletePrepared(database: Database, importId: string, days: readonly StagedHits[]): Promise<void> {
  if (days.length === 0) return;
  for (const table of ['import_visit', 'import_numbers']) {
    await database.query(
      once(sql`
        delete from ${sql.table(table)} where import_number = (select number from import where id = ${importId})
          and day = any(${days.map(({ day }) => day)}::date[])`),
    );
  }
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
