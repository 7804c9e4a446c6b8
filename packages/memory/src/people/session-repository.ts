import { DomainError } from '@hitherto/domain/base';
import { MAX_SESSIONS, type Session, type SessionRepository } from '@hitherto/domain/people';
import { keyIn } from '../access-repository.ts';
import type { State } from '../state.ts';
import { membershipsIn, secondFactorOf } from './members.ts';

/** Stores sessions in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createSessionRepository(state: State): SessionRepository {
  const sessionsOf = (personId: string) =>
    [...state.sessions.values()].filter(({ of }) => 'personId' in of && of.personId === personId);
  const use = (of: Session['of'], at: Date) => {
    if ('personId' in of) state.lastUses.set(of.personId, at);
  };

  return {
    async insert(session) {
      const { of } = session;
      const isThere = 'keyId' in of ? state.keys.has(of.keyId) : state.people.has(of.personId);
      if (!isThere) throw new DomainError('not_found', 'The key or the person is gone.');
      if (state.sessions.has(session.hash)) throw new Error('There is already a session with this hash.');
      const earlier = 'personId' in of ? sessionsOf(of.personId) : [];
      const newest = earlier.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
      for (const { hash } of newest.slice(MAX_SESSIONS - 1)) state.sessions.delete(hash);
      state.sessions.set(session.hash, structuredClone(session));
      use(of, session.lastUsedAt);
    },

    async find(hash) {
      const session = state.sessions.get(hash);
      if (session === undefined) return undefined;
      if ('keyId' in session.of) {
        const key = state.keys.get(session.of.keyId);
        return key && { session: structuredClone(session), key: keyIn(state, key) };
      }
      const person = state.people.get(session.of.personId);
      if (person === undefined) return undefined;
      const members = membershipsIn(state, person.id);
      return structuredClone({ session, person, members, secondFactor: secondFactorOf(state, person.id) });
    },

    async list(personId) {
      const last = (one: Session, other: Session) => other.lastUsedAt.getTime() - one.lastUsedAt.getTime();
      return structuredClone(sessionsOf(personId).sort((a, b) => last(a, b) || (a.hash > b.hash ? 1 : -1)));
    },

    async touch(hash, at) {
      const session = state.sessions.get(hash);
      if (session === undefined || session.lastUsedAt >= at) return;
      state.sessions.set(hash, { ...session, lastUsedAt: new Date(at) });
      use(session.of, at);
    },

    async delete(hash) {
      return state.sessions.delete(hash);
    },

    async insertPending(pending) {
      if (pending.personId !== null && !state.people.has(pending.personId))
        throw new DomainError('not_found', 'The person is gone.');
      state.pendingSignIns.set(pending.hash, structuredClone({ ...pending, tries: 0 }));
    },

    async findPending(hash) {
      const found = state.pendingSignIns.get(hash);
      if (found === undefined) return undefined;
      const { tries: _, ...pending } = structuredClone(found);
      return pending;
    },

    async countTry(hash) {
      const found = state.pendingSignIns.get(hash);
      if (found === undefined) return undefined;
      const tries = found.tries + 1;
      state.pendingSignIns.set(hash, { ...found, tries });
      return tries;
    },

    async deletePending(hash) {
      return state.pendingSignIns.delete(hash);
    },

    async deleteExpired(now) {
      for (const { hash, expiresAt } of [...state.pendingSignIns.values()]) {
        if (expiresAt <= now) state.pendingSignIns.delete(hash);
      }
      const expired = [...state.sessions.values()].filter(({ expiresAt }) => expiresAt <= now);
      for (const { hash } of expired) state.sessions.delete(hash);
      return expired.length;
    },
  };
}
