import { setImmediate as otherWork } from 'node:timers/promises';
import { addDays, addMonths, type Day, daysOf, timeZone } from '@hitherto/domain/calendar';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import { cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { readDayHits } from '../book/read-day-hits.ts';
import { PART_LIMITS } from '../part-limits.ts';
import { CODES, KINDS, type Kind } from '../summary-columns.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import { numbersOfDays, readValueSecret } from './count-days.ts';
import { readCounting } from './hiding-rules.ts';
import {
  addUpNumbers,
  HAS_LISTS,
  HEX_NUMBERS,
  type HexNumbers,
  insertNumbers,
  ofHex,
  readNumbers,
  type StoredRow,
} from './number-rows.ts';
import { decodeRest, decodeShort, type StoredNumbers, totalsOf } from './stored-numbers.ts';

/** The last day of a month. */
export function endOfMonth(month: Day): Day {
  return addDays(addMonths(month, 1), -1);
}

/** How many hits the numbers of the kind `total` are made of. */
export function hitsIn({ size, keys, rest }: Pick<StoredNumbers, 'size' | 'keys' | 'rest'>): number {
  const [, events] = decodeShort(size, keys);
  const [, pageviews] = decodeRest(size, rest);
  return (events?.[0] ?? 0) + (pageviews?.[0] ?? 0);
}

/** A number that grows with every hit and every measure that counts, as the numbers of the kind `total` have it: no other changes without it. */
export function contentOf(numbers: Pick<StoredNumbers, 'size' | 'keys' | 'rest'>): number {
  const { measured = 0, seconds = 0, scroll = 0 } = totalsOf(numbers)(0).engagement ?? {};
  return hitsIn(numbers) + measured + seconds + scroll;
}

/** A month of a website. */
interface Month {
  readonly websiteNumber: string;
  readonly month: Day;
}

/**
 * Adds up the numbers of the months of these days, and of the months before in which their websites have days. Months are added up
 * if all their days have numbers that count, they have `minimum` hits, and the website has a later day. The caller holds the lock under
 * which numbers change.
 */
export async function addUpMonths(
  transaction: Transaction,
  days: readonly WebsiteDay[],
  minimum = PART_LIMITS.listsOfMonths,
): Promise<void> {
  if (days.length === 0) return;
  const months = sql`date_trunc('month', day)::date`;
  const chosen = cte('chosen_month', sql`select distinct website_number, ${months} from ${tableOfDays(days)}`, {
    columns: sql`website_number, month`,
  });
  const earlier = sql`
    select website_number, date_trunc('month', (
      select max(day) from website_day
      where website_day.website_number = chosen.website_number and website_day.day < chosen.month
    ))::date as month from ${chosen} chosen`;
  const { rows } = await transaction.query(
    once(sql<Month & { days: readonly HexNumbers[] | null; total: HexNumbers | null }>`
      select website_number as "websiteNumber", month::text as month, (
          select json_agg(${HEX_NUMBERS}) from day_numbers
          where day_numbers.website_number = candidate.website_number and not is_month and kind = ${CODES.total}
            and day_numbers.day >= month and day_numbers.day < month + interval '1 month'
        ) as days, (
          select ${HEX_NUMBERS} from day_numbers
          where day_numbers.website_number = candidate.website_number and is_month and day_numbers.day = month and kind = ${CODES.total}
        ) as total
      from (select * from ${chosen} union ${earlier}) candidate cross join lateral (
        select sum(hits)::double precision as hits, count(*) > 1 and bool_and(hits = hits_in_numbers) as "isCounted" from website_day
        where website_day.website_number = candidate.website_number
          and website_day.day >= candidate.month and website_day.day < candidate.month + interval '1 month'
      ) found
      where "isCounted" and hits >= ${minimum} and exists (
        select from website_day later
        where later.website_number = candidate.website_number and later.day >= candidate.month + interval '1 month'
      )
      order by website_number, month`),
  );
  for (const { days: ofMonth, total, ...month } of rows) {
    const content = (ofMonth ?? []).reduce((sum, day) => sum + contentOf(ofHex(day)), 0);
    if (total === null || contentOf(ofHex(total)) !== content) await addUpMonth(transaction, month);
  }
}

/** Hours are listed for few days only. */
const MONTH_KINDS: readonly Kind[] = KINDS.filter((kind) => kind !== 'hour');

async function addUpMonth(transaction: Transaction, { websiteNumber, month }: Month): Promise<void> {
  await transaction.query(
    once(sql`
      delete from day_numbers where website_number = ${websiteNumber} and is_month and day = ${month}::date`),
  );
  const days = daysOf(month, endOfMonth(month));
  const small = await countSmallDays(transaction, { websiteNumber, month });
  for (const kinds of await readKinds(transaction, { websiteNumber, month }, small)) {
    const rows = await readNumbers(transaction, websiteNumber, [{ isMonth: false, days, kinds }]);
    const sums: StoredRow[] = [];
    for (const kind of kinds) {
      const ofKind = [...rows, ...small].filter((row) => row.kind === kind);
      if (ofKind.length > 0) sums.push({ ...addUpNumbers(ofKind), websiteNumber, day: month, isMonth: true, kind });
      // A long list takes some milliseconds.
      await otherWork();
    }
    await insertNumbers(transaction, sums);
  }
}

/** Makes the lists of the days of a month that have only totals. */
async function countSmallDays(
  transaction: Transaction,
  { websiteNumber, month }: Month,
): Promise<readonly StoredRow[]> {
  const { rows } = await transaction.query(
    once(sql<{ day: Day }>`
      select day::text as day from website_day
      where website_number = ${websiteNumber} and day between ${month}::date and ${endOfMonth(month)}::date and not ${HAS_LISTS}`),
  );
  const days = rows.map(({ day }) => ({ websiteNumber, day, zone: timeZone('UTC'), kinds: DIMENSIONS }));
  const hits = await readDayHits(transaction, days);
  return numbersOfDays(await readValueSecret(transaction), days, hits, await readCounting(transaction));
}

/** About how many values are in memory at once. */
const MAX_VALUES = 200_000;

/** The kinds of a month, those together that have few values. */
async function readKinds(
  transaction: Transaction,
  { websiteNumber, month }: Month,
  small: readonly StoredRow[],
): Promise<readonly Kind[][]> {
  const { rows } = await transaction.query(
    once(sql<{ kind: number; values: number }>`
      select kind, sum(size)::double precision as values from day_numbers
      where website_number = ${websiteNumber} and not is_month
        and day between ${month}::date and ${endOfMonth(month)}::date
      group by kind`),
  );
  const parts: Kind[][] = [];
  let left = 0;
  for (const kind of MONTH_KINDS) {
    const stored = rows.find(({ kind: code }) => code === CODES[kind])?.values ?? 0;
    const values = small.reduce((sum, row) => sum + (row.kind === kind ? row.size : 0), stored);
    if (values > left) {
      parts.push([]);
      left = MAX_VALUES;
    }
    parts.at(-1)?.push(kind);
    left -= values;
  }
  return parts;
}
