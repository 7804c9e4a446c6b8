import { MAX_PASSKEYS, type PasskeyRepository } from '@hitherto/domain/people';
import type { State } from '../state.ts';
import { addMail } from '../task-queue.ts';

/** Stores passkeys in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createPasskeyRepository(state: State): PasskeyRepository {
  const own = (of: string) => [...state.passkeys.values()].filter(({ personId }) => personId === of);
  return {
    async list(personId) {
      return structuredClone(own(personId).sort((a, b) => +a.createdAt - +b.createdAt || (a.id > b.id ? 1 : -1)));
    },

    async find(id) {
      return structuredClone(state.passkeys.get(id));
    },

    async insert(passkey, notice) {
      const { id, personId } = passkey;
      const isFull = own(personId).length >= MAX_PASSKEYS;
      if (isFull || state.passkeys.has(id) || !state.secondFactors.has(personId)) return false;
      state.passkeys.set(id, structuredClone(passkey));
      if (notice !== undefined) addMail(state, notice);
      return true;
    },

    async use(id, counter) {
      const found = state.passkeys.get(id);
      if (found === undefined || (counter !== 0 && counter <= found.counter)) return false;
      state.passkeys.set(id, { ...found, counter });
      return true;
    },

    async delete(personId, id, notice) {
      if (state.passkeys.get(id)?.personId !== personId) return false;
      state.passkeys.delete(id);
      if (notice !== undefined) addMail(state, notice);
      return true;
    },
  };
}
