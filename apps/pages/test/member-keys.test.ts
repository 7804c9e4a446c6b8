import { randomBytes } from 'node:crypto';
import type { Role } from '@hitherto/domain/access';
import { prepareSetup } from '@hitherto/domain/people';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, formOf, postForm } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';

// Keys of members and of accounts, and the pages of an account (people.md, "Keys" and "The pages").

const PASSWORD = 'correct horse battery';
type Cookies = Received['cookies'];

let pages: PagesUnderTest;
let owner: Cookies;
let account: string;
let shown: string;
let hidden: string;

beforeEach(async () => {
  pages = await startPagesForTest();
  const token = await prepareSetup(
    { ...pages.repositories, now: pages.clock.now, newId, randomBytes },
    pages.accountId,
    undefined,
  );
  const form = { email: 'owner@example.com', name: 'Ægir', password: PASSWORD };
  owner = (await postForm(pages, `/setup/${token}`, form)).cookies;
  account = `/accounts/${pages.accountId}`;
  shown = (await pages.addWebsite({ url: 'https://shown.example', privacy: 'private' })).id;
  hidden = (await pages.addWebsite({ url: 'https://hidden.example', privacy: 'private' })).id;
});

/** Adds somebody, who is then signed in. */
async function join(email: string, role: Role, website?: string): Promise<Cookies> {
  const grant = website === undefined ? { reach: 'all' } : { reach: 'some', website };
  const { text } = await postForm(pages, `${account}/invitations`, { email, role, ...grant }, { cookies: owner });
  const link = new URL(/<code>([^<]*)<\/code>/.exec(text)?.[1] ?? '').pathname;
  return (await postForm(pages, link, { name: email, password: PASSWORD })).cookies;
}

const get = (path: string, cookies: Cookies) => pages.send('GET', path, { cookies });
const create = (path: string, form: Record<string, string>, cookies: Cookies) =>
  postForm(pages, path, { label: '', website_ids: '', expires_in: '', scope: 'read', ...form }, { cookies });
const keyIn = ({ text }: Received) => /<code>(hto_\w+)<\/code>/.exec(text)?.[1] ?? '';
/** The websites that somebody sees who signs in with a key. */
const seenWith = async (key: string) => {
  const { status, cookies } = await postForm(pages, '/sign-in', { key });
  if (status !== 303) return status;
  const { text } = await get('/', cookies);
  return ['shown.example', 'hidden.example'].filter((name) => text.includes(name));
};
const personIdOf = async (email: string) => (await pages.repositories.people.findByEmail(email))?.id ?? '';

describe('an own key', () => {
  test('is shown once, and acts with no more than the rights of its person', async () => {
    const editor = await join('editor@example.com', 'editor', shown);
    const made = await create('/you/keys', { label: 'é 🦊', scope: 'write' }, editor);

    expect([made.status, keyIn(made)]).toEqual([201, expect.stringMatching(/^hto_/)]);
    const { text } = await get('/you', editor);
    expect([text.includes('é 🦊'), text.includes(keyIn(made))]).toEqual([true, false]);
    expect(await seenWith(keyIn(made))).toEqual(['shown.example']);
    expect(JSON.stringify(pages.logs)).not.toContain(keyIn(made));
  });

  test('of a viewer only reads', async () => {
    const viewer = await join('viewer@example.com', 'viewer', shown);

    const rejected = await create('/you/keys', { scope: 'write' }, viewer);
    expect([rejected.status, Object.keys(faultsOf(rejected.text))]).toEqual([422, ['scope']]);
    const { cookies } = await postForm(pages, '/sign-in', { key: keyIn(await create('/you/keys', {}, viewer)) });
    expect((await get(`/statistics/${shown}`, cookies)).status).toBe(200);
    const { status, text } = await get(`/websites/${shown}`, cookies);
    expect([status, text]).toEqual([403, expect.stringContaining('An owner of the account can give you the right')]);
  });

  test('obeys with the next request when its person gets other rights, and ends with the membership', async () => {
    const editor = await join('editor@example.com', 'editor');
    const key = keyIn(await create('/you/keys', { scope: 'write' }, editor));
    const { cookies } = await postForm(pages, '/sign-in', { key });
    const person = `${account}/people/${await personIdOf('editor@example.com')}`;
    expect((await get(`/websites/${hidden}`, cookies)).status).toBe(200);

    await postForm(pages, person, { role: 'viewer', reach: 'some', website: shown }, { cookies: owner });
    expect((await get(`/websites/${hidden}`, cookies)).status).toBe(404);
    expect((await get(`/statistics/${hidden}`, cookies)).status).toBe(404);
    expect((await get(person, owner)).text).toContain('These keys stop with it');
    await postForm(pages, `${person}/remove`, {}, { cookies: owner });
    expect((await get('/', cookies)).text).toContain('Sign in');
    expect(await seenWith(key)).toBe(403);
  });

  test('can be limited to websites that its person has', async () => {
    const editor = await join('editor@example.com', 'editor', shown);

    const foreign = await create('/you/keys', { website_ids: 'shown.example\r\nhidden.example' }, editor);
    expect([foreign.status, Object.keys(faultsOf(foreign.text))]).toEqual([422, ['website_ids']]);
    const made = await create('/you/keys', { website_ids: 'https://shown.example\r\n', label: 'one' }, owner);
    expect(await seenWith(keyIn(made))).toEqual(['shown.example']);
  });

  test.each([
    ['label', { label: 'x'.repeat(101) }],
    ['expires_in', { expires_in: 'soon' }],
    ['website_ids', { website_ids: 'nowhere.example' }],
  ])('says next to the field what is wrong with %s', async (field, form) => {
    const { status, text } = await create('/you/keys', form, owner);
    expect([status, Object.keys(faultsOf(text))]).toEqual([422, [field]]);
  });

  test('is revoked by its person, and by nobody else', async () => {
    const viewer = await join('viewer@example.com', 'viewer');
    const [own, other] = [await create('/you/keys', {}, viewer), await create('/you/keys', {}, owner)].map(keyIn);
    const keys = await pages.repositories.access.listKeys(pages.accountId);
    for (const { id } of keys) await postForm(pages, `/you/keys/${id}/revoke`, {}, { cookies: viewer });

    expect(await seenWith(own ?? '')).toBe(403);
    expect(await seenWith(other ?? '')).toEqual(['shown.example', 'hidden.example']);
  });

  test('is one of at most 20', async () => {
    for (let count = 0; count < 20; count += 1) expect((await create('/you/keys', {}, owner)).status).toBe(201);
    const { status, text } = await create('/you/keys', {}, owner);
    expect([status, Object.keys(faultsOf(text))]).toEqual([422, ['label']]);
  });

  test('is made by no key', async () => {
    const { cookies } = await postForm(pages, '/sign-in', { key: await pages.issueKey(pages.accountId) });
    for (const path of ['/you/keys', `${account}/keys`]) {
      expect([path, (await create(path, {}, cookies)).status]).toEqual([path, 403]);
    }
  });

  test('is of one of the accounts that the person is in', async () => {
    const other = await create('/you/keys', { account: pages.otherAccountId }, owner);
    expect(other.status).toBe(201);
    expect(await pages.repositories.access.listKeys(pages.otherAccountId)).toEqual([]);
  });
});

