import { randomBytes } from 'node:crypto';
import type { Role } from '@hitherto/domain/access';
import { UNRECORDED } from '@hitherto/domain/changes';
import { prepareSetup, SESSION_MS, startSession } from '@hitherto/domain/people';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAccount } from '@hitherto/testing/fixtures';
import { aMember, aPerson } from '@hitherto/testing/people';
import { beforeEach, describe, expect, test } from 'vitest';
import { WEBSITE_PAGES, websitePath } from '../src/shared/paths.ts';
import { faultsOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest, withoutIds } from './support/pages.ts';
import { share } from './support/sharing.ts';

// People: sign-in, setup, invitations, roles (people.md).

const PASSWORD = 'correct horse battery';
type Cookies = Received['cookies'];

let pages: PagesUnderTest;
let owner: Cookies;
let people: string;

beforeEach(async () => {
  pages = await startPagesForTest();
  const token = await setupToken();
  const form = { email: 'Owner@Example.com', name: 'Ægir', password: PASSWORD };
  owner = (await postForm(pages, `/setup/${token}`, form)).cookies;
  people = `/accounts/${pages.accountId}`;
});

async function setupToken(accountId = pages.accountId): Promise<string> {
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
  return (await prepareSetup(deps, accountId, undefined)) ?? '';
}

/** Invites somebody; resolves to the path of the link that the owner gets. */
async function invite(email: string, role: Role, website?: string, by = owner): Promise<string> {
  const form = { email, role, ...(website === undefined ? { reach: 'all' } : { reach: 'some', website }) };
  const { status, text } = await postForm(pages, `${people}/invitations`, form, { cookies: by });
  expect([status, text]).toEqual([201, expect.stringContaining(email)]);
  return new URL(/<code>([^<]*)<\/code>/.exec(text)?.[1] ?? '').pathname;
}

/** Adds somebody, who is then signed in. */
async function join(email: string, role: Role, website?: string): Promise<Cookies> {
  const { status, cookies } = await postForm(pages, await invite(email, role, website), {
    name: email,
    password: PASSWORD,
  });
  expect(status).toBe(303);
  return cookies;
}

const get = (path: string, cookies: Cookies) => pages.send('GET', path, { cookies });
const signInAs = (email: string, password = PASSWORD, sent: object = {}) =>
  postForm(pages, '/sign-in', { email, password }, sent);
const personIdOf = async (email: string) => (await pages.repositories.people.findByEmail(email))?.id ?? '';

describe('the first start', () => {
  test('makes whoever opens its link the owner, signed in', async () => {
    const { text } = await get('/', owner);
    expect(text).toContain('Ægir');
    expect((await get(`${people}/people`, owner)).text).toContain('Owner@Example.com');
  });

  test('has one link, which each start replaces, and which works once', async () => {
    const own = await startPagesForTest();
    const deps = { ...own.repositories, now: own.clock.now, newId, randomBytes };
    const [old = '', link = ''] = [
      await prepareSetup(deps, own.accountId, undefined),
      await prepareSetup(deps, own.accountId, undefined),
    ];
    const form = { email: 'a@example.com', name: 'a', password: PASSWORD };

    expect((await own.send('GET', `/setup/${old}`)).status).toBe(404);
    expect((await own.send('GET', `/setup/${link}`)).status).toBe(200);
    expect((await postForm(own, `/setup/${link}`, form)).status).toBe(303);
    expect((await postForm(own, `/setup/${link}`, { ...form, email: 'b@example.com' })).status).toBe(404);
    expect(await prepareSetup(deps, own.accountId, undefined)).toBeUndefined();
  });

  test.each([
    ['email', { email: 'a' }],
    ['name', { name: ' ' }],
    ['password', { password: 'too short' }],
    ['password', { password: 'password123' }],
    ['password', { email: 'a.long@address.example', password: 'A.Long@Address.example' }],
    ['password', { password: 'x'.repeat(257) }],
  ])('says next to the field what is wrong with %s', async (field, changed) => {
    const own = await startPagesForTest();
    const deps = { ...own.repositories, now: own.clock.now, newId, randomBytes };
    const token = await prepareSetup(deps, own.accountId, undefined);
    const form = { email: 'a@example.com', name: 'a', password: PASSWORD, ...changed };

    const { status, text } = await postForm(own, `/setup/${token}`, form);
    expect([status, Object.keys(faultsOf(text))]).toEqual([422, [field]]);
    expect(text).not.toContain(`value="${PASSWORD}"`);
  });
});

