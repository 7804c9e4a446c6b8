import { type ApiKey, MAX_KEYS_OF_PERSON, NO_BRAND } from '@hitherto/domain/access';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Member } from '@hitherto/domain/people';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { anAccount, anApiKey, anEntry, aWebsite } from '@hitherto/testing/fixtures';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `AccessRepository`. */
export function accessRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;

  beforeEach(async () => {
    repositories = await makeRepositories();
  });

  describe('accounts', () => {
    it('are found unchanged by id or name', async () => {
      const account = anAccount();
      await repositories.access.insertAccount(account, UNRECORDED);

      expect(await repositories.access.findAccount(account.id)).toStrictEqual(account);
      expect(await repositories.access.findAccount(account.name)).toStrictEqual(account);
      for (const text of [...HOSTILE_STRINGS, newId(), account.name.toLowerCase(), account.id.toUpperCase(), '%']) {
        expect(await repositories.access.findAccount(text)).toBeUndefined();
      }
    });

    it('are found by id before name', async () => {
      const first = anAccount();
      const second = anAccount({ id: newId(), name: first.id });
      await repositories.access.insertAccount(second, UNRECORDED);
      await repositories.access.insertAccount(first, UNRECORDED);

      expect(await repositories.access.findAccount(first.id)).toStrictEqual(first);
    });

    it('have unique names, even if fifty are added at once', async () => {
      const results = await atOnce(50, () => repositories.access.insertAccount(anAccount({ id: newId() }), UNRECORDED));

      expect(fulfilled(results)).toHaveLength(1);
      expect(rejected(results)).toHaveLength(49);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'name_taken' });
    });

    it('are listed by name in byte order', async () => {
      const names = ['a', 'B', 'é', 'Z', '🦊', '\uffee', 'a b', 'a-b', 'z', '10', '9'];
      for (const name of names) await addAccount(repositories, name);

      const listed = await repositories.access.listAccounts();

      expect(listed.map(({ name }) => name)).toEqual([
        '10',
        '9',
        'B',
        'Z',
        'a',
        'a b',
        'a-b',
        'z',
        'é',
        '\uffee',
        '🦊',
      ]);
    });

    it('have the e-mail address that was last set, or none', async () => {
      const { email, ...rest } = anAccount();
      const other = { address: 'other@example.com', since: new Date('2026-11-09T00:00:00.009Z') };
      await repositories.access.insertAccount({ ...rest, email: null }, UNRECORDED);
      const emails = [];

      for (const next of [email, other, null]) {
        expect(await repositories.access.updateAccount(rest.id, { email: next }, UNRECORDED)).toBe(true);
        emails.push(
          (await repositories.access.findAccount(rest.id))?.email,
          (await repositories.access.listAccounts())[0]?.email,
        );
      }

      expect(emails).toStrictEqual([email, email, other, other, null, null]);
      for (const text of [...HOSTILE_STRINGS, newId(), rest.name])
        expect(await repositories.access.updateAccount(text, { email: other }, UNRECORDED)).toBe(false);
    });

    it('have the look that was last given, and its logo', async () => {
      const [account, other] = [anAccount({ id: newId() }), anAccount({ id: newId(), name: 'other' })];
      for (const each of [account, other]) await repositories.access.insertAccount(each, UNRECORDED);
      const { access } = repositories;
      const brand = { name: 'é 🦊', accent: '#0f7345', logo: 'a.png' };
      const logo = Uint8Array.of(0, 255, 10);

      expect(await access.updateAccount(account.id, { brand, logo }, UNRECORDED)).toBe(true);
      expect(await access.updateAccount(other.id, { brand, logo }, UNRECORDED)).toBe(true);
      expect(await access.updateAccount(other.id, { brand: { ...brand, accent: null } }, UNRECORDED)).toBe(true);

      expect((await access.findAccount(account.id))?.brand).toEqual(brand);
      expect((await access.findAccount(other.id))?.brand).toEqual({ ...brand, accent: null });
      expect([...((await access.findLogo('a.png')) ?? [])]).toEqual([...logo]);
      for (const each of [account, other]) {
        await access.updateAccount(each.id, { brand: NO_BRAND, logo: null }, UNRECORDED);
      }
      expect((await access.findAccount(account.id))?.brand).toEqual(NO_BRAND);
      for (const text of [...HOSTILE_STRINGS, 'a.png']) expect(await access.findLogo(text)).toBeUndefined();
    });

    it('change in what is given, to a name that no other has', async () => {
      const [account, other] = [anAccount({ id: newId() }), anAccount({ id: newId(), name: 'other' })];
      for (const each of [account, other]) await repositories.access.insertAccount(each, UNRECORDED);

      expect(await repositories.access.updateAccount(account.id, { name: 'é 🦊' }, UNRECORDED)).toBe(true);
      expect(await repositories.access.updateAccount(account.id, { requiresSecondFactor: true }, UNRECORDED)).toBe(
        true,
      );
      const taking = repositories.access.updateAccount(account.id, { name: 'other', email: null }, UNRECORDED);
      await expect(taking).rejects.toMatchObject({ code: 'name_taken' });

      const changed = { ...account, name: 'é 🦊', requiresSecondFactor: true };
      expect(await repositories.access.listAccounts()).toStrictEqual([other, changed]);
      expect(await repositories.access.updateAccount(other.id, { name: 'other' }, UNRECORDED)).toBe(true);
    });

    it('are deleted with everything they own, and nothing else', async () => {
      const [gone, kept] = [await addAccount(repositories), await addAccount(repositories)];
      const record = { keyHash: 'h', fingerprint: 'f', sealedResponse: 's', expiresAt: new Date('2026-12-01') };
      const keys = [gone, kept].map((accountId) => anApiKey({ id: newId(), accountId }));
      for (const key of keys) await repositories.access.insertKey(key, UNRECORDED);
      const [website, keptWebsite] = [aWebsite(), aWebsite({ id: newId() })];
      await repositories.websites.insert(gone, website, { ...UNRECORDED, record });
      await repositories.websites.insert(kept, keptWebsite, { ...UNRECORDED, record });

      expect(await repositories.access.deleteAccount(gone)).toBe(true);
      expect(await repositories.access.deleteAccount(gone)).toBe(false);

      expect(await repositories.access.findAccount(gone)).toBeUndefined();
      expect(await repositories.access.listKeys(gone)).toEqual([]);
      expect(await repositories.access.findKeyByHash(keys[0]?.hash ?? '')).toBeUndefined();
      expect(await repositories.websites.find(wholeAccount(gone), website.id)).toBeUndefined();
      expect(await repositories.idempotency.find(gone, 'h', new Date(0))).toBeUndefined();
      expect((await repositories.websites.list(wholeAccount(gone), { order: 'newest_first' }, 10)).total).toBe(0);
      expect(await repositories.access.listKeys(kept)).toStrictEqual([keys[1]]);
      expect(await repositories.websites.find(wholeAccount(kept), keptWebsite.id)).toStrictEqual(keptWebsite);
      expect(await repositories.idempotency.find(kept, 'h', new Date(0))).toStrictEqual(record);
    });

    it('are deleted only by their id', async () => {
      await repositories.access.insertAccount(anAccount(), UNRECORDED);

      for (const text of [...HOSTILE_STRINGS, newId(), anAccount().name]) {
        expect(await repositories.access.deleteAccount(text)).toBe(false);
      }
      expect(await repositories.access.listAccounts()).toHaveLength(1);
    });
  });

  describe('keys', () => {
    let accountId: string;

    beforeEach(async () => {
      accountId = await addAccount(repositories);
    });

    it('are found unchanged by their hash, usable or not', async () => {
      const at = (milliseconds: number) => new Date(Date.parse('2026-11-02T00:00:00.000Z') + milliseconds);
      const plain = anApiKey({ id: newId(), accountId, scope: 'read', label: null });
      const full = {
        ...plain,
        id: newId(),
        hash: 'f'.repeat(64),
        limitedTo: [newId(), newId()],
        label: 'é 🦊',
        expiresAt: at(1),
      };
      const used = { ...full, revokedAt: at(2), lastUsedAt: at(3) };
      for (const key of [plain, used]) await repositories.access.insertKey(key, UNRECORDED);

      expect(await repositories.access.findKeyByHash(plain.hash)).toStrictEqual(plain);
      expect(await repositories.access.findKeyByHash(used.hash)).toStrictEqual(used);
      for (const text of [...HOSTILE_STRINGS, plain.id, plain.hash.toUpperCase()]) {
        expect(await repositories.access.findKeyByHash(text)).toBeUndefined();
      }
    });

    it('are listed by account, oldest first, as copies', async () => {
      const older = anApiKey({ id: newId(), accountId, createdAt: new Date('2026-11-01T09:00:00.001Z') });
      const newer = anApiKey({ id: newId(), accountId, createdAt: new Date('2026-11-01T09:00:00.002Z') });
      const tied = anApiKey({ id: newId(), accountId, createdAt: newer.createdAt });
      const foreign = anApiKey({ id: newId(), accountId: await addAccount(repositories) });
      for (const key of [tied, newer, foreign, older]) await repositories.access.insertKey(key, UNRECORDED);
      (await repositories.access.listKeys(accountId))[0]?.createdAt.setTime(0);

      expect(await repositories.access.listKeys(accountId)).toStrictEqual([older, newer, tied]);
      for (const text of HOSTILE_STRINGS) expect(await repositories.access.listKeys(text)).toEqual([]);
    });

    it('need an account', async () => {
      const inserting = repositories.access.insertKey(anApiKey({ accountId: newId() }), UNRECORDED);

      await expect(inserting).rejects.toMatchObject({ code: 'not_found' });
    });

    describe('of a member', () => {
      const addMember = async (overrides: Partial<Member> = {}, person = aPerson()) => {
        const invitation = anInvitation({ accountId, email: person.email });
        await repositories.people.insertInvitation(invitation, UNRECORDED);
        const member = aMember({ accountId, personId: person.id, ...overrides });
        await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
        return member;
      };
      const keyOf = ({ accountId: id, personId, role, websiteIds }: Member, overrides: Partial<ApiKey> = {}) =>
        anApiKey({ id: newId(), accountId: id, member: { personId, role, websiteIds }, ...overrides });

      it('are found with the rights that the member has now', async () => {
        const member = await addMember({ role: 'editor', websiteIds: [newId()] });
        const key = keyOf(member, { limitedTo: [newId()] });
        await repositories.access.insertKey(key, UNRECORDED);
        const found = async () => [
          await repositories.access.findKey(key.id),
          await repositories.access.findKeyByHash(key.hash),
          ...(await repositories.access.listKeys(accountId)),
          ...(await repositories.access.listKeysOfPerson(member.personId)),
        ];
        expect(await found()).toStrictEqual([key, key, key, key]);

        const changed = { ...member, role: 'viewer', websiteIds: null, updatedAt: new Date() } as const;
        await repositories.people.replaceMember(changed, member.updatedAt, UNRECORDED);
        const now = { ...key, member: { personId: member.personId, role: 'viewer', websiteIds: null } };
        expect(await found()).toStrictEqual([now, now, now, now]);
        for (const text of [...HOSTILE_STRINGS, newId()])
          expect(await repositories.access.listKeysOfPerson(text)).toEqual([]);
      });

      it('end with the membership, with their sessions, and other keys stay', async () => {
        const person = aPerson();
        const [member, other] = [await addMember({}, person), await addMember()];
        const keys = [keyOf(member), keyOf(other), anApiKey({ id: newId(), accountId })];
        for (const key of keys) await repositories.access.insertKey(key, UNRECORDED);
        const at = new Date('2026-11-28T00:00:00.000Z');
        const times = { createdAt: at, expiresAt: at, lastUsedAt: at };
        const session = {
          hash: 'e'.repeat(64),
          of: { keyId: keys[0]?.id ?? '' },
          ...times,
          browser: null,
          network: null,
        };
        await repositories.sessions.insert(session);

        await repositories.people.deleteMember(accountId, person.id, UNRECORDED);
        expect(await repositories.access.findKeyByHash(keys[0]?.hash ?? '')).toBeUndefined();
        expect(await repositories.sessions.find(session.hash)).toBeUndefined();
        expect((await repositories.access.listKeys(accountId)).map(({ id }) => id).sort()).toEqual(
          keys.slice(1).map(({ id }) => id),
        );
        await repositories.people.delete(other.personId, [
          { entry: anEntry({ accountId, action: 'member.deleted', websiteId: null }) },
        ]);
        expect(await repositories.access.listKeys(accountId)).toStrictEqual([keys[2]]);
      });

      it('need the member', async () => {
        const inserting = repositories.access.insertKey(keyOf(aMember({ accountId })), UNRECORDED);

        await expect(inserting).rejects.toMatchObject({ code: 'not_found' });
      });

      it(`are at most ${MAX_KEYS_OF_PERSON} that can be used, in all accounts, also where two are added at once`, async () => {
        const person = aPerson();
        const member = await addMember({}, person);
        const at = new Date('2026-11-28T00:00:00.000Z');
        const add = (overrides: Partial<ApiKey> = {}) =>
          repositories.access.insertKey(keyOf(member, { createdAt: at, ...overrides }), UNRECORDED);
        await add({ revokedAt: at });
        await add({ expiresAt: at });
        for (let count = 1; count < MAX_KEYS_OF_PERSON; count += 1) await add();

        const results = await atOnce(2, () => add());

        expect(fulfilled(results)).toHaveLength(1);
        for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'too_many_keys' });
      });
    });

    it('keep the time of their first revocation', async () => {
      const [first, second] = [new Date('2026-11-03T00:00:00.001Z'), new Date('2026-11-04T00:00:00.001Z')];
      const key = anApiKey({ id: newId(), accountId });
      await repositories.access.insertKey(key, UNRECORDED);

      expect(await repositories.access.revokeKey(key.id, first, UNRECORDED)).toBe(true);
      expect(await repositories.access.revokeKey(key.id, second, UNRECORDED)).toBe(true);

      expect(await repositories.access.findKeyByHash(key.hash)).toStrictEqual({ ...key, revokedAt: first });
      for (const text of [...HOSTILE_STRINGS, newId()])
        expect(await repositories.access.revokeKey(text, first, UNRECORDED)).toBe(false);
    });

    it('record their last use, which never moves back, and ignore unknown ids', async () => {
      const [key, other] = [anApiKey({ id: newId(), accountId }), anApiKey({ id: newId(), accountId })];
      await repositories.access.insertKey(key, UNRECORDED);
      await repositories.access.insertKey(other, UNRECORDED);
      const [earlier, later] = [new Date('2026-11-05T00:00:00.001Z'), new Date('2026-11-05T00:00:00.002Z')];

      await repositories.access.recordKeyUse(new Map([key.id, newId(), ...HOSTILE_STRINGS].map((id) => [id, later])));
      await repositories.access.recordKeyUse(
        new Map([
          [key.id, earlier],
          [other.id, earlier],
        ]),
      );
      await repositories.access.recordKeyUse(new Map());

      expect((await repositories.access.listKeys(accountId)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([
        later,
        earlier,
      ]);
    });
  });
}
