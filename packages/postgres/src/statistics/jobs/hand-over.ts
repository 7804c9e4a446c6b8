import { setImmediate as otherWork } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COLLECTED, type StoredPart } from '../book/read.ts';
import { gatherDays, type HitsOfWebsiteDay } from '../book/read-day-hits.ts';
import { storeParts } from '../book/store-part.ts';
import { chosenDays, readBatches } from '../book/waiting-hits.ts';
import { makePart } from '../columns/make-part.ts';
import { type DayWithHits, listOfDays } from '../website-days.ts';
import type { TakeLock } from './work-lock.ts';

/** About how many hits a call moves into the book. */
const MAX_HITS = 20_000;

/**
 * Moves hits of the journal into the book: those of each day are a part, until the day is over. Returns whether more are left. The
 * batches stay for a while: their ids tell whether they were stored, and cached days read from them which hits are new.
 */
export async function handOver(database: Database, takeLock: TakeLock): Promise<boolean> {
  if ((await countWaiting(database)) === 0) return false;
  return database.transaction(async (transaction) => (await takeLock(transaction)) && moveWaiting(transaction));
}

/** Hands over all batches that wait, within a transaction that holds the lock of the work. */
export async function handOverAll(transaction: Transaction): Promise<void> {
  while (await moveWaiting(transaction));
}

/** How many hits wait: every instance asks regularly, and mostly there are few. */
export async function countWaiting({ query }: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await query(
    once(sql<{ hits: number }>`select coalesce(sum(hits), 0)::double precision as hits from added_hits`),
  );
  return rows[0]?.hits ?? 0;
}

/** Takes exactly the batches that it reads: one that comes meanwhile waits for the next call. */
async function moveWaiting(transaction: Transaction): Promise<boolean> {
  const { rows: taken } = await transaction.query(
    once(sql<DayWithHits & { readonly batches: readonly string[]; readonly isKept: boolean }>`
      with taken as (
        delete from added_hits where batch_id in (
          select batch_id from (
            select batch_id, sum(hits) over (rows unbounded preceding) - hits as before from added_hits
          ) counted where before < ${MAX_HITS}
        ) returning *
      )
      select website_number as "websiteNumber", day::text as day, sum(hits)::double precision as hits,
        array_agg(batch_id) as batches, day >= (select kept_from from hit_retention) as "isKept"
      from taken group by website_number, taken.day`),
  );
  const days = taken.filter(({ isKept }) => isKept);
  const gathered = gatherDays();
  const batches = [...new Set(days.flatMap((day) => day.batches))];
  await readBatches(transaction, sql`id = any(${batches}::uuid[])`, chosenDays(days), gathered.addHit);
  await addHits(transaction, gathered.days(), days);
  return taken.reduce((sum, { hits }) => sum + hits, 0) >= MAX_HITS;
}

/** Adds hits to the book in parts of their own, and notes how many each day gets. The caller holds the lock of the work. */
export async function addHits(
  transaction: Transaction,
  hits: readonly HitsOfWebsiteDay[],
  days: readonly DayWithHits[],
): Promise<void> {
  if (days.length === 0) return;
  const { rows: numbered } = await transaction.query(
    once(sql<{ websiteNumber: string; day: string; part: number }>`
      select chosen.website_number as "websiteNumber", chosen.day::text as day, (
        select coalesce(max(part) + 1, 0) from book
        where book.website_number = chosen.website_number and book.day = chosen.day and import_number = ${COLLECTED}
      ) as part from ${listOfDays(days)}`),
  );
  const next = new Map(numbered.map(({ websiteNumber, day, part }) => [`${websiteNumber} ${day}`, part]));
  const parts: StoredPart[] = [];
  for (const { websiteNumber, hits: ofDay } of hits) {
    const part = next.get(`${websiteNumber} ${ofDay.day}`) ?? 0;
    parts.push({ websiteNumber, origin: COLLECTED, part, ...(await makePart(ofDay)) });
    await otherWork();
  }
  await storeParts(transaction, parts);
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, hits, is_loose)
      select *, true from unnest(
        ${days.map(({ websiteNumber }) => websiteNumber)}::bigint[], ${days.map(({ day }) => day)}::date[],
        ${days.map((day) => day.hits)}::bigint[]
      )
      on conflict (website_number, day) do update set hits = website_day.hits + excluded.hits, is_loose = true`),
  );
}
