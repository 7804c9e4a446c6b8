import type { SessionRepository } from '@hitherto/domain/access';
import { DomainError, isStorable } from '@hitherto/domain/base';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { toKey } from './access-statements.ts';
import * as statements from './session-statements.ts';

/** Stores sessions in PostgreSQL. */
export function createSessionRepository(database: Database): SessionRepository {
  return {
    async insert(session) {
      try {
        await database.query(statements.insertSession.with(session));
      } catch (error) {
        if (classify(error).reason !== 'foreign_key') throw error;
        throw new DomainError('not_found', 'The key is gone.', { cause: error });
      }
    },

    async find(hash) {
      if (!isStorable(hash)) return undefined;
      const [row] = await database.read(statements.findSession.with({ hash }));
      if (row === undefined) return undefined;
      const { session_hash, session_created_at: createdAt, session_expires_at: expiresAt, ...key } = row;
      return { session: { hash: session_hash, keyId: key.id, createdAt, expiresAt }, key: toKey(key) };
    },

    async delete(hash) {
      return isStorable(hash) && (await database.query(statements.deleteSession.with({ hash }))).count === 1;
    },

    async deleteExpired(now) {
      return (await database.query(statements.deleteExpiredSessions.with({ now }))).count;
    },
  };
}
