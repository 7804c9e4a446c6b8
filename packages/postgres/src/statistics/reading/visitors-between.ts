import { isId } from '@hitherto/domain/base';
import { addDays } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { hitsOfPart } from '../columns/part.ts';
import { readParts } from '../columns/read.ts';
import { COUNTS } from '../columns/store-part.ts';

/** The visitors of a website with a hit between two moments. */
interface FoundVisitors {
  /** How many there are whose hits are not in the book. */
  readonly visitors: number;
  readonly websiteNumber: string | null;
  /** Whether the book may have hits of that time: of a day that is just over, or of an import. */
  readonly areInBook: boolean;
  readonly isOutside: boolean;
  /** Whether visits of the website are hidden. */
  readonly hasRules: boolean;
}

/** Finds them with one statement. */
export async function findVisitorsBetween(
  { query }: Pick<Transaction, 'query'>,
  readsInactiveEngine: boolean,
  websiteId: string,
  since: Date,
  until: Date,
): Promise<FoundVisitors> {
  const none = { visitors: 0, websiteNumber: null, areInBook: false, isOutside: false, hasRules: false };
  if (!isId(websiteId)) return none;
  const number = sql`(select number from website where id = ${sql.lit(websiteId)})`;
  const { rows } = await query(
    once(sql<FoundVisitors>`
      select (
          select count(distinct visitor) from ${hitsBetween(number, since, until)}
        )::double precision as visitors,
        exists (select from ${partsBetween(number, since, until)}) as "areInBook", ${number}::text as "websiteNumber",
        exists (select from cleanup where website_number = ${number} and status <> 'applying') as "hasRules",
        (select is_outside from statistics_engine) as "isOutside"`),
  );
  const [found = none] = rows;
  if (found.isOutside && !readsInactiveEngine) throw movedAway();
  return found;
}

/** Counts the visitors in hits and in the book. */
export async function countVisitorsBetween(
  transaction: Transaction,
  websiteNumber: string,
  since: Date,
  until: Date,
): Promise<number> {
  const number = sql.lit(websiteNumber);
  const { rows } = await transaction.query(
    once(sql<{ visitor: string }>`
      select distinct visitor::text as visitor from ${hitsBetween(number, since, until)}`),
  );
  const visitors = new Set(rows.map(({ visitor }) => BigInt.asUintN(64, BigInt(visitor))));
  const [from, to] = [since.getTime(), until.getTime()];
  for (const part of await readParts(transaction, partsBetween(number, since, until))) {
    const { visitor, time, high, low } = hitsOfPart(part);
    for (let hit = 0; hit < time.length; hit += 1) {
      const at = time[hit] ?? 0;
      if (at < from || at > to) continue;
      const place = visitor[hit] ?? 0;
      visitors.add((BigInt(high[place] ?? 0) << 32n) | BigInt(low[place] ?? 0));
    }
  }
  return visitors.size;
}

function hitsBetween(websiteNumber: RawBuilder<unknown>, since: Date, until: Date): RawBuilder<unknown> {
  const [from, to] = [since, until].map((time) => sql.lit(time.toISOString()));
  return sql`
    hit where website_number = ${websiteNumber} and ${isOfDays(since, until)} and seconds is null
      and time between ${from}::timestamptz and ${to}::timestamptz`;
}

function partsBetween(websiteNumber: RawBuilder<unknown>, since: Date, until: Date): RawBuilder<unknown> {
  return sql`
    book where website_number = ${websiteNumber} and ${isOfDays(since, until)} and ${COUNTS}
      and last_time >= ${sql.lit(since.getTime())} and first_time <= ${sql.lit(until.getTime())}`;
}

/** A day begins up to 14 hours earlier than in UTC, or 12 hours later. */
function isOfDays(since: Date, until: Date): RawBuilder<unknown> {
  const [first = '', last = ''] = [since, until].map((time) => time.toISOString().slice(0, 10));
  return sql`day between ${sql.lit(addDays(first, -1))}::date and ${sql.lit(addDays(last, 1))}::date`;
}