describe('an installation that has keys alone', () => {
  test('lets whoever has a write key of all websites add themself as the first owner, once', async () => {
    const own = await startPagesForTest();
    const add = async (cookies: Cookies, email: string) =>
      postForm(own, '/add-yourself', { email, name: 'a', password: PASSWORD }, { cookies });
    const [{ cookies }, reading] = [await signIn(own), await signIn(own, 'read')];
    expect((await own.send('GET', '/', { cookies })).text).toContain('Add yourself');
    expect((await own.send('GET', '/', { cookies: reading.cookies })).text).not.toContain('Add yourself');

    expect((await add(reading.cookies, 'b@example.com')).status).toBe(409);
    expect((await add(cookies, 'a@example.com')).status).toBe(303);
    const again = (await signIn(own)).cookies;
    expect((await add(again, 'b@example.com')).status).toBe(409);
    expect((await own.send('GET', '/add-yourself', { cookies: again })).status).toBe(409);
    // No password can be tried here.
    const tried = await postForm(
      own,
      '/add-yourself',
      { email: 'a@example.com', name: 'a', password: 'wrong one' },
      { cookies: again },
    );
    expect([tried.status, tried.text]).toEqual([409, expect.stringContaining('has an owner')]);
    expect((await own.send('GET', '/', { cookies: again })).text).not.toContain('Add yourself');
  });
});

describe('signing in', () => {
  test('takes the address without case, and the password', async () => {
    const { status, headers, cookies } = await signInAs('owner@example.COM');
    expect([status, headers.location]).toEqual([303, '/']);
    expect((await get('/', cookies)).text).toContain('Sign out');
    expect(JSON.stringify(pages.logs)).not.toContain(PASSWORD);
  });

  test('says the same of a wrong address and a wrong password', async () => {
    const [one, other] = [await signInAs('owner@example.com', 'wrong'), await signInAs('nobody@example.com', 'wrong')];
    const alike = (response: Received) => ({
      ...withoutIds(response),
      text: response.text.replace(/value="[^"]*@example.com"/, ''),
    });
    expect(one.status).toBe(403);
    expect(alike(one)).toEqual(alike(other));
  });

  test('is limited by network and address, and does not lock out the networks that a person uses', async () => {
    const from = (remoteAddress: string) => ({ remoteAddress });
    await signInAs('owner@example.com', PASSWORD, from('198.51.100.7'));
    for (let count = 0; count < 5; count += 1) await signInAs('owner@example.com', 'wrong', from('203.0.113.7'));
    const blocked = await signInAs('owner@example.com', PASSWORD, from('203.0.113.7'));
    expect([blocked.status, Number(blocked.headers['retry-after'])]).toEqual([429, expect.any(Number)]);

    for (let count = 0; count < 100; count += 1) await signInAs('owner@example.com', 'wrong', from(`10.0.${count}.1`));
    expect((await signInAs('owner@example.com', PASSWORD, from('10.1.0.1'))).status).toBe(429);
    expect((await signInAs('owner@example.com', PASSWORD, from('198.51.100.9'))).status).toBe(303);
  });

  test('leads on to a page of this site only', async () => {
    const leadsTo = async (next: string) => {
      const form = { email: 'owner@example.com', password: PASSWORD, next };
      return (await postForm(pages, '/sign-in', form)).headers.location;
    };
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example/']) {
      expect([next, await leadsTo(next)]).toEqual([next, '/']);
    }
    expect(await leadsTo('/you')).toBe('/you');
  });
});

