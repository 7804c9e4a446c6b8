import { UNRECORDED } from '@hitherto/domain/changes';
import { type Invitation, MAX_INVITATIONS, type Member, type Person } from '@hitherto/domain/people';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `PeopleRepository`. */
export function peopleRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
  });

  /** Adds a person to the account by an invitation. */
  const add = async (overrides: Partial<Member> = {}, person: Person = aPerson()): Promise<Member> => {
    const invitation = anInvitation({ accountId, email: person.email });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId, personId: person.id, ...overrides });
    expect(await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED)).toBe(true);
    return member;
  };
  const rolesOf = async (id = accountId) =>
    (await repositories.people.listMembers(id)).map(({ member }) => member.role).sort();

  describe('a person', () => {
    it('is found unchanged by id, and by address without case', async () => {
      const person = aPerson({ email: 'Ægir.Æ@Example.com', passwordHash: null, isVerified: true });
      await add({}, person);

      expect(await repositories.people.find(person.id)).toStrictEqual(person);
      expect(await repositories.people.findByEmail('ægir.æ@EXAMPLE.com')).toStrictEqual(person);
      for (const text of [...HOSTILE_STRINGS, newId(), 'other@example.com']) {
        expect(await repositories.people.find(text)).toBeUndefined();
        expect(await repositories.people.findByEmail(text)).toBeUndefined();
      }
    });

    it('is listed by address', async () => {
      for (const name of ['b', 'A', 'é']) await add({}, aPerson({ email: `${name}-${accountId}@list.example` }));

      const listed = (await repositories.people.list()).map(({ email }) => email);
      expect(listed.filter((email) => email.endsWith(`${accountId}@list.example`))).toEqual(
        ['A', 'b', 'é'].map((name) => `${name}-${accountId}@list.example`),
      );
    });

    it('has an address that nobody else has, even if twenty take it at once', async () => {
      const taking = await atOnce(20, () => add({}, aPerson({ email: 'one@example.com' })));

      expect(fulfilled(taking)).toHaveLength(1);
      const other = await add();
      const person = await repositories.people.find(other.personId);
      const taken = repositories.people.replace(
        { ...aPerson(person), email: 'ONE@example.com' },
        aPerson(person).updatedAt,
        undefined,
      );
      await expect(taken).rejects.toMatchObject({ code: 'email_taken' });
    });

    it('is found by who they are at a provider, which nobody else is', async () => {
      const identity = { issuer: `https://${newId()}.example`, subject: "é'🦊" };
      const person = aPerson({ identity });
      await add({}, person);
      expect(await repositories.people.findByIdentity(identity)).toStrictEqual(person);
      for (const text of [...HOSTILE_STRINGS, identity.subject.toUpperCase()]) {
        expect(await repositories.people.findByIdentity({ ...identity, subject: text })).toBeUndefined();
        expect(await repositories.people.findByIdentity({ ...identity, issuer: text })).toBeUndefined();
      }

      const other = aPerson();
      await add({}, other);
      const taking = repositories.people.replace({ ...other, identity }, other.updatedAt, undefined);
      await expect(taking).rejects.toMatchObject({ code: 'identity_taken' });
      await expect(add({}, aPerson({ identity }))).rejects.toMatchObject({ code: 'identity_taken' });
      const taken = await atOnce(5, () => add({}, aPerson({ identity: { ...identity, subject: 'one' } })));
      expect(fulfilled(taken)).toHaveLength(1);
      expect(await repositories.people.replace({ ...person, identity: null }, person.updatedAt, undefined)).toBe(true);
      expect(await repositories.people.findByIdentity(identity)).toBeUndefined();
    });

    it('is replaced in the version that was read, and no other', async () => {
      const person = aPerson();
      await add({}, person);
      const changed = { ...person, name: 'other', updatedAt: new Date(person.updatedAt.getTime() + 1) };

      expect(await repositories.people.replace(changed, changed.updatedAt, undefined)).toBe(false);
      expect(await repositories.people.replace(changed, person.updatedAt, undefined)).toBe(true);
      expect(await repositories.people.find(person.id)).toStrictEqual(changed);
      expect(await repositories.people.replace(aPerson(), person.updatedAt, undefined)).toBe(false);
    });

    it('is deleted with all memberships, but not as the last owner', async () => {
      const [owner, viewer] = [await add({ role: 'owner' }), await add({ role: 'viewer' })];

      await expect(repositories.people.delete(owner.personId, [])).rejects.toMatchObject({ code: 'last_owner' });
      expect(await repositories.people.delete(viewer.personId, [])).toBe(true);
      expect(await repositories.people.delete(viewer.personId, [])).toBe(false);
      expect(await rolesOf()).toEqual(['owner']);
      expect(await repositories.people.find(viewer.personId)).toBeUndefined();
      expect(await repositories.people.membershipsOf(viewer.personId)).toEqual([]);
    });
  });

  describe('a member', () => {
    it('is listed with the person, and found among the memberships of the person', async () => {
      const person = aPerson({ name: 'é 🦊' });
      const member = await add({ role: 'viewer', websiteIds: [newId(), newId()] }, person);

      const { id, email, name } = person;
      const listed = { member, person: { id, email, name }, hasSecondFactor: false, lastUsedOn: null };
      expect(await repositories.people.listMembers(accountId)).toStrictEqual([listed]);
      expect(await repositories.people.membershipsOf(id)).toStrictEqual([member]);
      for (const text of [...HOSTILE_STRINGS, newId()]) {
        expect(await repositories.people.listMembers(text)).toEqual([]);
        expect(await repositories.people.membershipsOf(text)).toEqual([]);
      }
    });

    it('is added without an invitation, as a new person or not, and stays as they are', async () => {
      const [person, other] = [aPerson(), await addAccount(repositories)];
      const member = aMember({ accountId, personId: person.id, isByGroup: true });
      await repositories.people.addMember(person, member, UNRECORDED);
      await repositories.people.addMember(person, { ...member, role: 'owner' }, UNRECORDED);
      const second = aMember({ accountId: other, personId: person.id });
      await repositories.people.addMember(person, second, UNRECORDED);

      const members = [member, second].sort((a, b) => (a.accountId > b.accountId ? 1 : -1));
      expect(await repositories.people.membershipsOf(person.id)).toStrictEqual(members);
      const nowhere = repositories.people.addMember(aPerson(), { ...member, accountId: newId() }, UNRECORDED);
      await expect(nowhere).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is replaced and deleted, in the version that was read', async () => {
      await add({ role: 'owner' });
      const member = await add({ role: 'viewer' });
      const changed = { ...member, role: 'editor' as const, updatedAt: new Date(member.updatedAt.getTime() + 1) };

      expect(await repositories.people.replaceMember(changed, changed.updatedAt, UNRECORDED)).toBe(false);
      expect(await repositories.people.replaceMember(changed, member.updatedAt, UNRECORDED)).toBe(true);
      expect(await rolesOf()).toEqual(['editor', 'owner']);
      expect(await repositories.people.deleteMember(accountId, member.personId, UNRECORDED)).toBe(true);
      expect(await repositories.people.deleteMember(accountId, member.personId, UNRECORDED)).toBe(false);
      expect(await rolesOf()).toEqual(['owner']);
    });

    it('stays the last owner, also where two demote or remove each other at once', async () => {
      const owners = [await add({ role: 'owner' }), await add({ role: 'owner' })];
      const demoted = owners.map((member) => ({ ...member, role: 'viewer' as const, updatedAt: new Date() }));

      const results = await Promise.allSettled(
        demoted.map((member, index) =>
          repositories.people.replaceMember(member, owners[index]?.updatedAt ?? new Date(0), UNRECORDED),
        ),
      );

      expect(await rolesOf()).toEqual(['owner', 'viewer']);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'last_owner' });
      const [kept] = (await repositories.people.listMembers(accountId)).filter(({ member }) => member.role === 'owner');
      const removing = repositories.people.deleteMember(accountId, kept?.person.id ?? '', UNRECORDED);
      await expect(removing).rejects.toMatchObject({ code: 'last_owner' });
    });

    it('goes with the account, and the person stays', async () => {
      const member = await add();
      await repositories.access.deleteAccount(accountId);

      expect(await repositories.people.membershipsOf(member.personId)).toEqual([]);
      expect(await repositories.people.find(member.personId)).toBeDefined();
    });
  });

  describe('the first owner', () => {
    it('is added once, even if ten try at once', async () => {
      const results = await atOnce(10, () => {
        const person = aPerson();
        const member = aMember({ accountId, personId: person.id, role: 'owner' });
        return repositories.people.addFirstOwner(person, member, UNRECORDED);
      });

      expect(fulfilled(results)).toHaveLength(1);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'has_owner' });
      expect(await rolesOf()).toEqual(['owner']);
    });

    it('needs an account', async () => {
      const member = aMember({ accountId: newId(), role: 'owner' });
      const adding = repositories.people.addFirstOwner(aPerson({ id: member.personId }), member, UNRECORDED);
      await expect(adding).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  describe('an invitation', () => {
    it('is found unchanged by its hash and listed, and revoked', async () => {
      const invitation = anInvitation({ accountId, websiteIds: [newId()], role: 'editor', isMailed: true });
      await repositories.people.insertInvitation(invitation, UNRECORDED);

      expect(await repositories.people.findInvitation(invitation.tokenHash)).toStrictEqual(invitation);
      expect(await repositories.people.listInvitations(accountId)).toStrictEqual([invitation]);
      expect(await repositories.people.deleteInvitation(newId(), invitation.id, UNRECORDED)).toBe(false);
      expect(await repositories.people.deleteInvitation(accountId, invitation.id, UNRECORDED)).toBe(true);
      expect(await repositories.people.findInvitation(invitation.tokenHash)).toBeUndefined();
      for (const text of HOSTILE_STRINGS) expect(await repositories.people.findInvitation(text)).toBeUndefined();
    });

    it('replaces an earlier one for the same address, and the link of an earlier start', async () => {
      const all: Invitation[] = [];
      for (const email of ['a@example.com', 'A@Example.com', null, null]) {
        const invitation = anInvitation({
          accountId,
          email,
          expiresAt: email === null ? null : new Date('2026-12-01'),
        });
        await repositories.people.insertInvitation(invitation, UNRECORDED);
        all.push(invitation);
      }

      const open = await repositories.people.listInvitations(accountId);
      expect(open.map(({ id }) => id).sort()).toEqual([all[1]?.id, all[3]?.id].sort());
    });

    it('works once, even if ten use it at once', async () => {
      const invitation = anInvitation({ accountId });
      await repositories.people.insertInvitation(invitation, UNRECORDED);

      const results = await atOnce(10, () => {
        const person = aPerson();
        const member = aMember({ accountId, personId: person.id });
        return repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
      });

      expect(fulfilled(results).filter((isAccepted) => isAccepted)).toHaveLength(1);
      expect(await rolesOf()).toHaveLength(1);
    });

    it('is listed by its address, without case, if it was mailed', async () => {
      const email = `É.${newId()}@example.com`;
      const other = await addAccount(repositories);
      const [late, early] = [
        anInvitation({ accountId, email, isMailed: true, createdAt: new Date('2026-11-21') }),
        anInvitation({ accountId: other, email: email.toUpperCase(), isMailed: true }),
      ];
      for (const invitation of [late, early, anInvitation({ accountId: await addAccount(repositories), email })]) {
        await repositories.people.insertInvitation(invitation, UNRECORDED);
      }

      expect(await repositories.people.listMailedInvitations(email.toLowerCase())).toStrictEqual([early, late]);
      for (const text of HOSTILE_STRINGS) expect(await repositories.people.listMailedInvitations(text)).toEqual([]);
    });

    it('takes nothing away from a member, and makes a member of a group one by hand', async () => {
      const person = aPerson();
      await add({ role: 'owner' });
      await repositories.people.addMember(
        person,
        aMember({ accountId, personId: person.id, isByGroup: true }),
        UNRECORDED,
      );
      await add({ role: 'viewer', websiteIds: [newId()] }, person);
      expect((await repositories.people.membershipsOf(person.id))[0]).toMatchObject({
        role: 'editor',
        websiteIds: null,
        isByGroup: false,
      });
      await add({ role: 'owner' }, person);
      expect(await rolesOf()).toEqual(['owner', 'owner']);
    });

    it(`is one of at most ${MAX_INVITATIONS}`, async () => {
      const invite = (email: string) =>
        repositories.people.insertInvitation(anInvitation({ accountId, email }), UNRECORDED);
      for (let count = 0; count < MAX_INVITATIONS; count += 1) await invite(`${count}@example.com`);

      await expect(invite('more@example.com')).rejects.toMatchObject({ code: 'too_many_invitations' });
      await invite('0@example.com');
      const setup = anInvitation({ accountId, email: null, expiresAt: null });
      await repositories.people.insertInvitation(setup, UNRECORDED);
    });
  });

  describe('a change', () => {
    it('is recorded with its entry, or not at all', async () => {
      const { entry } = await entryOf();
      await add({ role: 'owner' });
      const [last] = await repositories.people.listMembers(accountId);
      await expect(repositories.people.deleteMember(accountId, last?.person.id ?? '', { entry })).rejects.toMatchObject(
        { code: 'last_owner' },
      );
      expect((await repositories.audit.list(wholeAccount(accountId), {}, 10)).entries).toEqual([]);

      const other = await add({ role: 'viewer' });
      await repositories.people.deleteMember(accountId, other.personId, { entry });
      expect((await repositories.audit.list(wholeAccount(accountId), {}, 10)).entries).toEqual([entry]);
    });
  });

  async function entryOf() {
    const subject = { id: newId(), name: 'é' };
    const actor = { type: 'person', id: newId(), label: 'é' } as const;
    const at = new Date('2026-11-20T12:00:00.000Z');
    const about = { action: 'member.deleted', websiteId: null, subject, changes: [] } as const;
    return { entry: { id: newId(), accountId, at, actor, requestId: null, network: null, ...about } };
  }
}
