import { isUnavailable } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { TakeLock } from './work-lock.ts';

const MONTHS_AHEAD = 3;

/** The partition of a month: rows from `from` until before `to`. */
export interface MonthPartition {
  readonly name: string;
  readonly from: Day;
  readonly to: Day;
}

/** Creates missing partitions of `hit`: of this month and the next ones, and of months with hits that have none. */
export async function preparePartitions(database: Database, today: Day, takeLock: TakeLock): Promise<void> {
  const ahead = Array.from({ length: MONTHS_AHEAD }, (_, month) => monthOf(today, month));
  const { rows } = await database.query(
    once(sql<{ day: Day }>`select distinct date_trunc('month', day)::date::text as day from hit_default`),
  );
  for (const month of [...ahead, ...rows.map(({ day }) => monthOf(day, 0))]) {
    await prepareMonth(database, month, takeLock);
  }
}

/** How long writers of hits wait for a new partition. */
const LOCK_TIMEOUT_MS = 200;

/**
 * Creates the partition of a month. If a long read is in the way, a later call does: all writers would wait with this one. Until
 * then, rows of the month are in the default partition.
 */
export async function prepareMonth(
  database: Database,
  month: Pick<MonthPartition, 'from' | 'to'>,
  takeLock: TakeLock,
): Promise<void> {
  const prepared = database.transaction(async (transaction) => {
    // The holder of the lock may be creating the same partition; the next call finds it.
    if (!(await takeLock(transaction))) return;
    await transaction.query(once(sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`));
    await preparePartition(transaction, month);
  });
  await prepared.catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}

/** The partitions of months, oldest first. */
export async function monthPartitions(transaction: Transaction): Promise<MonthPartition[]> {
  const { rows } = await transaction.query(
    once(sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'hit'::regclass order by relname`),
  );
  return rows.flatMap(({ name }) => {
    const [, year, month] = /_(\d{4})_(\d\d)$/.exec(name) ?? [];
    return year === undefined || month === undefined ? [] : [{ name, ...monthOf(`${year}-${month}-01`, 0) }];
  });
}

/**
 * Creates the partition of a month and moves its rows there from the default partition. A read whose snapshot is older misses
 * the moved rows, because it finds neither the deleted nor the new ones. Months are prepared ahead, so there are none to move
 * unless hits came for a month that was not.
 */
export async function preparePartition(
  transaction: Transaction,
  { from, to }: Pick<MonthPartition, 'from' | 'to'>,
): Promise<void> {
  const name = `hit_${from.slice(0, 7).replace('-', '_')}`;
  if ((await monthPartitions(transaction)).some((partition) => partition.name === name)) return;
  const [parent, partition, rest] = ['hit', name, 'hit_default'].map((known) => sql.table(known));
  // A writer that has chosen the default partition would insert into the wrong one, so running writers finish first and
  // new ones wait.
  await transaction.query(once(sql`lock table only ${parent} in share row exclusive mode`));
  await transaction.query(once(sql`lock table ${rest} in access exclusive mode`));
  await transaction.query(once(sql`create table ${partition} (like ${parent} including defaults)`));
  await transaction.query(
    once(sql`
      with moved as (
        delete from ${rest} where day >= ${from}::date and day < ${to}::date returning *
      )
      insert into ${partition} select * from moved`),
  );
  await transaction.query(
    once(sql`
      alter table ${parent} attach partition ${partition} for values from (${sql.lit(from)}) to (${sql.lit(to)})`),
  );
}

/** The month of a day, or a later one. */
export function monthOf(day: Day, later: number): { from: Day; to: Day } {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const firstDay = (offset: number) => new Date(Date.UTC(year, month - 1 + offset, 1)).toISOString().slice(0, 10);
  return { from: firstDay(later), to: firstDay(later + 1) };
}