describe('invitations', () => {
  test('are shown once, work once, for 7 days, and can be revoked', async () => {
    const link = await invite('a@example.com', 'viewer');
    expect((await get(`${people}/people`, owner)).text).not.toContain(link);
    const second = await invite('A@example.com', 'viewer');
    expect((await pages.send('GET', link)).status).toBe(404);
    expect((await pages.send('GET', second)).text).toContain('Ægir invites you');

    const [open] = await pages.repositories.people.listInvitations(pages.accountId);
    await postForm(pages, `${people}/invitations/${open?.id}/revoke`, {}, { cookies: owner });
    expect((await pages.send('GET', second)).status).toBe(404);
    const third = await invite('a@example.com', 'viewer');
    pages.clock.advance(7 * 24 * 60 * 60 * 1000);
    expect((await pages.send('GET', third)).status).toBe(404);
  });

  test('are for one address: somebody else who is signed in changes nothing', async () => {
    const link = await invite('a@example.com', 'owner');
    const other = await join('b@example.com', 'viewer');

    expect((await get(link, other)).text).toContain('signed in as somebody else');
    expect((await postForm(pages, link, {}, { cookies: other })).status).toBe(409);
    expect((await pages.send('GET', link)).status).toBe(200);
  });

  test('record only what they give to somebody who is a member already', async () => {
    const recorded = async () => {
      const { entries } = await pages.repositories.audit.list(wholeAccount(pages.accountId), {}, 100);
      const ofMembers = entries.filter(({ action }) => action.startsWith('member.'));
      return ofMembers.map(({ action, changes }) => [action, changes]);
    };
    const viewer = await join('v@example.com', 'viewer');
    const before = await recorded();

    await postForm(pages, await invite('owner@example.com', 'viewer'), {}, { cookies: owner });
    expect(await recorded()).toEqual(before);
    await postForm(pages, await invite('v@example.com', 'editor'), {}, { cookies: viewer });
    expect(await recorded()).toEqual([
      ['member.updated', [{ field: 'role', before: 'viewer', after: 'editor' }]],
      ...before,
    ]);
  });

  test('need one of the roles', async () => {
    const form = { email: 'a@example.com', role: 'king', reach: 'all' };
    const { status, text } = await postForm(pages, `${people}/invitations`, form, { cookies: owner });
    expect([status, faultsOf(text)]).toEqual([422, { role: ['Choose one of these roles.'] }]);
  });

  test('say that their mail was not sent, and give a link to hand over instead, which verifies nobody', async () => {
    pages = await startPagesForTest({ mailsPeople: true });
    const setup = `/setup/${await setupToken()}`;
    owner = (await postForm(pages, setup, { email: 'o@example.com', name: 'Ægir', password: PASSWORD })).cookies;
    people = `/accounts/${pages.accountId}`;
    const form = { email: 'new@example.com', role: 'viewer', reach: 'all' };
    await postForm(pages, `${people}/invitations`, form, { cookies: owner });
    expect((await get(`${people}/people`, owner)).text).not.toContain('was not sent');
    const { tasks } = pages.repositories;
    const now = pages.clock.now();
    const task = await tasks.claim('mail', now, new Date(now.getTime() + 1));
    if (task !== undefined) await tasks.fail(task, { detail: '550 <no> mailbox', at: now }, undefined);

    const { text } = await get(`${people}/people`, owner);
    expect(text).toContain('The mail was not sent: 550 &lt;no> mailbox');
    const action = /action="([^"]*\/link)"/.exec(text)?.[1] ?? '';
    const handed = await postForm(pages, action, {}, { cookies: owner });
    const link = new URL(/<code>([^<]*)<\/code>/.exec(handed.text)?.[1] ?? '').pathname;
    expect([handed.status, handed.text.includes('was not sent')]).toEqual([201, false]);
    expect((await postForm(pages, link, { name: 'New', password: PASSWORD })).status).toBe(303);
    expect(await pages.repositories.people.findByEmail('new@example.com')).toMatchObject({ isVerified: false });
    expect((await postForm(pages, action, {}, { cookies: owner })).status).toBe(303);
  });

  test('take a person who has a sign-in into another account', async () => {
    const second = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
    const token = await prepareSetup(second, pages.otherAccountId, undefined);
    const form = { email: 'other@example.com', name: 'Other', password: PASSWORD };
    const { cookies } = await postForm(pages, `/setup/${token}`, form);
    const website = await pages.addWebsite({ url: 'https://first.example' });
    const link = await invite('other@example.com', 'viewer');

    expect((await postForm(pages, link, { name: 'x', password: PASSWORD })).status).toBe(409);
    expect((await postForm(pages, link, {}, { cookies })).status).toBe(303);
    const home = (await get('/', cookies)).text;
    expect(home).toContain('first.example');
    expect(home).toContain('Ægir &amp; Söhne');
    expect((await get(`/?account=${pages.otherAccountId}`, cookies)).text).not.toContain('first.example');
    expect((await get(`/websites/${website.id}`, cookies)).status).toBe(403);
  });

  test('lead whoever owns two accounts to the pages of both by links', async () => {
    const second = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
    const token = await prepareSetup(second, pages.otherAccountId, undefined);
    const form = { email: 'both@example.com', name: 'Both', password: PASSWORD };
    const { cookies } = await postForm(pages, `/setup/${token}`, form);
    await postForm(pages, await invite('both@example.com', 'owner'), {}, { cookies });

    const reached = new Set(['/']);
    for (const path of reached) {
      const { headers, text } = await get(path, cookies);
      const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
      for (const link of [...links, String(headers.location)]) {
        if (link.startsWith('/accounts/') || link === '/webhooks') reached.add(link);
      }
    }

    for (const id of [pages.accountId, pages.otherAccountId]) {
      for (const page of ['/people', '/keys', '/webhooks', '']) expect(reached).toContain(`/accounts/${id}${page}`);
      const added = await postForm(
        pages,
        `/accounts/${id}/webhooks/new`,
        { url: 'https://hooks.example/a', format: 'json', 'website.updated': '1' },
        { cookies },
      );
      expect([added.status, await pages.repositories.webhooks.list({ accountId: id })]).toMatchObject([201, [{}]]);
    }
  });

  test('take nobody into more than 100 accounts', async () => {
    const { people, access } = pages.repositories;
    const person = aPerson({ email: 'a@example.com' });
    for (let count = 0; count < 100; count += 1) {
      const account = anAccount({ id: newId(), name: `account ${count}` });
      await access.insertAccount(account, UNRECORDED);
      const member = aMember({ accountId: account.id, personId: person.id, role: 'owner' });
      await people.addFirstOwner(person, member, UNRECORDED);
    }
    const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
    const browser = { browser: null, network: null };
    const cookie = await startSession(deps, { personId: person.id }, browser, SESSION_MS);
    const link = await invite('a@example.com', 'viewer');

    const { status, text } = await postForm(pages, link, {}, { cookies: { hitherto_session: cookie } });
    expect([status, text]).toEqual([422, expect.stringContaining('at most 100 accounts')]);
  });

  test('are for all websites, or for at least one', async () => {
    await pages.addWebsite();
    const form = { email: 'a@example.com', role: 'viewer', reach: 'some' };
    const { status, text } = await postForm(pages, `${people}/invitations`, form, { cookies: owner });
    expect([status, Object.keys(faultsOf(text))]).toEqual([422, ['websites']]);
  });

  test('keep their address out of every referrer', async () => {
    const { headers } = await pages.send('GET', await invite('a@example.com', 'viewer'));
    expect(headers['referrer-policy']).toBe('strict-origin');
  });
});

