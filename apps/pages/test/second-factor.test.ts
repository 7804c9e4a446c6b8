import { randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { prepareSetup } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { totpCode } from '@hitherto/testing/totp-code';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, formAt, postForm } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';

// The second factor of people, and accounts that require it (people.md, "The second factor").

const PASSWORD = 'correct horse battery';
const EMAIL = 'owner@example.com';
const APP = '/you/second-factor/app';
type Cookies = Received['cookies'];

let pages: PagesUnderTest;
let owner: Cookies;

beforeEach(async () => {
  pages = await startPagesForTest();
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
  const token = await prepareSetup(deps, pages.accountId, undefined);
  owner = (await postForm(pages, `/setup/${token}`, { email: EMAIL, name: 'Ægir', password: PASSWORD })).cookies;
});

const get = (path: string, cookies: Cookies) => pages.send('GET', path, { cookies });
const signIn = (sent: object = {}, next?: string) =>
  postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD, ...(next === undefined ? {} : { next }) }, sent);
const sendCode = (code: string, cookies: Cookies, form: object = {}, sent: object = {}) =>
  postForm(pages, '/sign-in/second-factor', { code, ...form }, { cookies, ...sent });
const isIn = async (cookies: Cookies) => (await get('/you', cookies)).status === 200;
const codesOn = ({ text }: Pick<Received, 'text'>) =>
  [...text.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, code = '']) => code);

/** Turns the owner's second factor on; resolves to the secret and the recovery codes. */
async function turnOn(cookies = owner) {
  const { secret = '' } = formAt((await get(APP, cookies)).text, APP) ?? {};
  const code = totpCode(secret, pages.clock.now());
  const response = await postForm(pages, APP, { secret, code, current_password: PASSWORD }, { cookies });
  expect(response.status).toBe(201);
  // The code that has confirmed the app is used up.
  pages.clock.advance(30_000);
  return { secret, recovery: codesOn(response), now: () => totpCode(secret, pages.clock.now()) };
}

describe('turning the second factor on', () => {
  test('shows the secret as a picture and as text, and takes a code of it with the password', async () => {
    const { text } = await get(APP, owner);
    const { secret = '' } = formAt(text, APP) ?? {};
    expect(text).toMatch(/<svg class="qr"/);
    expect(text).toContain(secret.match(/.{4}/g)?.join(' '));
    const send = (form: object) =>
      postForm(pages, APP, { secret, code: '000000', current_password: PASSWORD, ...form }, { cookies: owner });

    const code = totpCode(secret, pages.clock.now());
    const rejected = await send({});
    expect([rejected.status, Object.keys(faultsOf(rejected.text))]).toEqual([422, ['code']]);
    expect(formAt(rejected.text, APP)).toMatchObject({ secret });
    expect(faultsOf((await send({ code, current_password: 'wrong' })).text)).toHaveProperty('current_password');
    expect(faultsOf((await send({ code, secret: 'not one' })).text)).toHaveProperty('code');
    const done = await send({ code });
    expect([done.status, new Set(codesOn(done)).size]).toEqual([201, 8]);
    expect((await get(APP, owner)).headers.location).toBe('/you');
    expect(JSON.stringify(pages.logs)).not.toContain(secret);
  });

  test('and off, ends all other sessions', async () => {
    const other = (await signIn()).cookies;
    const { now } = await turnOn();
    expect([await isIn(owner), await isIn(other)]).toEqual([true, false]);

    const third = (await sendCode(now(), (await signIn()).cookies)).cookies;
    expect(await isIn(third)).toBe(true);
    const off = (current_password: string) =>
      postForm(pages, '/you/second-factor/off', { current_password }, { cookies: owner });
    expect((await off('wrong')).status).toBe(422);
    expect((await off(PASSWORD)).status).toBe(303);
    expect([await isIn(owner), await isIn(third)]).toEqual([true, false]);
    expect(await isIn((await signIn()).cookies)).toBe(true);
  });

  test('is told to the person', async () => {
    await turnOn();
    await postForm(pages, '/you/second-factor/off', { current_password: PASSWORD }, { cookies: owner });
    const later = new Date(pages.clock.now().getTime() + 1);
    const claimed = [await claim(later), await claim(later)];
    expect(claimed).toEqual(['second_factor_on', 'second_factor_off']);
  });
});

