import { setImmediate as otherWork } from 'node:timers/promises';
import { addDays, addMonths, type Day, daysOf } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { CODES, KINDS, type Kind } from '../summary-columns.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import { addUpNumbers, insertNumbers, readNumbers, type StoredRow } from './number-rows.ts';
import { decodeRest, decodeShort, type StoredNumbers } from './stored-numbers.ts';

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

/**
 * Adds up the numbers of the months of these days, and of the months before in which their websites have days. Months are added up
 * if all their days have numbers that count, and the website has a later day. The caller holds the lock under which numbers change.
 */
export async function addUpMonths(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
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
    once(sql<{ websiteNumber: string; month: Day }>`
      select website_number as "websiteNumber", month::text as month
      from (select * from ${chosen} union ${earlier}) candidate
      where exists (
        select from website_day later
        where later.website_number = candidate.website_number and later.day >= candidate.month + interval '1 month'
      ) and (
        select count(*) > 1 and bool_and(hits = hits_in_numbers) from website_day
        where website_day.website_number = candidate.website_number
          and website_day.day >= candidate.month and website_day.day < candidate.month + interval '1 month'
      )
      order by website_number, month`),
  );
  for (const { websiteNumber, month } of rows) await addUpMonth(transaction, websiteNumber, month);
}

async function addUpMonth(transaction: Transaction, websiteNumber: string, month: Day): Promise<void> {
  if (await isCurrent(transaction, websiteNumber, month)) return;
  await transaction.query(
    once(sql`
      delete from day_numbers where website_number = ${websiteNumber} and is_month and day = ${month}::date`),
  );
  const days = daysOf(month, endOfMonth(month));
  for (const kinds of await readKinds(transaction, websiteNumber, month)) {
    const rows = await readNumbers(transaction, websiteNumber, [{ isMonth: false, days, kinds }]);
    const sums: StoredRow[] = [];
    for (const kind of kinds) {
      const sum = addUpNumbers(rows.filter((row) => row.kind === kind));
      sums.push({ ...sum, websiteNumber, day: month, isMonth: true, kind });
      // A long list takes some milliseconds.
      await otherWork();
    }
    await insertNumbers(transaction, sums);
  }
}

/** About how many values are in memory at once. */
const MAX_VALUES = 200_000;

/** The kinds that the days of a month have, those together that have few values. */
async function readKinds(transaction: Transaction, websiteNumber: string, month: Day): Promise<readonly Kind[][]> {
  const { rows } = await transaction.query(
    once(sql<{ kind: number; values: number }>`
      select kind, sum(size)::double precision as values from day_numbers
      where website_number = ${websiteNumber} and not is_month
        and day between ${month}::date and ${endOfMonth(month)}::date
      group by kind order by values`),
  );
  const parts: Kind[][] = [];
  let left = 0;
  for (const { kind: code, values } of rows) {
    const kind = KINDS.find((known) => CODES[known] === code);
    if (kind === undefined) continue;
    if (values > left) {
      parts.push([]);
      left = MAX_VALUES;
    }
    parts.at(-1)?.push(kind);
    left -= values;
  }
  return parts;
}

/** Whether the month has numbers of all its hits. */
async function isCurrent(transaction: Transaction, websiteNumber: string, month: Day): Promise<boolean> {
  const [total] = await readNumbers(transaction, websiteNumber, [{ isMonth: true, days: [month], kinds: ['total'] }]);
  if (total === undefined) return false;
  const { rows } = await transaction.query(
    once(sql<{ hits: number }>`
      select sum(hits)::double precision as hits from website_day
      where website_number = ${websiteNumber} and day between ${month}::date and ${endOfMonth(month)}::date`),
  );
  return rows[0]?.hits === hitsIn(total);
}