describe('roles', () => {
  let shown: string;
  let hidden: string;

  beforeEach(async () => {
    shown = (await pages.addWebsite({ url: 'https://shown.example', privacy: 'private' })).id;
    hidden = (await pages.addWebsite({ url: 'https://hidden.example', privacy: 'private' })).id;
  });

  test('a viewer sees statistics and what was not counted, and no settings', async () => {
    const viewer = await join('viewer@example.com', 'viewer', shown);

    const statistics = await get(`/statistics/${shown}`, viewer);
    expect([statistics.status, statistics.text.match(/\/websites\/[^"]*/g)]).toEqual([200, null]);
    for (const page of WEBSITE_PAGES) {
      const { status } = await get(websitePath(shown, page), viewer);
      expect([page, status]).toEqual([page, page === 'dropped' ? 200 : 403]);
    }
    expect((await get(websitePath(shown, 'dropped'), viewer)).text).not.toContain(websitePath(shown, 'goals'));
    const home = (await get('/', viewer)).text;
    expect(home).toContain('shown.example');
    for (const text of ['hidden.example', 'Add a website', 'Webhooks', 'People', websitePath(shown)]) {
      expect(home).not.toContain(text);
    }
  });

  test('an editor of some websites changes their settings, and adds or deletes none', async () => {
    const editor = await join('editor@example.com', 'editor', shown);

    for (const page of WEBSITE_PAGES) {
      const { status } = await get(websitePath(shown, page), editor);
      expect([page, status]).toEqual([page, page === 'delete' || page === 'move' ? 403 : 200]);
    }
    for (const path of ['/websites/new', '/webhooks', `${people}/webhooks`, `${people}/people`]) {
      expect([path, (await get(path, editor)).status]).toEqual([path, 403]);
    }
  });

  test('an editor of all websites adds them and their webhooks, and manages nobody', async () => {
    const editor = await join('editor@example.com', 'editor');

    const added = await postForm(pages, '/websites', { url: 'https://new.example' }, { cookies: editor });
    expect(added.status).toBe(303);
    const { entries } = await pages.repositories.audit.list(wholeAccount(pages.accountId), {}, 1);
    expect(entries[0]?.actor).toEqual({
      type: 'person',
      id: await personIdOf('editor@example.com'),
      label: 'editor@example.com',
    });
    expect((await get('/webhooks', editor)).headers.location).toBe(`${people}/webhooks`);
    expect((await get(`${people}/webhooks`, editor)).status).toBe(200);
    expect((await get(`${people}/people`, editor)).status).toBe(403);
    expect(
      (await postForm(pages, `${people}/invitations`, { email: 'x@example.com' }, { cookies: editor })).status,
    ).toBe(403);
  });

  test("other websites are those of an unknown id, byte for byte, also for another account's owner", async () => {
    const viewer = await join('viewer@example.com', 'viewer', shown);
    for (const path of [(id: string) => `/statistics/${id}`, (id: string) => websitePath(id, 'dropped')]) {
      const [one, unknown] = [await get(path(hidden), viewer), await get(path(newId()), viewer)];
      const alike = (response: Received) => {
        const { text, ...rest } = withoutIds(response);
        return { ...rest, text: text.replace(/Request [\w-]+/, '') };
      };
      expect([one.status, alike(one)]).toEqual([404, alike(unknown)]);
    }
    for (const path of [`/accounts/${pages.otherAccountId}/people`, `/accounts/${newId()}/people`]) {
      expect((await get(path, owner)).status).toBe(404);
    }
  });

  test('change with the next request, and removal ends them', async () => {
    const viewer = await join('viewer@example.com', 'viewer', shown);
    const one = `${people}/people/${await personIdOf('viewer@example.com')}`;

    expect((await postForm(pages, one, { role: 'editor', website: shown }, { cookies: owner })).status).toBe(303);
    expect((await get(websitePath(shown), viewer)).status).toBe(200);
    expect((await postForm(pages, `${one}/remove`, {}, { cookies: owner })).status).toBe(303);
    expect((await get(`/statistics/${shown}`, viewer)).status).toBe(404);
    const { text } = await get('/', viewer);
    expect([text.includes('shown.example'), text.includes('key')]).toEqual([false, false]);
    expect((await postForm(pages, `${one}/remove`, {}, { cookies: owner })).status).toBe(303);
  });

  test('are not changed by a form that shows earlier ones, or names no role', async () => {
    await join('editor@example.com', 'editor', shown);
    const one = `${people}/people/${await personIdOf('editor@example.com')}`;
    const grantNow = async () => {
      const members = await pages.repositories.people.listMembers(pages.accountId);
      const { role, websiteIds } = members.find(({ person }) => person.email === 'editor@example.com')?.member ?? {};
      return [role, websiteIds];
    };
    const version = /name="version" value="([^"]+)"/.exec((await get(one, owner)).text)?.[1] ?? '';
    const send = (form: Record<string, string>) => postForm(pages, one, { version, ...form }, { cookies: owner });

    const unknown = await send({ role: 'king', reach: 'all' });
    expect([unknown.status, faultsOf(unknown.text)]).toEqual([422, { role: ['Choose one of these roles.'] }]);
    expect(await grantNow()).toEqual(['editor', [shown]]);
    expect((await send({ role: 'viewer', reach: 'all' })).status).toBe(303);
    const stale = await send({ role: 'owner' });
    expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('changed elsewhere')]);
    expect(await grantNow()).toEqual(['viewer', null]);
    expect((await send({ role: 'viewer', reach: 'all' })).status).toBe(303);
  });

  test('the last owner stays', async () => {
    const one = `${people}/people/${await personIdOf('owner@example.com')}`;
    for (const [path, form] of [
      [one, { role: 'viewer', reach: 'all' }],
      [`${one}/remove`, {}],
    ] as const) {
      const { status, text } = await postForm(pages, path, form, { cookies: owner });
      expect([status, text]).toEqual([409, expect.stringContaining('last owner')]);
    }
    expect((await get(`${people}/people`, owner)).text).toContain('There is one owner');
  });
});