describe('the keys of an account', () => {
  test('are those of the account and of its members, which an owner revokes', async () => {
    const made = keyIn(await create(`${account}/keys`, { label: 'deploy', scope: 'write' }, owner));
    const viewer = await join('viewer@example.com', 'viewer');
    const theirs = keyIn(await create('/you/keys', { label: 'dashboard' }, viewer));
    const { text } = await get(`${account}/keys`, owner);
    for (const shownText of ['deploy', 'of the account', 'dashboard', 'of viewer@example.com', 'never used']) {
      expect(text).toContain(shownText);
    }

    for (const { id } of await pages.repositories.access.listKeys(pages.accountId)) {
      await postForm(pages, `${account}/keys/${id}/revoke`, {}, { cookies: owner });
    }
    expect([await seenWith(made), await seenWith(theirs)]).toEqual([403, 403]);
    const changes = await pages.repositories.audit.list(wholeAccount(pages.accountId), {}, 10);
    expect(changes.entries.map(({ action, actor }) => `${action} ${actor.type}`).slice(0, 2)).toEqual([
      'key.revoked person',
      'key.revoked person',
    ]);
  });

  test("are no business of other roles, and another account's keys are not revoked there", async () => {
    const editor = await join('editor@example.com', 'editor');
    const foreign = await pages.issueKey(pages.otherAccountId);
    const [key] = await pages.repositories.access.listKeys(pages.otherAccountId);
    await postForm(pages, `${account}/keys/${key?.id}/revoke`, {}, { cookies: owner });

    expect((await postForm(pages, '/sign-in', { key: foreign })).status).toBe(303);
    for (const path of ['keys', '', 'people'].map((page) => `${account}/${page}`.replace(/\/$/, ''))) {
      expect([path, (await get(path, editor)).status]).toEqual([path, 403]);
      const [other, unknown] = await Promise.all(
        [pages.otherAccountId, newId()].map(async (id) => get(path.replace(pages.accountId, id), owner)),
      );
      expect([path, other?.status, unknown?.status]).toEqual([path, 404, 404]);
    }
  });
});

describe('an account', () => {
  const change = async (form: Record<string, string>) => {
    const { text } = await get(account, owner);
    return postForm(pages, account, { ...formOf(text), ...form }, { cookies: owner });
  };
  const stored = () => pages.repositories.access.findAccount(pages.accountId);

  test('has a name and an address', async () => {
    const { headers } = await change({ name: 'é 🦊', email: 'reports@example.com' });

    expect(headers.location).toBe(`${account}?saved`);
    expect(await stored()).toMatchObject({ name: 'é 🦊', email: { address: 'reports@example.com' } });
  });

  test('keeps what was changed elsewhere meanwhile', async () => {
    const before = formOf((await get(account, owner)).text);
    await change({ email: 'reports@example.com' });
    await postForm(pages, account, { ...before, name: 'new' }, { cookies: owner });

    expect(await stored()).toMatchObject({ name: 'new', email: { address: 'reports@example.com' } });
  });

  test.each([
    [422, 'name', { name: ' ' }],
    [422, 'email', { email: 'a' }],
    [409, 'name', { name: 'other' }],
  ])('%s: says next to the field what is wrong with %s', async (status, field, form) => {
    const rejected = await change(form);
    expect([rejected.status, Object.keys(faultsOf(rejected.text))]).toEqual([status, [field]]);
  });
});
