import { isId } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import type { DaySum } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { ImportKey } from '../../imports/record-import.ts';
import { IS_PART, storeParts } from '../book/store-part.ts';
import { createDayHits, type DayHits } from '../columns/day-hits.ts';
import { makePart } from '../columns/make-part.ts';
import type { Part } from '../columns/part.ts';
import { remakeParts } from '../jobs/remake-parts.ts';
import type { PartLimits } from '../part-limits.ts';
import { COPY_SUMS, sumRow } from './sum-rows.ts';

/** Hits of an import, which count once its record says that it is done. */
export interface StagedHits {
  stage(hits: readonly CountedHit[]): Promise<void>;
  /** Stores what is in memory. */
  complete(): Promise<void>;
}

/** So many hits are gathered in memory, so that a day has few parts. Each time, a day gets one part. */
const MAX_HITS = 50_000;

export function createStagedHits(database: Database, importId: string): StagedHits {
  const days = new Map<Day, DayHits>();
  let size = 0;

  /** Stores these days. If the import does not run any more, its hits are dropped. */
  const store = async (chosen: readonly Day[]) => {
    const stored = chosen.flatMap((day) => days.get(day) ?? []);
    if (stored.length === 0) return;
    for (const { day } of stored) days.delete(day);
    size -= stored.reduce((sum, hits) => sum + hits.size(), 0);
    const parts: Part[] = [];
    for (const hits of stored) parts.push(await makePart(hits));
    await database.transaction(async (transaction) => {
      const found = await findRunning(transaction, importId);
      if (found === undefined) return;
      const { number: origin, websiteNumber } = found;
      const next = await nextParts(transaction, found, chosen);
      await storeParts(
        transaction,
        parts.map((part) => ({ ...part, websiteNumber, origin, part: next.get(part.day) ?? 0 })),
      );
    });
  };

  return {
    async stage(hits) {
      for (const hit of hits) {
        let ofDay = days.get(hit.day);
        if (ofDay === undefined) {
          ofDay = createDayHits(hit.day);
          days.set(hit.day, ofDay);
        }
        ofDay.addHit(hit);
      }
      size += hits.length;
      if (size < MAX_HITS) return;
      // First the days that the file seems to have left behind.
      const current = new Set(hits.map(({ day }) => day));
      await store([...days.keys()].filter((day) => !current.has(day)));
      if (size >= MAX_HITS / 2) await store([...days.keys()]);
    },

    complete: () => store([...days.keys()]),
  };
}

/** Brings the hits of each visitor of a day together that an import has staged. Returns that none are left. */
export async function joinParts(database: Database, importId: string, limits: PartLimits): Promise<false> {
  for (const day of await scatteredDays(database, importId)) {
    await database.transaction(async (transaction) => {
      const found = await findRunning(transaction, importId);
      if (found === undefined) return;
      await remakeParts(transaction, found.number, [{ ...found, ...day }], limits);
    });
  }
  return false;
}

/** The numbers of the next parts of these days. */
async function nextParts(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
  days: readonly Day[],
): Promise<ReadonlyMap<Day, number>> {
  const { rows } = await transaction.query(
    once(sql<{ day: Day; next: number }>`
      select day::text as day, max(part) + 1 as next from book
      where website_number = ${websiteNumber} and day = any(${days}::date[]) and import_number = ${number} group by day`),
  );
  return new Map(rows.map(({ day, next }) => [day, next]));
}

/** Days that were stored more than once. */
async function scatteredDays(database: Database, importId: string): Promise<readonly { day: Day; hits: number }[]> {
  const { rows } = await database.query(
    once(sql<{ day: Day; hits: number }>`
      select day::text as day, sum(hits)::double precision as hits from book
      where ${IS_PART} and (website_number, import_number) = (
        select website_number, number from import where id = ${importId}
      ) group by day having count(*) > 1 order by book.day`),
  );
  return rows;
}

/** Stores sums of days of an import, if it is running. */
export async function stageSums(database: Database, importId: string, sums: readonly DaySum[]): Promise<void> {
  await database.transaction(async (transaction) => {
    const running = await findRunning(transaction, importId);
    if (running !== undefined) await transaction.copy(COPY_SUMS, [sums.map((sum) => sumRow(sum, running)).join('')]);
  });
}

export interface RunningImport extends ImportKey {
  /** The website's own. */
  readonly timeZone: string | null;
}

/** A running import, which is not deleted before the transaction ends. */
export async function findRunning(transaction: Transaction, importId: string): Promise<RunningImport | undefined> {
  if (!isId(importId)) return undefined;
  const { rows } = await transaction.query(
    once(sql<RunningImport>`
      select import.number, website_number as "websiteNumber", time_zone as "timeZone"
      from import join website on website.number = website_number
      where import.id = ${importId} and status = 'running' for key share of import`),
  );
  return rows[0];
}

/** How many staged rows one statement deletes. */
const MAX_ROWS = 50_000;

/** Deletes what an import that failed has staged. */
export async function discard(database: Database, importId: string): Promise<void> {
  if (!isId(importId)) return;
  // The indexes begin with the website.
  const isStaged = sql`(website_number, import_number) = (
    select website_number, number from import where import.id = ${importId} and status = 'failed'
  )`;
  for (const table of ['book', 'imported_sum'] as const) {
    for (let count = MAX_ROWS; count >= MAX_ROWS; ) {
      const name = sql.table(table);
      const rows = sql`select ctid from ${name} where ${isStaged} limit ${MAX_ROWS}`;
      ({ count } = await database.query(once(sql`delete from ${name} where ctid = any(array(${rows}))`)));
    }
  }
}
