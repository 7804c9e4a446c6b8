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
      await ofSomebody(() => database.query(statements.insertSession.with({ ...session, ...owner })));
    },

    async find(hash) {
      if (!isStorable(hash)) return undefined;
      const [row] = await database.read(statements.findSession.with({ hash }));
      if (row === undefined) return undefined;
      const { keyId, personId, secondFactor, ...rest } = row;
      if (personId === null) {
        const [key] = keyId === null ? [] : await database.read(findKey.with({ id: keyId }));
        return key && { session: sessionOf(rest, { keyId: key.id }), key: toKey(key) };
      }
      const [[person], members] = await Promise.all([
        database.read(findPerson.with({ id: personId })),
        database.read(membershipsOf.with({ personId })),
      ]);
      return person && { session: sessionOf(rest, { personId }), person, members, secondFactor };
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

    async insertPending(pending) {
      await ofSomebody(() => database.query(statements.insertPending.with(pending)));
    },

    async findPending(hash) {
      if (!isStorable(hash)) return undefined;
      return (await database.read(statements.findPending.with({ hash })))[0];
    },

    async countTry(hash) {
      if (!isStorable(hash)) return undefined;
      return (await database.query(statements.countTry.with({ hash }))).rows[0]?.tries;
    },

    async deletePending(hash) {
      return isStorable(hash) && (await database.query(statements.deletePending.with({ hash }))).count === 1;
    },

    async deleteExpired(now) {
      await database.query(statements.deleteExpiredPending.with({ now }));
      return (await database.query(statements.deleteExpiredSessions.with({ now }))).count;
    },
  };
}

async function ofSomebody(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (classify(error).reason !== 'foreign_key') throw error;
    throw new DomainError('not_found', 'The key or the person is gone.', { cause: error });
  }
}

function sessionOf(row: statements.SessionRow, of: Session['of']): Session {
  return { ...row, of };
}
