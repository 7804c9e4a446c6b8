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
import type { WebsiteDay } from '../website-days.ts';
import { deleteStagedHits } from './staging.ts';

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
    const empty = await deleteHits(transaction, found, kept);
    const old = days.filter(({ isKept }) => !isKept);
    await forgetDays(transaction, [...empty, ...old.filter(({ isAlone }) => isAlone)]);
    await addUpMonths(transaction, days);
    await deleteStagedHits(transaction, found.number);
    await transaction.query(
      once(sql`
        delete from imported_sum where website_number = ${found.websiteNumber} and import_number = ${found.number}`),
    );
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

/** Deletes the hits of the import. Returns the days that have no others. */
async function deleteHits(
  transaction: Transaction,
  { number, websiteNumber }: FoundImport,
  days: readonly CoveredDay[],
): Promise<readonly WebsiteDay[]> {
  if (days.length === 0) return [];
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  // The first and the last day prune other months.
  const dates = sql`${days.map(({ day }) => day)}::date[]`;
  await transaction.query(
    once(sql`
      delete from hit
      where website_number = ${websiteNumber} and day = any(${dates}) and import_number = ${number}
        and day between ${first}::date and ${last}::date`),
  );
  await noteHits(transaction, days);
  const { rows } = await transaction.query(
    once(sql<WebsiteDay>`
      select website_number as "websiteNumber", day::text as day from website_day
      where website_number = ${websiteNumber} and day = any(${dates}) and hits = 0`),
  );
  return rows;
}
