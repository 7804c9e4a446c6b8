import { hash } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { MAX_SESSIONS, type PendingSignIn, type Person, type Session } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { anApiKey } from '@hitherto/testing/fixtures';
import { aMember, anApp, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `SessionRepository`. */
export function sessionRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let keyId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    keyId = newId();
    await repositories.access.insertKey(anApiKey({ id: keyId, accountId }), UNRECORDED);
  });

  const aSession = (overrides: Partial<Session> = {}): Session => ({
    hash: 'a'.repeat(64),
    of: { keyId },
    createdAt: new Date('2026-11-20T12:00:00.001Z'),
    expiresAt: new Date('2026-12-20T12:00:00.001Z'),
    lastUsedAt: new Date('2026-11-20T12:00:00.001Z'),
    browser: 'Firefox',
    network: '203.0.113.0/24',
    ...overrides,
  });

  const pendingOf = (personId: string): PendingSignIn => ({
    hash: 'c'.repeat(64),
    personId,
    sessionMs: 30 * 24 * 60 * 60 * 1000,
    expiresAt: new Date('2026-11-20T12:10:00.001Z'),
  });

  describe('a session', () => {
    it('is found by its hash, with its key, as copies', async () => {
      await repositories.sessions.insert(aSession());
      (await repositories.sessions.find(aSession().hash))?.session.expiresAt.setTime(0);

      const found = await repositories.sessions.find(aSession().hash);

      expect(found).toStrictEqual({ session: aSession(), key: anApiKey({ id: keyId, accountId }) });
      for (const text of [...HOSTILE_STRINGS, 'A'.repeat(64), keyId]) {
        expect(await repositories.sessions.find(text)).toBeUndefined();
      }
    });

    it('is found with the current state of its key', async () => {
      const now = new Date('2026-11-21T00:00:00.001Z');
      await repositories.sessions.insert(aSession());
      await repositories.access.revokeKey(keyId, now, UNRECORDED);

      expect(await repositories.sessions.find(aSession().hash)).toMatchObject({ key: { revokedAt: now } });
    });

    it.each(['keyId', 'personId'])('needs what it is of: %s', async (name) => {
      const of = name === 'keyId' ? { keyId: newId() } : { personId: newId() };

      await expect(repositories.sessions.insert(aSession({ of }))).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is deleted without affecting others', async () => {
      const other = aSession({ hash: 'b'.repeat(64) });
      await repositories.sessions.insert(aSession());
      await repositories.sessions.insert(other);

      expect(await repositories.sessions.delete(aSession().hash)).toBe(true);
      expect(await repositories.sessions.delete(aSession().hash)).toBe(false);

      for (const text of HOSTILE_STRINGS) expect(await repositories.sessions.delete(text)).toBe(false);
      expect(await repositories.sessions.find(aSession().hash)).toBeUndefined();
      expect((await repositories.sessions.find(other.hash))?.session).toStrictEqual(other);
    });

    it('is deleted with its account', async () => {
      await repositories.sessions.insert(aSession());
      await repositories.access.deleteAccount(accountId);

      expect(await repositories.sessions.find(aSession().hash)).toBeUndefined();
      expect(await repositories.sessions.delete(aSession().hash)).toBe(false);
    });

    it('is deleted from the millisecond at which it expires', async () => {
      const later = aSession({ hash: 'b'.repeat(64), expiresAt: new Date(aSession().expiresAt.getTime() + 1) });
      await repositories.sessions.insert(aSession());
      await repositories.sessions.insert(later);

      expect(await repositories.sessions.deleteExpired(aSession().expiresAt)).toBe(1);
      expect(await repositories.sessions.deleteExpired(aSession().expiresAt)).toBe(0);

      expect(await repositories.sessions.find(aSession().hash)).toBeUndefined();
      expect((await repositories.sessions.find(later.hash))?.session).toStrictEqual(later);
    });
  });

  describe('a session of a person', () => {
    let person: Person;
    const hashOf = (number: number) => hash('sha256', `${person.id} ${number}`, 'hex');
    const sessionOf = (number: number, overrides: Partial<Session> = {}) =>
      aSession({ hash: hashOf(number), of: { personId: person.id }, ...overrides });

    beforeEach(async () => {
      person = aPerson();
      const invitation = anInvitation({ accountId, email: person.email });
      await repositories.people.insertInvitation(invitation, UNRECORDED);
      const member = aMember({ accountId, personId: person.id });
      await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    });

    it('is found with the person and their memberships, as they are', async () => {
      await repositories.sessions.insert(sessionOf(1));
      const [member] = await repositories.people.membershipsOf(person.id);

      expect(await repositories.sessions.find(hashOf(1))).toStrictEqual({
        session: sessionOf(1),
        person,
        members: [member],
        secondFactor: { isOn: false, isRequired: false },
      });
      await repositories.people.deleteMember(accountId, person.id, UNRECORDED);
      expect(await repositories.sessions.find(hashOf(1))).toMatchObject({ members: [] });
    });

    it('says whether the person has a second factor, and whether an account requires it', async () => {
      await repositories.sessions.insert(sessionOf(1));
      const stateOf = async () => {
        const found = await repositories.sessions.find(hashOf(1));
        return found && 'secondFactor' in found ? found.secondFactor : undefined;
      };

      await repositories.access.updateAccount(accountId, { requiresSecondFactor: true }, UNRECORDED);
      expect(await stateOf()).toStrictEqual({ isOn: false, isRequired: true });
      await repositories.secondFactors.turnOn(anApp({ personId: person.id }), [], hashOf(1));
      expect(await stateOf()).toStrictEqual({ isOn: true, isRequired: true });
      expect((await repositories.people.listMembers(accountId))[0]?.hasSecondFactor).toBe(true);
    });

    it(`is one of at most ${MAX_SESSIONS}: the oldest end`, async () => {
      const at = (number: number) => new Date(Date.parse('2026-11-20T12:00:00.000Z') + number);
      for (let number = 0; number < MAX_SESSIONS + 2; number += 1) {
        await repositories.sessions.insert(sessionOf(number, { createdAt: at(number), lastUsedAt: at(number) }));
      }

      const listed = await repositories.sessions.list(person.id);
      const newest = Array.from({ length: MAX_SESSIONS }, (_, index) => hashOf(MAX_SESSIONS + 1 - index));
      expect(listed.map(({ hash }) => hash)).toEqual(newest);
      expect(await repositories.sessions.list(newId())).toEqual([]);
      for (const text of HOSTILE_STRINGS) expect(await repositories.sessions.list(text)).toEqual([]);
    });

    it('knows when it was last used, and by it the member', async () => {
      const later = new Date('2026-11-22T01:00:00.000Z');
      await repositories.sessions.insert(sessionOf(1));
      await repositories.sessions.touch(hashOf(1), later);
      await repositories.sessions.touch(hashOf(1), new Date(0));

      expect((await repositories.sessions.find(hashOf(1)))?.session.lastUsedAt).toEqual(later);
      expect((await repositories.people.listMembers(accountId))[0]?.lastUsedOn).toBe('2026-11-22');
    });

    it('ends with the person, and with all others but one where the person ends them', async () => {
      for (const number of [1, 2, 3]) await repositories.sessions.insert(sessionOf(number));
      const changed = { ...person, updatedAt: new Date(person.updatedAt.getTime() + 1) };
      await repositories.people.replace(changed, person.updatedAt, undefined);
      expect(await repositories.sessions.list(person.id)).toHaveLength(3);
      const again = { ...changed, updatedAt: new Date(changed.updatedAt.getTime() + 1) };
      await repositories.people.replace(again, changed.updatedAt, { kept: hashOf(2) });

      expect((await repositories.sessions.list(person.id)).map(({ hash }) => hash)).toEqual([hashOf(2)]);
      await repositories.sessions.insert(sessionOf(4));
      await repositories.sessions.insertPending(pendingOf(person.id));
      const last = { ...again, updatedAt: new Date(again.updatedAt.getTime() + 1) };
      await repositories.people.replace(last, again.updatedAt, { kept: undefined });
      expect(await repositories.sessions.list(person.id)).toEqual([]);
      expect(await repositories.sessions.findPending(pendingOf(person.id).hash)).toBeUndefined();
      await repositories.sessions.insert(sessionOf(5));
      await repositories.people.delete(person.id, []);
      expect(await repositories.sessions.find(hashOf(5))).toBeUndefined();
    });

    it('is no sign-in that waits for the second factor', async () => {
      const pending = pendingOf(person.id);
      await repositories.sessions.insertPending(pending);

      expect(await repositories.sessions.findPending(pending.hash)).toStrictEqual(pending);
      expect(await repositories.sessions.find(pending.hash)).toBeUndefined();
      expect(await repositories.sessions.list(person.id)).toEqual([]);
      for (const text of [...HOSTILE_STRINGS, newId()]) {
        expect(await repositories.sessions.findPending(text)).toBeUndefined();
        expect(await repositories.sessions.countTry(text)).toBeUndefined();
        expect(await repositories.sessions.deletePending(text)).toBe(false);
      }
      const ofNobody = { ...pendingOf(newId()), hash: 'd'.repeat(64) };
      await expect(repositories.sessions.insertPending(ofNobody)).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    it('begins once for a sign-in that waits, whose tries are counted even at once', async () => {
      const { hash, expiresAt } = pendingOf(person.id);
      await repositories.sessions.insertPending(pendingOf(person.id));

      const counted = await Promise.all(Array.from({ length: 10 }, () => repositories.sessions.countTry(hash)));
      expect(counted.toSorted((a = 0, b = 0) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      const deleted = await Promise.all(Array.from({ length: 5 }, () => repositories.sessions.deletePending(hash)));
      expect(deleted.filter(Boolean)).toHaveLength(1);
      await repositories.sessions.insertPending(pendingOf(person.id));
      await repositories.sessions.deleteExpired(expiresAt);
      expect(await repositories.sessions.findPending(hash)).toBeUndefined();
    });
  });
}
