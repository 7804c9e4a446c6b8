import { hash } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Person, Session } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { aMember, anApp, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `SecondFactorRepository`. */
export function secondFactorRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let person: Person;
  const codes = ['a', 'b', 'c'].map((text) => hash('sha256', text, 'hex'));
  const [first = ''] = codes;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    person = aPerson();
    const invitation = anInvitation({ accountId, email: person.email });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId, personId: person.id });
    await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
  });

  const turnOn = (kept = '') => repositories.secondFactors.turnOn(anApp({ personId: person.id }), codes, kept);

  /** Adds sessions; resolves to their hashes. */
  const addSessions = async (...names: string[]) => {
    const at = new Date('2026-11-20T12:00:00.001Z');
    const hashes = names.map((name) => hash('sha256', `${person.id} ${name}`, 'hex'));
    for (const each of hashes) {
      const of: Session['of'] = { personId: person.id };
      const times = { createdAt: at, expiresAt: new Date('2026-12-20T12:00:00.001Z'), lastUsedAt: at };
      await repositories.sessions.insert({ hash: each, of, ...times, browser: null, network: null });
    }
    return hashes;
  };
  const sessions = async () => (await repositories.sessions.list(person.id)).map((each) => each.hash);

  describe('a second factor', () => {
    it('is found with its secret, and how many recovery codes are left', async () => {
      expect(await repositories.secondFactors.find(person.id)).toBeUndefined();
      expect(await turnOn()).toBe(true);

      const { secret, since } = anApp();
      expect(await repositories.secondFactors.find(person.id)).toStrictEqual({ secret, since, codesLeft: 3 });
      for (const text of [...HOSTILE_STRINGS, newId()]) {
        expect(await repositories.secondFactors.find(text)).toBeUndefined();
        expect(await repositories.secondFactors.turnOn(anApp({ personId: text }), [], '')).toBe(false);
        expect(await repositories.secondFactors.turnOff(text, undefined)).toBe(false);
        expect(await repositories.secondFactors.useStep(text, 2)).toBe(false);
        expect(await repositories.secondFactors.useRecoveryCode(text, first)).toBe(false);
        expect(await repositories.secondFactors.useRecoveryCode(person.id, text)).toBe(false);
        expect(await repositories.secondFactors.replaceRecoveryCodes(text, codes)).toBe(false);
      }
    });

    it('is turned on once, and ends all other sessions', async () => {
      const [kept = '', _other] = await addSessions('kept', 'other');

      const turned = await Promise.all([turnOn(kept), turnOn(kept)]);
      expect(turned.toSorted()).toEqual([false, true]);
      expect(await sessions()).toEqual([kept]);
    });

    it('ends all other sessions, or all, where it is turned off', async () => {
      await turnOn();
      const [kept = '', _other] = await addSessions('kept', 'other');

      expect(await repositories.secondFactors.turnOff(person.id, kept)).toBe(true);
      expect(await sessions()).toEqual([kept]);
      expect(await repositories.secondFactors.turnOff(person.id, kept)).toBe(false);
      await turnOn(kept);
      await repositories.secondFactors.turnOff(person.id, undefined);
      expect(await sessions()).toEqual([]);
      expect(await repositories.secondFactors.find(person.id)).toBeUndefined();
    });

    it('takes the code of each step once, even if twenty send it at once, and none from before', async () => {
      await turnOn();
      const { step } = anApp();
      expect(await repositories.secondFactors.useStep(person.id, step)).toBe(false);

      const used = await atOnce(20, () => repositories.secondFactors.useStep(person.id, step + 2));
      expect(fulfilled(used).filter(Boolean)).toHaveLength(1);
      expect(await repositories.secondFactors.useStep(person.id, step + 1)).toBe(false);
    });

    it('takes each recovery code once, even if twenty send it at once, until they are replaced', async () => {
      await turnOn();
      const used = await atOnce(20, () => repositories.secondFactors.useRecoveryCode(person.id, first));
      expect(fulfilled(used).filter(Boolean)).toHaveLength(1);
      expect(await repositories.secondFactors.find(person.id)).toMatchObject({ codesLeft: 2 });

      expect(await repositories.secondFactors.replaceRecoveryCodes(person.id, [first])).toBe(true);
      expect(await repositories.secondFactors.find(person.id)).toMatchObject({ codesLeft: 1 });
      expect(await repositories.secondFactors.useRecoveryCode(person.id, codes[1] ?? '')).toBe(false);
      expect(await repositories.secondFactors.useRecoveryCode(person.id, first)).toBe(true);
    });

    it('goes with its person', async () => {
      await turnOn();
      await repositories.people.delete(person.id, []);

      expect(await repositories.secondFactors.find(person.id)).toBeUndefined();
    });
  });
}
