import { UNRECORDED } from '@hitherto/domain/changes';
import { MAX_PASSKEYS, type Passkey } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { aMember, anApp, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `PasskeyRepository`. */
export function passkeyRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let personId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    const person = aPerson();
    personId = person.id;
    const invitation = anInvitation({ accountId, email: person.email });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId, personId });
    await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    await repositories.secondFactors.turnOn(anApp({ personId }), [], '');
  });

  const aPasskey = (overrides: Partial<Passkey> = {}): Passkey => ({
    id: `${personId}-key`,
    personId,
    name: 'é 🦊',
    publicKey: Uint8Array.of(0, 1, 255),
    counter: 7,
    createdAt: new Date('2026-11-20T12:00:00.001Z'),
    ...overrides,
  });

  describe('a passkey', () => {
    it('is found unchanged by its id, and listed, until it is deleted by its person', async () => {
      const other = aPasskey({ id: `${personId}-other`, createdAt: new Date('2026-11-21T12:00:00.001Z') });
      for (const each of [other, aPasskey()]) expect(await repositories.passkeys.insert(each)).toBe(true);
      expect(await repositories.passkeys.insert(aPasskey())).toBe(false);

      expect(await repositories.passkeys.find(aPasskey().id)).toStrictEqual(aPasskey());
      expect(await repositories.passkeys.list(personId)).toStrictEqual([aPasskey(), other]);
      expect(await repositories.passkeys.delete(newId(), other.id)).toBe(false);
      expect(await repositories.passkeys.delete(personId, other.id)).toBe(true);
      expect(await repositories.passkeys.delete(personId, other.id)).toBe(false);
      expect(await repositories.passkeys.list(personId)).toStrictEqual([aPasskey()]);
      for (const text of [...HOSTILE_STRINGS, newId()]) {
        expect(await repositories.passkeys.find(text)).toBeUndefined();
        expect(await repositories.passkeys.list(text)).toEqual([]);
        expect(await repositories.passkeys.use(text, 9)).toBe(false);
        expect(await repositories.passkeys.delete(personId, text)).toBe(false);
        expect(await repositories.passkeys.insert(aPasskey({ personId: text, id: newId() }))).toBe(false);
      }
    });

    it('is used once with each counter, even if twenty use it at once, and always where it counts nothing', async () => {
      await repositories.passkeys.insert(aPasskey());
      await repositories.passkeys.insert(aPasskey({ id: `${personId}-uncounted`, counter: 0 }));

      const used = await atOnce(20, () => repositories.passkeys.use(aPasskey().id, 8));
      expect(fulfilled(used).filter(Boolean)).toHaveLength(1);
      expect(await repositories.passkeys.use(aPasskey().id, 7)).toBe(false);
      for (const _ of [1, 2]) expect(await repositories.passkeys.use(`${personId}-uncounted`, 0)).toBe(true);
    });

    it(`is one of at most ${MAX_PASSKEYS}, even if all are added at once`, async () => {
      const numbers = Array.from({ length: MAX_PASSKEYS + 5 }, (_, index) => index);
      const added = await Promise.all(
        numbers.map((number) => repositories.passkeys.insert(aPasskey({ id: `${personId}-${number}` }))),
      );
      expect(added.filter(Boolean)).toHaveLength(MAX_PASSKEYS);
    });

    it('goes with the second factor', async () => {
      await repositories.passkeys.insert(aPasskey());
      await repositories.secondFactors.turnOff(personId, undefined);

      expect(await repositories.passkeys.find(aPasskey().id)).toBeUndefined();
      expect(await repositories.passkeys.insert(aPasskey())).toBe(false);
    });
  });
}
