import { isId } from '@hitherto/domain/base';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import { PARTITIONED } from './partitions.ts';
import { waitForWorkLock } from './work-lock.ts';

const MAX_ROWS = 20_000;
const UNPARTITIONED = [
  'day_numbers',
  'running_summary',
  'visit_columns',
  'changed_visitor',
  'website_day',
  'import_hit',
  'import_visit',
  'import_numbers',
  'imported_sum',
] as const;

/** Deletes a bounded number of rows of a deleted website from one table; returns whether there were any. */
export async function forget(database: Database, websiteId: string): Promise<boolean> {
  if (!isId(websiteId)) return false;
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    const { rows } = await transaction.query(
      once(sql<{ number: string }>`select number from deleted_website where id = ${websiteId}`),
    );
    for (const { number } of rows) {
      for (const remove of [...PARTITIONED.map(ofOneDay), ...UNPARTITIONED.map(ofTable)]) {
        if ((await transaction.query(once(remove(number)))).count > 0) return true;
      }
    }
    return false;
  });
}

/** The first rows in the order of the index. */
function ofOneDay(table: string) {
  const name = sql.table(table);
  return (number: string): RawBuilder<unknown> => sql`
    with first as (
      select day, visitor from ${name} where website_number = ${number} order by day, visitor limit 1
    ),
    last as (
      select visitor from ${name}
      where website_number = ${number} and day = (select day from first) order by visitor offset ${MAX_ROWS} limit 1
    )
    delete from ${name} where website_number = ${number} and day = (select day from first)
      and visitor <= coalesce((select visitor from last), ${`${2n ** 63n - 1n}`}::bigint)`;
}

function ofTable(table: string) {
  const name = sql.table(table);
  return (number: string): RawBuilder<unknown> => sql`
    delete from ${name} where ctid = any(array(
      select ctid from ${name} where website_number = ${number} limit ${MAX_ROWS}
    ))`;
}
