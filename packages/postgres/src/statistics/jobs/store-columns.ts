import type { Day } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { createDayHits, type DayHits } from '../columns/day-hits.ts';
import { encodeVisits } from '../columns/encode.ts';
import { hitRowsOf, readHitRows } from '../columns/hit-rows.ts';
import { COLUMN_NAMES } from '../columns/visit-columns.ts';
import { visitsOfHits } from '../columns/visits-of-hits.ts';
import { HAS_ALL_HITS, hasDay, IS_KEPT } from '../website-days.ts';
import type { TakeLock } from './work-lock.ts';

/** Which days are stored by columns, and in how many rows. */
export interface ColumnLimits {
  /** The number of hits from which a day is. Fewer are read as fast from `hit`, and take less room there. */
  readonly hits: number;
  /** About how many hits a row has at most. */
  readonly hitsOfRow: number;
}

/** While a row is made or counted, for some 10 ms, the process does nothing else. */
export const COLUMN_LIMITS: ColumnLimits = { hits: 1_000, hitsOfRow: 60_000 };

/** How many days a call stores at most, and how many rows of a day. */
const MAX_DAYS = 50;
const MAX_PARTS = 8;

interface DayToStore {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly day: Day;
  readonly hits: number;
  /** How many rows it has already, with all its hits. */
  readonly made: number;
}

/**
 * Stores the visits of days that are over by columns, the last days first: some rows of one day, or those of several small
 * days. Returns whether more may be left.
 *
 * @param isReady the condition that a day is over
 */
export async function storeColumns(
  database: Database,
  isReady: RawBuilder<unknown>,
  limits: ColumnLimits,
  takeLock: TakeLock,
): Promise<boolean> {
  const isChosen = sql`hits <> hits_in_columns and hits >= ${limits.hits} and ${isReady} and ${IS_KEPT} and ${HAS_ALL_HITS}`;
  if (!(await hasDay(database, isChosen))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const { rows: days } = await transaction.query(
      once(sql<DayToStore>`
        select website_number as "websiteNumber", day::text as day, hits::double precision as hits, (
          select count(*)::integer from visit_columns made
          where made.website_number = website_day.website_number and made.day = website_day.day
            and made.hits_of_day = website_day.hits
        ) as made
        from website_day
        where ${isChosen}
        order by website_day.day desc limit ${MAX_DAYS}`),
    );
    let hits = 0;
    for (const day of days) {
      if (hits >= limits.hitsOfRow) break;
      hits += day.hits;
      await storeNextRows(transaction, day, limits);
    }
    return days.length > 0;
  });
}

/**
 * Each row has the visits of a range of visitors. Visitors are numbers of 64 bits at random, so equal ranges have about as many
 * visits.
 */
async function storeNextRows(transaction: Transaction, day: DayToStore, { hitsOfRow }: ColumnLimits): Promise<void> {
  const parts = Math.ceil(day.hits / hitsOfRow);
  const isOfDay = sql`website_number = ${sql.lit(day.websiteNumber)} and day = ${sql.lit(day.day)}`;
  if (day.made === 0) await transaction.query(once(sql`delete from visit_columns where ${isOfDay}`));
  const [from, to] = [day.made, Math.min(day.made + MAX_PARTS, parts)];
  const first = startOfPart(from, parts);
  const last = startOfPart(to, parts) - 1n;
  const isOfParts = sql`visitor between ${sql.lit(`${first}`)}::bigint and ${sql.lit(`${last}`)}::bigint`;
  const hits = createDayHits(day.day);
  await readHitRows(transaction, hitRowsOf(sql`hit where ${isOfDay} and ${isOfParts}`), hits.add);
  const visitors = visitorsByPart(hits, parts, from, to);
  for (let part = from; part < to; part += 1) await storeRow(transaction, day, part, hits, visitors.get(part) ?? []);
  if (to === parts) await transaction.query(once(sql`update website_day set hits_in_columns = hits where ${isOfDay}`));
}

/** The first visitor of a range, as a signed number. */
function startOfPart(part: number, parts: number): bigint {
  return -(2n ** 63n) + (2n ** 64n * BigInt(part)) / BigInt(parts);
}

/** The places of the visitors of each range from one to before another. */
function visitorsByPart(
  hits: DayHits,
  parts: number,
  from: number,
  to: number,
): ReadonlyMap<number, readonly number[]> {
  const byPart = new Map<number, number[]>();
  for (let place = 0; place < hits.visitors.size(); place += 1) {
    // By the first 32 bits, of which the sign comes first. That may be the next range for one in a billion: no visitor is lost.
    const high = (hits.visitors.highAt(place) ^ SIGN) >>> 0;
    const part = Math.min(Math.max(Math.floor((high * parts) / 2 ** 32), from), to - 1);
    const ofPart = byPart.get(part);
    if (ofPart === undefined) byPart.set(part, [place]);
    else ofPart.push(place);
  }
  return byPart;
}

const SIGN = 0x8000_0000;

async function storeRow(
  transaction: Transaction,
  { websiteNumber, day, hits: hitsOfDay }: DayToStore,
  part: number,
  hits: DayHits,
  visitors: readonly number[],
): Promise<void> {
  const { visits, firstMinute, columns } = await encodeVisits(visitsOfHits(hits, { visitors }));
  const values = COLUMN_NAMES.map((name) => sql`${columns[name]}::bytea`);
  await transaction.query(
    once(sql`
      insert into visit_columns (website_number, hits_of_day, day, part, visits, first_minute, ${columnsOf(COLUMN_NAMES)})
      values (${websiteNumber}, ${hitsOfDay}, ${day}::date, ${part}, ${visits}, ${firstMinute}, ${sql.join(values)})`),
  );
}
