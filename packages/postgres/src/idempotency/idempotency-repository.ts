import { isId, isStorable } from '@hitherto/domain/base';
import type { IdempotencyRecord, IdempotencyRepository } from '@hitherto/domain/changes';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { build, type Placeholders, statement } from '../connection/statement.ts';

/** The most rows that one statement deletes, so that even the largest records stay far below its timeout. */
const BATCH = 1_000;

const findRecord = statement(
  'find_idempotency_record',
  (p: Placeholders<{ accountId: string; keyHash: string; now: Date }>) =>
    build
      .selectFrom('store_record')
      .select(['key_hash as keyHash', 'fingerprint', 'sealed_website as sealedResponse', 'expires_at as expiresAt'])
      .where('account_id', '=', p('accountId'))
      .where('key_hash', '=', p('keyHash'))
      .where('expires_at', '>', p('now')),
);

/**
 * Adds a record, unless there is one of the same key that has not expired. Waits for a concurrent insert of the same key,
 * until that is committed or rolled back.
 */
export const insertRecord = statement(
  'insert_idempotency_record',
  (p: Placeholders<IdempotencyRecord & { readonly accountId: string; readonly now: Date }>) => sql`
    insert into store_record (account_id, key_hash, fingerprint, sealed_website, expires_at)
    values (${p('accountId')}, ${p('keyHash')}, ${p('fingerprint')}, ${p('sealedResponse')}, ${p('expiresAt')})
    on conflict (account_id, key_hash) do update set
      fingerprint = excluded.fingerprint,
      sealed_website = excluded.sealed_website,
      expires_at = excluded.expires_at
    where store_record.expires_at <= ${p('now')}`,
);

/**
 * Deletes up to `limit` expired records, the earliest first. The row itself is checked again, so that a request that
 * replaces an expired record at the same time is not affected.
 */
const deleteExpired = statement(
  'delete_expired_idempotency_records',
  (p: Placeholders<{ now: Date; limit: number }>) => {
    const expired = build
      .selectFrom('store_record')
      .select(sql`ctid`.as('ctid'))
      .where('expires_at', '<=', p('now'))
      .orderBy('expires_at')
      .limit(p('limit'));
    // By ctid, so that no batch reads more than its own rows, whatever the table's statistics say.
    return build
      .deleteFrom('store_record')
      .where(sql<boolean>`ctid = any (array(${expired}))`)
      .where('expires_at', '<=', p('now'));
  },
);

/** Finds and deletes idempotency records in PostgreSQL. */
export function createIdempotencyRepository(database: Database): IdempotencyRepository {
  return {
    async find(accountId, keyHash, now) {
      if (!isId(accountId) || !isStorable(keyHash)) return undefined;
      const [record] = await database.read(findRecord.with({ accountId, keyHash, now }));
      return record;
    },

    async deleteExpired(now) {
      let deleted = 0;
      for (;;) {
        const { count } = await database.query(deleteExpired.with({ now, limit: BATCH }));
        deleted += count;
        if (count < BATCH) return deleted;
      }
    },
  };
}
