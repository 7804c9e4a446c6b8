import { isId } from '@hitherto/domain/base';
import type { Change } from '@hitherto/domain/changes';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { deleteRecord, type ImportKey, requireEngine } from '../../imports/record-import.ts';
import { addUpMonths } from '../days/months.ts';
import { forgetDays, noteHits } from '../jobs/rebuild.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';

interface FoundImport extends ImportKey {
  /** Whether it has sums of days, which are in a table of their own, and no hits. */
  readonly hasSums: boolean;
}

interface CoveredDay extends WebsiteDay {
  /** Whether raw hits of the day are kept. */
  readonly isKept: boolean;
  /** Of a day whose hits are not kept: whether its numbers have no other hits. */
  readonly isAlone: boolean;
}

/** See `ImportStaging`. Jobs make the numbers of days that have other hits. */
export async function remove(database: Database, importId: string, change: Change): Promise<boolean> {
  if (!isId(importId)) return false;
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await requireEngine(transaction, 'inside');
    const { rows } = await transaction.query(
      once(sql<FoundImport>`
        select import.number, website_number as "websiteNumber", counts -> 'sums' is not null as "hasSums"
        from import where import.id = ${importId} for update of import`),
    );
    const [found] = rows;
    if (found === undefined) return false;
    const days = found.hasSums ? [] : await coveredDays(transaction, found);
    const kept = days.filter(({ isKept }) => isKept);
    // The indexes begin with the website.
    const isOfImport = sql`website_number = ${found.websiteNumber} and import_number = ${found.number}`;
    for (const table of ['book', 'imported_sum'] as const) {
      await transaction.query(once(sql`delete from ${sql.table(table)} where ${isOfImport}`));
    }
    await noteHits(transaction, kept);
    const empty = await emptyDays(transaction, kept);
    const old = days.filter(({ isKept }) => !isKept);
    await forgetDays(transaction, [...empty, ...old.filter(({ isAlone }) => isAlone)]);
    await addUpMonths(transaction, days);
    const keepsNumbers = old.some(({ isAlone }) => !isAlone);
    return deleteRecord(transaction, found.number, keepsNumbers, change);
  });
}

async function coveredDays(
  transaction: Transaction,
  { number, websiteNumber }: FoundImport,
): Promise<readonly CoveredDay[]> {
  const { rows } = await transaction.query(
    once(sql<CoveredDay>`
      select ${websiteNumber}::text as "websiteNumber", day::text as day,
        day >= (select kept_from from hit_retention) as "isKept",
        hits = (
          select hits from website_day where website_number = ${websiteNumber} and website_day.day = import_day.day
        ) as "isAlone"
      from import_day where import_number = ${number} order by day`),
  );
  return rows;
}

/** The days that have no hits. */
async function emptyDays(transaction: Transaction, days: readonly WebsiteDay[]): Promise<readonly WebsiteDay[]> {
  if (days.length === 0) return [];
  const { rows } = await transaction.query(
    once(sql<WebsiteDay>`
      select website_day.website_number as "websiteNumber", website_day.day::text as day
      from website_day join ${tableOfDays(days)} chosen
        on website_day.website_number = chosen.website_number and website_day.day = chosen.day
      where hits = 0`),
  );
  return rows;
}
