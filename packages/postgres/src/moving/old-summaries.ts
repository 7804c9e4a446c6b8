import type { Day } from '@hitherto/domain/calendar';
import type { StoredSummary } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { createTally } from '../statistics/columns/counter.ts';
import { numberOfTotals, TOTALS, type TotalsName } from '../statistics/columns/totals.ts';
import { encodeDay, readValueSecret } from '../statistics/days/count-days.ts';
import { addUpMonths, hitsIn } from '../statistics/days/months.ts';
import { insertNumbers, readNumbers, type StoredRow } from '../statistics/days/number-rows.ts';
import { decodeStrings, totalsOf } from '../statistics/days/stored-numbers.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';
import { KINDS } from '../statistics/summary-columns.ts';

/** How many days of a website are read at once. */
const MAX_DAYS = 30;

/** The summaries of days whose hits are deleted. */
export async function* readOldSummaries(database: Database): AsyncIterable<readonly StoredSummary[]> {
  const { rows: websites } = await database.query(
    once(sql<{ website: string; days: readonly Day[] }>`
      select website_number as website, array_agg(day::text order by day) as days
      from website_day join website on number = website_number
      where day < (select kept_from from hit_retention) group by website_number order by website_number`),
  );
  for (const { website, days } of websites) {
    for (let start = 0; start < days.length; start += MAX_DAYS) {
      const part = { isMonth: false, days: days.slice(start, start + MAX_DAYS), kinds: KINDS };
      const rows = await database.transaction((transaction) => readNumbers(transaction, website, [part]));
      yield rows.map((row) => {
        const totals = totalsOf(row);
        const values = decodeStrings(row.strings).map((value, place) => ({ ...totals(place), value }));
        return { website: BigInt(website), day: row.day, kind: row.kind, values };
      });
    }
  }
}

/** Replaces the summaries of days before `keptFrom`, whose hits are deleted then. */
export async function replaceOldSummaries(
  database: Database,
  keptFrom: Day,
  summaries: AsyncIterable<readonly StoredSummary[]>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    for (const table of ['day_numbers', 'website_day', 'book']) {
      await transaction.query(once(sql`delete from ${sql.table(table)} where day < ${keptFrom}::date`));
    }
    for await (const part of summaries) await addSummaries(transaction, part);
    await transaction.query(once(sql`update hit_retention set kept_from = ${keptFrom}::date`));
  });
}

async function addSummaries(transaction: Transaction, summaries: readonly StoredSummary[]): Promise<void> {
  const totals = (await insertSummaries(transaction, summaries)).filter(({ kind }) => kind === 'total');
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, hits, hits_in_numbers)
      select website_number, day, hits, hits from unnest(
        ${totals.map(({ websiteNumber }) => websiteNumber)}::bigint[], ${totals.map(({ day }) => day)}::date[],
        ${totals.map(hitsIn)}::bigint[]
      ) chosen (website_number, day, hits)
      on conflict (website_number, day) do nothing`),
  );
  await addUpMonths(transaction, totals);
}

/**
 * Inserts numbers of days that have none.
 *
 * @param summaries a day can have several of a kind, which are added up
 */
export async function insertSummaries(
  transaction: Transaction,
  summaries: readonly StoredSummary[],
): Promise<readonly StoredRow[]> {
  const secret = await readValueSecret(transaction);
  const lists = new Map<string, StoredSummary[]>();
  for (const summary of summaries) {
    const key = `${summary.website} ${summary.day} ${summary.kind}`;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [summary]);
    else list.push(summary);
  }
  const rows = [...lists.values()].flatMap((parts) => {
    const [first] = parts;
    const tally = createTally<string | null, TotalsName>(TOTALS);
    for (const { values } of parts) {
      const numbers = values.flatMap((totals) => TOTALS.map((name) => numberOfTotals(totals, name)));
      const keys = values.map(({ value }) => value);
      tally.add(keys, Float64Array.from(numbers), 1);
    }
    const sums = tally.result();
    if (first === undefined || sums.keys.length === 0) return [];
    const { website, day, kind } = first;
    return encodeDay(secret, { websiteNumber: website.toString(), day, kind }, sums);
  });
  await insertNumbers(transaction, rows);
  return rows;
}
