import type { SessionRepository } from '@hitherto/domain/access';
import { DomainError } from '@hitherto/domain/base';
import type { State } from './state.ts';

/** Stores sessions in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createSessionRepository(state: State): SessionRepository {
  return {
    async insert(session) {
      if (!state.keys.has(session.keyId)) throw new DomainError('not_found', 'The key is gone.');
      if (state.sessions.has(session.hash)) throw new Error('There is already a session with this hash.');
      state.sessions.set(session.hash, structuredClone(session));
    },

    async find(hash) {
      const session = state.sessions.get(hash);
      const key = session && state.keys.get(session.keyId);
      return session && key && structuredClone({ session, key });
    },

    async delete(hash) {
      return state.sessions.delete(hash);
    },

    async deleteExpired(now) {
      const expired = [...state.sessions.values()].filter(({ expiresAt }) => expiresAt <= now);
      for (const { hash } of expired) state.sessions.delete(hash);
      return expired.length;
    },
  };
}
