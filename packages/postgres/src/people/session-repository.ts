import { DomainError, isId, isStorable } from '@hitherto/domain/base';
import type { Session, SessionRepository } from '@hitherto/domain/people';
import { findKey, toKey } from '../access/access-statements.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { findPerson, membershipsOf } from './people-statements.ts';
import * as statements from './session-statements.ts';

/** Stores sessions in PostgreSQL. */
export function createSessionRepository(database: Database): SessionRepository {
  return {
    async insert({ of, ...session }) {
      const owner = { keyId: 'keyId' in of ? of.keyId : null, personId: 'personId' in of ? of.personId : null };
      try {
        await database.query(statements.insertSession.with({ ...session, ...owner }));
      } catch (error) {
        if (classify(error).reason !== 'foreign_key') throw error;
        throw new DomainError('not_found', 'The key or the person is gone.', { cause: error });
      }
    },

    async find(hash) {
      if (!isStorable(hash)) return undefined;
      const [row] = await database.read(statements.findSession.with({ hash }));
      if (row === undefined) return undefined;
      const { keyId, personId, ...rest } = row;
      if (personId === null) {
        const [key] = keyId === null ? [] : await database.read(findKey.with({ id: keyId }));
        return key && { session: sessionOf(rest, { keyId: key.id }), key: toKey(key) };
      }
      const [[person], members] = await Promise.all([
        database.read(findPerson.with({ id: personId })),
        database.read(membershipsOf.with({ personId })),
      ]);
      return person && { session: sessionOf(rest, { personId }), person, members };
    },

    async list(personId) {
      if (!isId(personId)) return [];
      const { rows } = await database.query(statements.listSessions.with({ personId }));
      return rows.map((row) => sessionOf(row, { personId }));
    },

    async touch(hash, at) {
      if (isStorable(hash)) await database.query(statements.touchSession.with({ hash, at }));
    },

    async delete(hash) {
      return isStorable(hash) && (await database.query(statements.deleteSession.with({ hash }))).count === 1;
    },

    async deleteExpired(now) {
      return (await database.query(statements.deleteExpiredSessions.with({ now }))).count;
    },
  };
}

function sessionOf(row: statements.SessionRow, of: Session['of']): Session {
  return { ...row, of };
}
