import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { readParts, type StoredPart } from '../book/read.ts';
import { type GatheredDays, gatherDays } from '../book/read-day-hits.ts';
import { storeParts } from '../book/store-part.ts';
import type { DayHits } from '../columns/day-hits.ts';
import { makePart } from '../columns/make-part.ts';
import type { PartLimits } from '../part-limits.ts';
import { listOfDays, rowsOfDays, type WebsiteDay } from '../website-days.ts';

/**
 * Makes the parts of an origin anew: of several small days, or of one day of any size, piece by piece. Parts have the visitors of
 * equal ranges of numbers: these are random, so such ranges have about as many visits.
 *
 * @param days and about how many hits each has
 */
export async function remakeParts(
  transaction: Transaction,
  origin: string,
  days: readonly (WebsiteDay & { readonly hits: number })[],
  limits: PartLimits,
): Promise<void> {
  const count = days.length === 1 ? Math.max(1, Math.ceil((days[0]?.hits ?? 0) / limits.hits)) : 1;
  const isOfOrigin = sql`import_number = ${sql.lit(origin)}`;
  // Parts of the next pieces are numbered after those that are there.
  const last = await lastPart(transaction, sql`${rowsOfDays(days)} where ${isOfOrigin}`);
  const isOld = sql`${isOfOrigin} and part <= ${sql.lit(last)}`;
  for (let from = 0; from < count; from += limits.parts) {
    const to = Math.min(from + limits.parts, count);
    const gathered = gatherDays((high) => isWithin(partOf(high, count), from, to));
    await gathered.addParts(await readParts(transaction, sql`${rowsOfDays(days)} where ${isOld}`));
    await storeParts(transaction, await partsOf(gathered, origin, count, last + 1));
  }
  await transaction.query(
    once(sql`
      delete from book using ${listOfDays(days)}
      where book.website_number = chosen.website_number and book.day = chosen.day and ${isOld}`),
  );
}

async function lastPart(transaction: Transaction, rows: RawBuilder<unknown>): Promise<number> {
  const { rows: found } = await transaction.query(
    once(sql<{ last: number }>`select coalesce(max(part), -1) as last from ${rows}`),
  );
  return found[0]?.last ?? -1;
}

async function partsOf(gathered: GatheredDays, origin: string, count: number, first: number): Promise<StoredPart[]> {
  const parts: StoredPart[] = [];
  for (const { websiteNumber, hits } of gathered.days()) {
    for (const [part, visitors] of visitorsByPart(hits, count)) {
      parts.push({ websiteNumber, origin, part: first + part, ...(await makePart(hits, visitors)) });
    }
  }
  return parts;
}

/** The places of the visitors of each part. */
function visitorsByPart(hits: DayHits, count: number): ReadonlyMap<number, readonly number[]> {
  const byPart = new Map<number, number[]>();
  for (let place = 0; place < hits.visitors.size(); place += 1) {
    const part = partOf(hits.visitors.highAt(place), count);
    const ofPart = byPart.get(part);
    if (ofPart === undefined) byPart.set(part, [place]);
    else ofPart.push(place);
  }
  return byPart;
}

const SIGN = 0x8000_0000;
const HIGH = 2 ** 32;

/** The part of a visitor, by its first 32 bits; PostgreSQL has them with a sign. */
function partOf(high: number, count: number): number {
  return Math.floor((((high ^ SIGN) >>> 0) * count) / HIGH);
}

function isWithin(part: number, from: number, to: number): boolean {
  return part >= from && part < to;
}