describe('who is signed in', () => {
  test('stands on every page of statistics but embedded ones, with the way to /you', async () => {
    const website = await pages.addWebsite({ url: 'https://first.example', privacy: 'public' });
    const foreign = await pages.addWebsite({ url: 'https://other.example', privacy: 'public' }, pages.otherAccountId);
    const { path: shared } = await share(pages, website, {});
    const who = /<a class="who" href="\/you"><bdi>Ægir<\/bdi><\/a>/;

    for (const path of [`/statistics/${website.id}`, `/statistics/${website.id}/by/page`, shared]) {
      expect([path, (await get(path, owner)).text]).toEqual([path, expect.stringMatching(who)]);
      expect((await get(path, {})).text).not.toMatch(/class="who"/);
      expect((await get(`${path}?embed=1`, owner)).text).not.toMatch(/class="who"/);
    }
    const { text } = await get(`/statistics/${foreign.id}`, owner);
    expect(text).toMatch(who);
    expect(text).not.toContain(websitePath(foreign.id));
    expect((await get('/', owner)).text).toMatch(who);
  });
});

describe('you', () => {
  test('a new password needs the present one, and signs all other browsers out', async () => {
    const other = (await signInAs('owner@example.com')).cookies;
    const change = (current_password: string, password: string) =>
      postForm(pages, '/you/password', { current_password, password }, { cookies: owner });

    expect(faultsOf((await change('wrong', 'another long password')).text)).toHaveProperty('current_password');
    expect(faultsOf((await change(PASSWORD, 'short')).text)).toHaveProperty('password');
    expect((await change(PASSWORD, 'another long password')).status).toBe(303);
    expect((await get('/you', owner)).status).toBe(200);
    expect((await get('/you', other)).status).toBe(303);
    expect((await signInAs('owner@example.com')).status).toBe(403);
    expect((await signInAs('owner@example.com', 'another long password')).status).toBe(303);
  });

  test('the present password can be guessed no faster than at the sign-in', async () => {
    const form = { current_password: 'wrong', password: 'another long password' };
    const change = (current_password: string) =>
      postForm(pages, '/you/password', { ...form, current_password }, { cookies: owner });

    for (let count = 0; count < 5; count += 1) expect((await change('wrong')).status).toBe(422);
    const blocked = await change(PASSWORD);
    expect([blocked.status, Number(blocked.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect((await signInAs('owner@example.com')).status).toBe(429);
  });

  test('sessions are listed with browser and network, and ended one by one or all others at once', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
    const headers = { origin: 'https://stats.example', 'user-agent': agent };
    const other = (await signInAs('owner@example.com', PASSWORD, { headers, remoteAddress: '203.0.113.7' })).cookies;
    const { text } = await get('/you', owner);
    expect(text).toContain('203.0.113.0/24');

    await postForm(pages, '/you/sessions', {}, { cookies: owner });
    expect((await get('/you', other)).status).toBe(303);
    expect((await get('/you', owner)).status).toBe(200);
    const own = /name="session" value="(\w+)"/.exec((await get('/you', owner)).text)?.[1] ?? '';
    await postForm(pages, '/you/sessions', { session: own }, { cookies: owner });
    expect((await get('/you', owner)).status).toBe(303);
  });

  test('is not for keys', async () => {
    const { cookies } = await signIn(pages);
    expect((await get('/you', cookies)).status).toBe(403);
    expect((await get(`${people}/people`, cookies)).status).toBe(403);
  });

  test('a name changes, and is text everywhere', async () => {
    await postForm(pages, '/you/name', { name: '<b>é 🦊</b>' }, { cookies: owner });
    const { text } = await get('/', owner);
    expect(text).toContain('&lt;b>é 🦊&lt;/b>');
  });
});
