import { UNRECORDED } from '@hitherto/domain/changes';
import { MAX_LINKS_AN_HOUR, type Person, type PersonLink, type PersonMail } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { aMember, anInvitation, aPerson, aPersonLink } from '@hitherto/testing/people';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const HOUR_MS = 60 * 60_000;

/** The contract of `PersonLinkRepository`. */
export function personLinksContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let person: Person;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    person = aPerson({ email: 'Ægir@Example.com', isVerified: true });
    const invitation = anInvitation({ accountId, email: person.email });
    await repositories.people.insertInvitation(invitation, UNRECORDED);
    const member = aMember({ accountId, personId: person.id });
    await repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
  });

  const add = (overrides: Partial<PersonLink> = {}, mail?: PersonMail) =>
    repositories.personLinks.insert(aPersonLink({ createdAt: NOON, ...overrides }), mail);
  const claim = () => repositories.tasks.claim('mail', NOON, new Date(NOON.getTime() + HOUR_MS));

  it('is found unchanged by its hash, and used once, even if ten do so at once', async () => {
    const link = aPersonLink({ purpose: 'address', personId: person.id, email: 'é@example.com' });
    expect(await repositories.personLinks.insert(link, undefined)).toBe(true);

    expect(await repositories.personLinks.find(link.tokenHash)).toStrictEqual(link);
    const used = fulfilled(await atOnce(10, () => repositories.personLinks.delete(link.tokenHash)));
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1);
    for (const text of [...HOSTILE_STRINGS, link.tokenHash]) {
      expect(await repositories.personLinks.find(text)).toBeUndefined();
      expect(await repositories.personLinks.delete(text)).toBe(false);
    }
  });

  it(`is one of at most ${MAX_LINKS_AN_HOUR} of an address in an hour, compared without case, even if ten come at once`, async () => {
    let count = 0;
    const results = await atOnce(10, () => {
      count += 1;
      return add({ email: count % 2 === 0 ? 'ÆGIR@example.com' : 'ægir@example.com' });
    });

    expect(fulfilled(results).filter((isAdded) => isAdded)).toHaveLength(MAX_LINKS_AN_HOUR);
    expect(await add({ email: 'other@example.com' })).toBe(true);
    expect(await add({ email: 'ægir@example.com', createdAt: new Date(NOON.getTime() + HOUR_MS) })).toBe(true);
  });

  it('is counted for a person by purpose, whatever the address', async () => {
    const of = { purpose: 'address', personId: person.id } as const;
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com'])
      expect(await add({ ...of, email })).toBe(true);

    expect(await add({ ...of, email: 'd@example.com' })).toBe(false);
    expect(await add({ email: 'a@example.com' })).toBe(true);
  });

  it('replaces an earlier one, if it signs in', async () => {
    const links = Array.from({ length: 5 }, () =>
      aPersonLink({ purpose: 'sign_in', personId: person.id, email: null, createdAt: NOON }),
    );
    for (const link of links) expect(await repositories.personLinks.insert(link, undefined)).toBe(true);

    const found = await Promise.all(links.map(({ tokenHash }) => repositories.personLinks.find(tokenHash)));
    expect(found.map((link) => link !== undefined)).toEqual([false, false, false, false, true]);
  });

  it('needs its person', async () => {
    for (const personId of [newId(), 'x']) {
      const adding = add({ purpose: 'address', personId });
      await expect(adding).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('is recorded with its mail, whose token comes back until it was sent', async () => {
    const mail = { id: newId(), at: NOON, about: { kind: 'password_link' }, token: 'é token' } as const;
    await add({}, mail);

    const task = await claim();
    expect(task).toMatchObject({ key: mail.id, websiteId: null, token: 'é token', payload: { about: mail.about } });
    if (task === undefined) return;
    await repositories.tasks.finish(task, 'sent');
    expect(await claim()).toBeUndefined();
  });

  it('has no mail if there are too many', async () => {
    for (let count = 0; count < MAX_LINKS_AN_HOUR; count += 1) await add();
    expect(await add({}, { id: newId(), at: NOON, about: { kind: 'password_link' }, token: 'x' })).toBe(false);
    expect(await claim()).toBeUndefined();
  });

  it('ends with another password or address, or with the person, but not with another name', async () => {
    const own = aPersonLink({ purpose: 'sign_in', personId: person.id, email: null });
    const asked = aPersonLink({ email: person.email.toLowerCase() });
    const other = aPersonLink();
    const addAll = async () => {
      for (const link of [own, asked, other]) await repositories.personLinks.insert(link, undefined);
    };
    const left = async () => {
      const found = [own, asked, other].map(({ tokenHash }) => repositories.personLinks.find(tokenHash));
      return (await Promise.all(found)).map((link) => link !== undefined);
    };
    const after = (before: Person, ms: number) => ({ ...before, updatedAt: new Date(before.updatedAt.getTime() + ms) });
    await addAll();

    await repositories.people.replace(after(person, 1), person.updatedAt, undefined);
    expect(await left()).toEqual([true, true, true]);
    await repositories.people.replace(after(person, 2), after(person, 1).updatedAt, { kept: undefined });
    expect(await left()).toEqual([false, false, true]);
    await repositories.personLinks.insert(own, undefined);
    await repositories.people.delete(person.id, []);
    expect(await left()).toEqual([false, false, true]);
  });

  it('is deleted when it has expired', async () => {
    const link = aPersonLink({ expiresAt: NOON });
    await repositories.personLinks.insert(link, undefined);

    expect(await repositories.personLinks.deleteExpired(new Date(NOON.getTime() - 1))).toBe(0);
    expect(await repositories.personLinks.deleteExpired(NOON)).toBe(1);
    expect(await repositories.personLinks.find(link.tokenHash)).toBeUndefined();
  });

  describe('a mailed invitation', () => {
    it('is recorded with its mail, or not at all', async () => {
      const accountId = await addAccount(repositories);
      const mail = () => ({ id: newId(), at: NOON, about: { kind: 'invitation' }, token: 'token' }) as const;
      await repositories.people.insertInvitation(anInvitation({ accountId }), UNRECORDED, mail());
      const nowhere = repositories.people.insertInvitation(anInvitation(), UNRECORDED, mail());
      await expect(nowhere).rejects.toMatchObject({ code: 'not_found' });

      expect(await claim()).toMatchObject({ payload: { about: { kind: 'invitation' } }, token: 'token' });
      expect(await claim()).toBeUndefined();
    });
  });
}