async function claim(at: Date): Promise<unknown> {
  const task = await pages.repositories.tasks.claim('mail', at, new Date(at.getTime() + 60_000));
  return JSON.parse(JSON.stringify(task?.payload)).about.notice.kind;
}

describe('signing in with a second factor', () => {
  test('asks for it after the password, and leads on', async () => {
    const { now } = await turnOn();
    const { headers, cookies } = await signIn({}, '/you?x=1');
    expect(headers.location).toBe('/sign-in/second-factor?next=%2Fyou%3Fx%3D1');
    expect([Object.keys(cookies), await isIn(cookies)]).toEqual([['hitherto_sign_in'], false]);
    const { text } = await get(`${headers.location}`, cookies);
    expect(formAt(text, '/sign-in/second-factor')).toEqual({ next: '/you?x=1', code: '' });

    const done = await sendCode(` ${now().replace(/(...)/, '$1 ')} `, cookies, { next: '/you?x=1' });
    expect([done.status, done.headers.location]).toEqual([303, '/you?x=1']);
    expect(await isIn(done.cookies)).toBe(true);
  });

  test('leads on to a page of this site only', async () => {
    const { recovery } = await turnOn();
    for (const [index, to] of ['//evil.example', '/\\evil.example', 'https://evil.example/'].entries()) {
      const { headers, cookies } = await signIn({}, to);
      expect(headers.location).toBe('/sign-in/second-factor');
      expect((await sendCode(recovery[index] ?? '', cookies, { next: to })).headers.location).toBe('/');
    }
  });

  test('takes a code for 30 seconds before and after, once, in one sign-in', async () => {
    const { secret } = await turnOn();
    const later = (seconds: number) => totpCode(secret, new Date(pages.clock.now().getTime() + seconds * 1000));
    const tryWith = async (code: string) => (await sendCode(code, (await signIn()).cookies)).status;

    expect([await tryWith(later(-60)), await tryWith(later(60)), await tryWith(later(30))]).toEqual([403, 403, 303]);
    // The same code, and the one before it.
    expect([await tryWith(later(30)), await tryWith(later(0))]).toEqual([403, 403]);
  });

  test('takes each recovery code once, however it is typed, and no more after new ones were made', async () => {
    const { recovery } = await turnOn();
    const [one = '', other = ''] = recovery;
    const tryWith = async (code: string) => (await sendCode(code, (await signIn()).cookies)).status;

    expect([await tryWith(one), await tryWith(one)]).toEqual([303, 403]);
    expect(await tryWith(other.toUpperCase().replaceAll('-', ' '))).toBe(303);
    expect((await get('/you', owner)).text).toContain('6 of 8 recovery codes');
    const renewed = await postForm(
      pages,
      '/you/second-factor/codes',
      { current_password: PASSWORD },
      { cookies: owner },
    );
    expect(codesOn(renewed)).toHaveLength(8);
    expect([await tryWith(recovery[2] ?? ''), await tryWith(codesOn(renewed)[0] ?? '')]).toEqual([403, 303]);
    expect((await get('/you', owner)).text).not.toContain(codesOn(renewed)[1]);
  });

  test('ends after 5 wrong codes, even if they are sent at once, and 10 minutes', async () => {
    const { now } = await turnOn();
    const { cookies } = await signIn();
    const from = (network: number) => ({ remoteAddress: `10.0.${network}.1` });
    const tries = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7].map((network) => sendCode('000000', cookies, {}, from(network))),
    );
    expect(tries.map(({ text }) => text.includes('has ended')).filter(Boolean)).toHaveLength(3);
    expect((await sendCode(now(), cookies, {}, from(8))).text).toContain('has ended');

    const late = (await signIn()).cookies;
    pages.clock.advance(10 * 60_000);
    expect((await sendCode(now(), late)).text).toContain('has ended');
    expect((await get('/sign-in/second-factor', late)).headers.location).toBe('/');
  });

  test('lets nobody guess codes in sign-in after sign-in', async () => {
    const { now } = await turnOn();
    for (let count = 0; count < 5; count += 1) await sendCode('000000', (await signIn()).cookies);
    const blocked = await sendCode(now(), (await signIn()).cookies);
    expect([blocked.status, Number(blocked.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  });

  test('belongs to one browser: no cookie, none of two, no session of before', async () => {
    const { now } = await turnOn();
    const { cookies } = await signIn();
    const name = 'hitherto_sign_in';
    const twice = `${name}=${cookies[name]}; ${name}=${cookies[name]}`;
    const headers = { origin: 'https://stats.example', cookie: twice };
    expect((await postForm(pages, '/sign-in/second-factor', { code: now() }, { headers })).status).toBe(403);
    expect((await sendCode(now(), {})).status).toBe(403);
    expect(await isIn({ hitherto_session: cookies[name] ?? '' })).toBe(false);

    const done = await sendCode(now(), { ...cookies, ...owner });
    expect(done.cookies.hitherto_session).not.toBe(owner.hitherto_session);
    expect([await isIn(done.cookies), await isIn(owner)]).toEqual([true, false]);
    expect((await sendCode(now(), cookies)).status).toBe(403);
  });

  test('ends with a changed password', async () => {
    const { now } = await turnOn();
    const { cookies } = await signIn();
    const form = { current_password: PASSWORD, password: 'another long password' };
    await postForm(pages, '/you/password', form, { cookies: owner });
    expect((await sendCode(now(), cookies)).text).toContain('has ended');
  });
});

describe('an account that requires a second factor', () => {
  test('shows members without one nothing but /you, where they are told what to do', async () => {
    const website = await pages.addWebsite({ privacy: 'private' });
    await pages.repositories.access.updateAccount(pages.accountId, { requiresSecondFactor: true }, UNRECORDED);

    const people = `/accounts/${pages.accountId}/people`;
    for (const path of ['/', people, '/websites/new', '/webhooks', `/websites/${website.id}`, '/websites/x/goals']) {
      const { status, headers } = await get(path, owner);
      expect([path, status, headers.location]).toEqual([path, 303, '/you']);
    }
    expect((await get(`/statistics/${website.id}`, owner)).status).toBe(404);
    const { status, text } = await postForm(pages, '/websites', { url: 'https://x.example' }, { cookies: owner });
    expect([status, text]).toEqual([403, expect.stringContaining('second factor')]);
    expect((await get('/you', owner)).text).toContain('requires a second factor');

    await turnOn();
    expect((await get('/you', owner)).text).not.toContain('requires a second factor');
    expect((await get(`/statistics/${website.id}`, owner)).status).toBe(200);
    expect((await get(people, owner)).text).toContain('· second factor ·');
  });

  test('is required by an owner who has one', async () => {
    const path = `/accounts/${pages.accountId}`;
    const require = async () => {
      const form = formAt((await get(path, owner)).text, path);
      return postForm(pages, path, { ...form, requires_second_factor: '1' }, { cookies: owner });
    };

    const rejected = await require();
    expect([rejected.status, Object.keys(faultsOf(rejected.text))]).toEqual([422, ['requires_second_factor']]);
    await turnOn();
    expect((await require()).status).toBe(303);
    expect((await pages.repositories.access.findAccount(pages.accountId))?.requiresSecondFactor).toBe(true);
  });

  test('asks no key for it', async () => {
    await pages.repositories.access.updateAccount(pages.accountId, { requiresSecondFactor: true }, UNRECORDED);
    const { cookies } = await postForm(pages, '/sign-in', { key: await pages.issueKey(pages.accountId) });
    expect((await get('/websites/new', cookies)).status).toBe(200);
  });
});
