import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { insertSummaries } from '../moving/old-summaries.ts';
import { addUpMonths } from '../statistics/days/months.ts';
import { CODES, KINDS, type NumbersRow, SUMS_TO_READ, toTotals } from '../statistics/summary-columns.ts';

/** How many days of a website are stored at once. */
const MAX_DAYS = 30;

/** Stores the numbers of days that are in `summary`, as backups from before the first release have them. */
export async function storeOldSummaries(transaction: Transaction): Promise<void> {
  await transaction.query(once(sql`create index summary_by_day on summary (website_number, day)`));
  const isStored = sql`summarised and running_zone is null`;
  for (const { website, days } of await daysWhere(transaction, isStored)) {
    for (let start = 0; start < days.length; start += MAX_DAYS) {
      const part = days.slice(start, start + MAX_DAYS);
      const { rows } = await transaction.query(
        once(sql<NumbersRow & { day: Day; dimension: number; value: string | null }>`
          select day::text as day, dimension, value, ${SUMS_TO_READ} from summary
          where website_number = ${website} and day = any(${part}::date[])
          group by summary.day, dimension, value having sum(visitors) > 0`),
      );
      const kinds = new Map(KINDS.map((kind) => [CODES[kind], kind]));
      const summaries = rows.flatMap((row) => {
        const kind = kinds.get(row.dimension);
        const values = [{ ...toTotals(row), value: row.value }];
        return kind === undefined ? [] : { website: BigInt(website), day: row.day, kind, values };
      });
      await insertSummaries(transaction, summaries);
    }
  }
}

/** Adds up the months of all days. */
export async function addUpAllMonths(transaction: Transaction): Promise<void> {
  for (const { website, days } of await daysWhere(transaction, sql`true`)) {
    await addUpMonths(
      transaction,
      days.map((day) => ({ websiteNumber: website, day })),
    );
  }
}

async function daysWhere(transaction: Transaction, condition: ReturnType<typeof sql>) {
  const { rows } = await transaction.query(
    once(sql<{ website: string; days: readonly Day[] }>`
      select website_number as website, array_agg(day::text order by day) as days
      from website_day where ${condition} group by website_number`),
  );
  return rows;
}
