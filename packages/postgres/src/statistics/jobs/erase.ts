import { isId } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { type HidingRule, hiddenHits, hitKey } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COLLECTED, readParts, type StoredPart } from '../book/read.ts';
import { gatherDays } from '../book/read-day-hits.ts';
import { COUNTS, IS_PART, storeParts } from '../book/store-part.ts';
import { createDayHits } from '../columns/day-hits.ts';
import { makePart } from '../columns/make-part.ts';
import { IS_KEPT, rowsOfDays, type WebsiteDay } from '../website-days.ts';
import { handOverAll } from './hand-over.ts';
import { forgetDays, noteHits } from './rebuild.ts';
import { waitForWorkLock } from './work-lock.ts';

/** About how many hits are in memory at once. */
const MAX_HITS = 50_000;
const HIGH = 2 ** 32;

/** Deletes the hits of the visits of a day that a rule hides, all in one transaction. */
export async function eraseDay(database: Database, websiteId: string, day: Day, rule: HidingRule): Promise<void> {
  if (!isId(websiteId)) return;
  await database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    const { rows } = await transaction.query(
      once(sql<WebsiteDay>`
        select number::text as "websiteNumber", day::text as day from website cross join (select ${day}::date as day) asked
        where id = ${websiteId} and ${IS_KEPT}`),
    );
    const [erased] = rows;
    if (erased === undefined) return;
    await handOverAll(transaction);
    const parts = await readParts(transaction, sql`${rowsOfDays(rows)} where ${COUNTS}`);
    const hits = await findHidden(parts, rule);
    if (hits.length === 0) return;
    await rewriteParts(transaction, parts, new Set(hits.map(hitKey)));
    await noteHits(transaction, rows);
    await forgetDays(transaction, (await isEmpty(transaction, erased)) ? rows : []);
  });
}

/** The hidden hits and measures, found piece by piece; a piece has all hits of its visitors. */
async function findHidden(parts: readonly StoredPart[], rule: HidingRule): Promise<readonly CountedHit[]> {
  const count = parts.reduce((sum, { hits }) => sum + hits, 0);
  const pieces = Math.max(1, Math.ceil(count / MAX_HITS));
  const found: CountedHit[] = [];
  for (let piece = 0; piece < pieces; piece += 1) {
    const isChosen = (high: number) => Math.floor((high * pieces) / HIGH) === piece;
    const gathered = gatherDays(isChosen);
    await gathered.addParts(parts);
    for (const { hits } of gathered.days()) {
      const ofPiece = Array.from({ length: hits.size() }, (_, hit) => hits.hitOf(hit));
      for (const hit of hiddenHits(
        ofPiece.filter(({ visitor }) => isChosen(Number(visitor >> 32n))),
        [rule],
      )) {
        found.push(hit);
      }
    }
  }
  return found;
}

/** Stores the parts that have erased hits or measures again, without them. */
async function rewriteParts(
  transaction: Transaction,
  parts: readonly StoredPart[],
  erased: ReadonlySet<string>,
): Promise<void> {
  for (const stored of parts) {
    const { websiteNumber, origin, day, part } = stored;
    const gathered = gatherDays();
    await gathered.addParts([stored]);
    const left = createDayHits(day);
    let isChanged = false;
    for (const { hits } of gathered.days()) {
      for (let place = 0; place < hits.size(); place += 1) {
        const hit = hits.hitOf(place);
        if (erased.has(hitKey(hit))) isChanged = true;
        else left.addHit(hit);
      }
    }
    if (!isChanged) continue;
    const isOfPart = sql`
      website_number = ${websiteNumber}::bigint and import_number = ${origin}::bigint and book.day = ${day}::date`;
    await transaction.query(once(sql`delete from book where ${isOfPart} and part = ${part}`));
    if (left.size() > 0) {
      await storeParts(transaction, [{ ...(await makePart(left)), websiteNumber, origin, part }]);
    }
    if (origin === COLLECTED) continue;
    await transaction.query(
      once(sql`
        update import_day set hits = (select coalesce(sum(hits), 0) from book where ${isOfPart} and ${IS_PART})
        where import_number = ${origin}::bigint and day = ${day}::date`),
    );
  }
}

async function isEmpty(transaction: Transaction, { websiteNumber, day }: WebsiteDay): Promise<boolean> {
  const { rows } = await transaction.query(
    once(sql<{ hits: number }>`
      select hits::double precision as hits from website_day
      where website_number = ${websiteNumber}::bigint and day = ${day}::date`),
  );
  return rows[0]?.hits === 0;
}
