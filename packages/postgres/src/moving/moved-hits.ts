import type { EngineHit, VisitorDay, WebsiteDay } from '@hitherto/domain/engine';
import { HIT_STRINGS } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { COLLECTED, readParts } from '../statistics/book/read.ts';
import { gatherDays } from '../statistics/book/read-day-hits.ts';
import { COUNTS, IS_PART } from '../statistics/book/store-part.ts';
import { readWaitingHits } from '../statistics/book/waiting-hits.ts';
import { type WebsiteDay as OfDay, rowsOfDays } from '../statistics/website-days.ts';

/** About how many hits of a day are read at once. */
const MAX_HITS = 100_000;

const FIELDS = Object.values(HIT_STRINGS);
const HIGH = 2 ** 32;

/** The hits of days, in pieces that have all hits of their visitors; several days are one piece. */
export async function* readDays(database: Database, days: readonly WebsiteDay[]): AsyncIterable<readonly EngineHit[]> {
  const chosen = days.map(({ website, day }) => ({ websiteNumber: website.toString(), day }));
  yield* database.stream(
    async function* (transaction) {
      const pieces = chosen.length === 1 ? await piecesOf(transaction, chosen) : 1;
      for (let piece = 0; piece < pieces; piece += 1) {
        const isChosen = (high: number) => Math.floor((high * pieces) / HIGH) === piece;
        const found = await readHitsOf(transaction, chosen, isChosen);
        if (found.length > 0) yield found;
      }
    },
    { snapshot: true },
  );
}

async function piecesOf(transaction: Transaction, days: readonly OfDay[]): Promise<number> {
  const { rows } = await transaction.query(
    once(sql<{ hits: number }>`
      select coalesce(sum(hits), 0)::double precision as hits from ${rowsOfDays(days)} where ${IS_PART} and ${COUNTS}`),
  );
  return Math.max(1, Math.ceil((rows[0]?.hits ?? 0) / MAX_HITS));
}

/** All hits of these visitors. */
export async function readVisitors(transaction: Transaction, visitors: readonly VisitorDay[]): Promise<EngineHit[]> {
  const keyOf = ({ website, day, visitor }: VisitorDay) => `${website} ${day} ${visitor}`;
  const wanted = new Set(visitors.map(keyOf));
  const high = new Set(visitors.map(({ visitor }) => Number(visitor >> 32n)));
  const days = new Map(
    visitors.map(({ website, day }) => [`${website} ${day}`, { websiteNumber: website.toString(), day }]),
  );
  const hits = await readHitsOf(transaction, [...days.values()], (bits) => high.has(bits));
  return hits.filter((hit) => wanted.has(keyOf(hit)));
}

/** The hits of visitors with these high bits on days, sorted by day, visitor and time, also those of one instant. */
async function readHitsOf(
  transaction: Transaction,
  days: readonly OfDay[],
  isChosen: (high: number) => boolean,
): Promise<EngineHit[]> {
  const parts = await readParts(transaction, sql`${rowsOfDays(days)} where ${COUNTS}`);
  const hits: EngineHit[] = [];
  for (const origin of new Set([COLLECTED, ...parts.map((part) => part.origin)])) {
    const gathered = gatherDays(isChosen);
    await gathered.addParts(parts.filter((part) => part.origin === origin));
    if (origin === COLLECTED) await readWaitingHits(transaction, days, gathered.addHit);
    for (const { websiteNumber, hits: ofDay } of gathered.days()) {
      for (let hit = 0; hit < ofDay.size(); hit += 1) {
        const { websiteId, ...found } = ofDay.hitOf(hit);
        if (!isChosen(Number(found.visitor >> 32n))) continue;
        hits.push({
          ...found,
          website: BigInt(websiteNumber),
          ...(origin === COLLECTED ? {} : { importNumber: BigInt(origin) }),
        });
      }
    }
  }
  return hits.sort(compare);
}

/** The order of hits of the same instant identifies them in the other engine. */
function compare(a: EngineHit, b: EngineHit): number {
  return (
    byOrder(a.website, b.website) ||
    byOrder(a.day, b.day) ||
    byOrder(a.visitor, b.visitor) ||
    a.time.getTime() - b.time.getTime() ||
    // Totals last: they alone can get another time, with a late hit, and one that is left where it was changes no number.
    Number(isTotal(a)) - Number(isTotal(b)) ||
    byOrder(valuesOf(a), valuesOf(b))
  );
}

function isTotal({ view, measure }: EngineHit): boolean {
  return measure !== undefined && view !== undefined;
}

function valuesOf(hit: EngineHit): string {
  const props = hit.props && Object.entries(hit.props).sort(([a], [b]) => byOrder(a, b));
  return JSON.stringify([...FIELDS.map((field) => hit[field]), props, hit.view, hit.measure]);
}

function byOrder<Value extends bigint | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
