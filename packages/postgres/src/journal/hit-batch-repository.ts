import type { CollectedHits, HitBatchRecord, HitBatchRepository } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { addDropped, addHits, FIRST_ID } from './hit-writer.ts';

interface BatchRow {
  readonly fingerprint: string;
  readonly collected: CollectedHits;
  readonly expires_at: Date;
}

/** How many rows of a table one call deletes. */
const MAX_DELETED = 20_000;

/** Stores batches that may be sent again in PostgreSQL, with their hits in one transaction. */
export function createHitBatchRepository(database: Database): HitBatchRepository {
  return {
    async find(keyHash, now) {
      const { rows } = await database.query(selectRecord(keyHash, now));
      return toRecord(keyHash, rows[0]);
    },

    add: (record, hits, dropped, now) =>
      database.transaction(async (transaction) => {
        if (!(await insertRecord(transaction, record, now))) {
          const { rows } = await transaction.query(selectRecord(record.keyHash, now));
          return toRecord(record.keyHash, rows[0]);
        }
        await addHits(transaction, hits);
        await addDropped(transaction, dropped);
        return undefined;
      }),

    async deleteExpired(now) {
      const { count: batches } = await database.query(
        once(sql`
          delete from journal_batch where id = any(array(
            select id from journal_batch
            where id < ${FIRST_ID} and is_waiting is null and not exists (select from added_hits where batch_id = id)
            order by id limit ${MAX_DELETED}
          ))`),
      );
      const { count: records } = await database.query(
        once(sql`
          delete from hit_batch where key_hash = any(array(
            select key_hash from hit_batch where expires_at <= ${now} order by expires_at limit ${MAX_DELETED}
          ))`),
      );
      return batches === MAX_DELETED || records === MAX_DELETED;
    },
  };
}

/** Returns whether the record was written; it is not if there is an unexpired one. Waits for a concurrent insert. */
async function insertRecord(transaction: Transaction, record: HitBatchRecord, now: Date): Promise<boolean> {
  const { keyHash, fingerprint, collected, expiresAt } = record;
  const { count } = await transaction.query(
    once(sql`
      insert into hit_batch (key_hash, fingerprint, collected, expires_at)
      values (${keyHash}, ${fingerprint}, ${JSON.stringify(collected)}::jsonb, ${expiresAt})
      on conflict (key_hash) do update
        set fingerprint = excluded.fingerprint, collected = excluded.collected, expires_at = excluded.expires_at
        where hit_batch.expires_at <= ${now}`),
  );
  return count === 1;
}

function selectRecord(keyHash: string, now: Date) {
  return once(sql<BatchRow>`
    select fingerprint, collected, expires_at from hit_batch where key_hash = ${keyHash} and expires_at > ${now}`);
}

function toRecord(keyHash: string, row: BatchRow | undefined): HitBatchRecord | undefined {
  return row && { keyHash, fingerprint: row.fingerprint, collected: row.collected, expiresAt: row.expires_at };
}
