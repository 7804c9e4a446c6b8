import type { SecondFactorRepository } from '@hitherto/domain/people';
import type { State } from '../state.ts';
import { addMail } from '../task-queue.ts';
import { deletePasskeys, endSessions } from './people-repository.ts';

/** Stores second factors in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createSecondFactorRepository(state: State): SecondFactorRepository {
  const { secondFactors } = state;
  return {
    async find(personId) {
      const found = secondFactors.get(personId);
      if (found === undefined) return undefined;
      const { secret, since, recoveryHashes } = found;
      return { secret, since: new Date(since), codesLeft: recoveryHashes.length };
    },

    async turnOn({ personId, ...app }, recoveryHashes, kept, notice) {
      if (!state.people.has(personId) || secondFactors.has(personId)) return false;
      secondFactors.set(personId, structuredClone({ ...app, recoveryHashes }));
      endSessions(state, personId, kept);
      if (notice !== undefined) addMail(state, notice);
      return true;
    },

    async turnOff(personId, kept, notice) {
      if (!secondFactors.delete(personId)) return false;
      deletePasskeys(state, personId);
      endSessions(state, personId, kept);
      if (notice !== undefined) addMail(state, notice);
      return true;
    },

    async useStep(personId, step) {
      const found = secondFactors.get(personId);
      if (found === undefined || found.step >= step) return false;
      secondFactors.set(personId, { ...found, step });
      return true;
    },

    async useRecoveryCode(personId, hash) {
      const found = secondFactors.get(personId);
      if (!found?.recoveryHashes.includes(hash)) return false;
      secondFactors.set(personId, { ...found, recoveryHashes: found.recoveryHashes.filter((each) => each !== hash) });
      return true;
    },

    async replaceRecoveryCodes(personId, recoveryHashes) {
      const found = secondFactors.get(personId);
      if (found === undefined) return false;
      secondFactors.set(personId, structuredClone({ ...found, recoveryHashes }));
      return true;
    },
  };
}
