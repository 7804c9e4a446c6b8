import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { isBefore } from '../zones.ts';
import { countHits } from './count-hits.ts';
import { monthPartitions } from './partitions.ts';
import { type ColumnLimits, storeColumns } from './store-columns.ts';
import { IS_UNSUMMARISED, summarise } from './summarise.ts';
import { tryWorkLock } from './work-lock.ts';

const MAX_ROWS = 20_000;
/** A row of columns has up to thousands of visits. */
const MAX_COLUMN_ROWS = 200;

/**
 * Deletes hits of days before `day`, whole months by dropping partitions. First it makes the numbers of these days; from
 * then on reads take them only from there, so the progress of the deletion does not matter.
 */
export async function deleteHitsBefore(
  database: Database,
  installation: TimeZone,
  limits: ColumnLimits,
  day: Day,
): Promise<boolean> {
  if (await countHits(database, tryWorkLock)) return true;
  if (await storeColumns(database, isBefore(day), limits, tryWorkLock)) return true;
  if (await summarise(database, installation, isBefore(day), limits, tryWorkLock)) return true;
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction)) || (await hasUnsummarisedBefore(transaction, day))) return false;
    await transaction.query(
      once(sql`update hit_retention set kept_from = ${day}::date where kept_from < ${day}::date`),
    );
    if (await deleteHits(transaction, day)) return true;
    return deleteRows(transaction, 'visit_columns', day, MAX_COLUMN_ROWS);
  });
}

/** The first day whose hits are not deleted. */
export async function readKeptFrom(database: Pick<Database, 'query'>): Promise<Day> {
  const { rows } = await database.query(once(sql<{ day: Day }>`select kept_from::text as day from hit_retention`));
  return rows[0]?.day ?? '';
}

/** Whether days before `day` have hits that are in no numbers. */
async function hasUnsummarisedBefore(transaction: Transaction, day: Day): Promise<boolean> {
  const { rows } = await transaction.query(
    once(sql<{ found: boolean }>`
      select exists (select from added_hits, hit_retention where day < ${day}::date and day >= kept_from)
        or exists (
          select from website_day, hit_retention
          where ${IS_UNSUMMARISED} and day < ${day}::date and day >= kept_from
        ) as found`),
  );
  return rows[0]?.found !== false;
}

/** Drops one partition, or deletes a bounded number of its rows; returns whether there was anything to delete. */
async function deleteHits(transaction: Transaction, day: Day): Promise<boolean> {
  const partitions = await monthPartitions(transaction);
  const whole = partitions.find(({ to }) => to <= day);
  if (whole !== undefined) {
    // A long read would delay the drop, and the drop would delay all new hits: give up and retry later.
    await transaction.query(once(sql`set local lock_timeout = '200ms'`));
    await transaction.query(once(sql`drop table ${sql.table(whole.name)}`));
    return true;
  }
  const parts = ['hit_default', ...partitions.filter(({ from }) => from < day).map(({ name }) => name)];
  for (const part of parts) {
    if (await deleteRows(transaction, part, day, MAX_ROWS)) return true;
  }
  return false;
}

async function deleteRows(transaction: Transaction, table: string, day: Day, limit: number): Promise<boolean> {
  const { count } = await transaction.query(
    once(sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where day < ${day}::date limit ${limit}
      ))`),
  );
  return count > 0;
}
