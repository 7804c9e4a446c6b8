import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { PARTITIONED } from './partitions.ts';
import { tryWorkLock } from './work-lock.ts';

const MAX_ROWS = 20_000;
const UNPARTITIONED = ['summary', 'week_summary', 'changed_visitor', 'website_day', 'dropped_hit'] as const;

/** How long batches and deleted websites are kept: an instance may still be adding earlier hits. */
const GRACE = sql`interval '1 hour'`;

/**
 * Deletes a bounded number of rows of a deleted website, and the records of old batches. Checks a website again an hour
 * after it was deleted, because hits may have been in flight.
 */
export function purge(database: Database): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<{ number: string; isFinal: boolean }>`
        select number, deleted_at < now() - ${GRACE} as "isFinal" from deleted_website
        where not is_purged or deleted_at < now() - ${GRACE} limit 1`),
    );
    const [website] = rows;
    if (website === undefined) return deleteOldBatches(transaction);
    if (!(await deleteRows(transaction, website.number))) await finish(transaction, website);
    return true;
  });
}

async function finish(transaction: Transaction, { number, isFinal }: { number: string; isFinal: boolean }) {
  await transaction.query(
    isFinal
      ? once(sql`delete from deleted_website where number = ${number}`)
      : once(sql`update deleted_website set is_purged = true where number = ${number}`),
  );
}

/** Deletes rows of the website from one table; returns whether there were any. */
async function deleteRows(transaction: Transaction, number: string): Promise<boolean> {
  for (const remove of [...PARTITIONED.map(ofOneDay), ...UNPARTITIONED.map(ofTable)]) {
    if ((await transaction.query(once(remove(number)))).count > 0) return true;
  }
  return false;
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

async function deleteOldBatches(transaction: Transaction): Promise<boolean> {
  const { count } = await transaction.query(
    once(sql`
      delete from ingest_batch where id = any(array(
        select id from ingest_batch where added_at < now() - ${GRACE} order by added_at limit ${MAX_ROWS}
      ))`),
  );
  const { count: expired } = await transaction.query(
    once(sql`
      delete from hit_batch where key_hash = any(array(
        select key_hash from hit_batch where expires_at < now() order by expires_at limit ${MAX_ROWS}
      ))`),
  );
  return count === MAX_ROWS || expired === MAX_ROWS;
}
