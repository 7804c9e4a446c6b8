import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { acceptAsNewPerson, findInvitation, invite, prepareSetup } from '@hitherto/domain/people';
import { createPasswordHasher } from '@hitherto/outside/password-hasher';
import { newId } from '@hitherto/outside/system';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { runs } from '@hitherto/testing/runs';
import { totpCode } from '@hitherto/testing/totp-code';
import { expect, test } from 'vitest';
import { dependenciesOf } from './support/hostile-data.ts';
import { postForm } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest, withoutIds } from './support/pages.ts';

// What the sign-in of people withstands (people.md, "Signing in").

const PASSWORD = 'correct horse battery';
const PEOPLE = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`);
const [EMAIL = ''] = PEOPLE;

async function startWithPeople(overrides: Parameters<typeof startPagesForTest>[0] = {}): Promise<PagesUnderTest> {
  const pages = await startPagesForTest(overrides);
  const deps = {
    ...dependenciesOf(pages),
    passwords: overrides.passwords ?? quickHasher,
    isCommonPassword: () => false,
  };
  const request = { requestId: null, network: null };
  const token = (await prepareSetup(deps, pages.accountId, undefined)) ?? '';
  for (const [index, email] of PEOPLE.entries()) {
    const grant = { role: 'viewer', websiteIds: null } as const;
    const link = index === 0 ? token : (await invite(deps, pages.accountId, { email, ...grant }, 'é', false)).token;
    const invitation = await findInvitation(deps, link);
    if (invitation === undefined) throw new Error('The link leads nowhere.');
    await acceptAsNewPerson({ ...deps, request }, invitation, { email, name: email, password: PASSWORD });
  }
  return pages;
}

/** Tries a password from a network of its own. */
const attempt = (pages: PagesUnderTest, email: string, number: number, password = 'wrong') =>
  postForm(pages, '/sign-in', { email, password }, { remoteAddress: `10.${number >> 8}.${number & 255}.1` });

const isIn = async (pages: PagesUnderTest, cookies: Received['cookies']) =>
  (await pages.send('GET', '/you', { cookies })).status === 200;

test('a wrong address and a wrong password get the same bytes, for one hash of the same cost', async () => {
  const hashes: string[] = [];
  const passwords = createPasswordHasher({ concurrency: 2, waiting: 64 });
  const verify = (hash: string, password: string) => {
    hashes.push(hash);
    return passwords.verify(hash, password);
  };
  const pages = await startWithPeople({ passwords: { ...passwords, verify } });

  const wrong = [await attempt(pages, EMAIL, 1), await attempt(pages, 'x@example.com', 2)];
  const [one, other] = wrong.map((response) => ({
    ...withoutIds(response),
    text: response.text.replace(/value="[^"]*@example.com"/, ''),
  }));
  expect(one).toEqual(other);
  const costs = hashes.map((hash) => hash.split('$').slice(0, 4));
  expect([costs.length, costs[0]]).toEqual([2, costs[1]]);
});

test('response times do not tell whether an address has a sign-in', { timeout: 300_000 }, async () => {
  const pages = await startWithPeople({ passwords: createPasswordHasher({ concurrency: 2, waiting: 64 }) });
  const tries = runs(20, 300);
  const times = { known: [] as number[], unknown: [] as number[] };
  const timed = async (email: string, number: number) => {
    const start = performance.now();
    expect((await attempt(pages, email, number)).status).toBe(403);
    return performance.now() - start;
  };
  await timed('warm@example.com', 65_000);
  for (let index = 0; index < tries; index += 1) {
    times.known.push(await timed(PEOPLE[index % PEOPLE.length] ?? '', 2 * index));
    times.unknown.push(await timed(`x${index}@example.com`, 2 * index + 1));
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const [known, unknown] = [median(times.known), median(times.unknown)];
  // Few tries on a busy machine tell a missing hash, which is most of the time; many tell a tenth.
  expect(Math.abs(known - unknown) / unknown, `${known} and ${unknown} ms`).toBeLessThan(tries < 300 ? 0.5 : 0.1);
});

test('5 wrong passwords a minute, of a network and an address, are the most', async () => {
  const pages = await startWithPeople();
  for (let count = 0; count < 5; count += 1) expect((await attempt(pages, EMAIL, 1)).status).toBe(403);
  const blocked = await attempt(pages, EMAIL, 1, PASSWORD);
  expect([blocked.status, Number(blocked.headers['retry-after']) <= 60]).toEqual([429, true]);
  // Another address, and another network, are not concerned.
  expect((await attempt(pages, PEOPLE[1] ?? '', 1, PASSWORD)).status).toBe(303);
  expect((await attempt(pages, EMAIL, 2, PASSWORD)).status).toBe(303);
});

test('a cookie that somebody planted becomes no session, and one from before is not upgraded', async () => {
  const pages = await startWithPeople();
  const planted = { hitherto_session: 'x'.repeat(43), hitherto_sign_in: 'y'.repeat(43) };
  const signIn = (cookies: Received['cookies']) =>
    postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD }, { cookies });

  const first = (await signIn(planted)).cookies;
  expect([await isIn(pages, planted), await isIn(pages, first)]).toEqual([false, true]);
  const second = (await signIn(first)).cookies;
  expect(second.hitherto_session).not.toBe(first.hitherto_session);
  expect([await isIn(pages, first), await isIn(pages, second)]).toEqual([false, true]);
  const twice = `hitherto_session=${second.hitherto_session}; hitherto_session=${first.hitherto_session}`;
  expect((await pages.send('GET', '/you', { headers: { cookie: twice } })).status).toBe(303);
  const bearer = { authorization: `Bearer ${second.hitherto_session}` };
  expect((await pages.send('GET', '/you', { headers: bearer })).status).toBe(303);
});

test('on https the cookies of sign-in have the prefix that no other host can set', async () => {
  const pages = await startWithPeople({ publicUrl: 'https://stats.example' });
  const { cookies, headers } = await postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD });
  expect(headers['set-cookie']).toMatch(/^__Host-hitherto_session=[\w-]{43}; .*HttpOnly; Secure; SameSite=Lax$/);
  const bare = { hitherto_session: cookies['__Host-hitherto_session'] ?? '' };
  expect([await isIn(pages, cookies), await isIn(pages, bare)]).toEqual([true, false]);

  const person = await pages.repositories.people.findByEmail(EMAIL);
  const app = { personId: person?.id ?? '', secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 0, since: new Date(0) };
  await pages.repositories.secondFactors.turnOn(app, [], '');
  const waiting = await postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD });
  expect(waiting.headers['set-cookie']).toMatch(
    /^__Host-hitherto_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
});

test('another site cannot send a form of the sign-in or of /you', async () => {
  const pages = await startWithPeople();
  const { cookies } = await postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD });
  const form = { email: EMAIL, password: PASSWORD, current_password: PASSWORD };

  for (const path of ['/sign-in', '/sign-in/second-factor', '/sign-out', '/you/password', '/you/second-factor/off']) {
    for (const headers of [{ origin: 'https://evil.example' }, {}, { origin: 'null' }]) {
      const { status, cookies: set } = await postForm(pages, path, form, { cookies, headers });
      expect([path, status, set]).toEqual([path, 403, {}]);
    }
  }
  expect(await isIn(pages, cookies)).toBe(true);
});

test('the sign-in leads to pages alone', async () => {
  const pages = await startWithPeople();
  const elsewhere = [
    '/api/v1/websites',
    '/livez',
    '/assets/x',
    '/sign-out',
    '/hits',
    '//evil.example',
    '/\\evil.example',
  ];

  for (const to of elsewhere) {
    const { headers } = await postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD, to });
    expect([to, headers.location]).toEqual([to, '/']);
  }
});

test('no page of sign-in is stored or framed, nor names its address to others', async () => {
  const pages = await startWithPeople();
  const { cookies } = await postForm(pages, '/sign-in', { email: EMAIL, password: PASSWORD });
  const deps = { ...dependenciesOf(pages), newId, randomBytes };
  const setup = `/setup/${await prepareSetup(deps, pages.otherAccountId, undefined)}`;
  for (const path of ['/', '/?next=%2Fyou', '/you', '/you/second-factor/app', setup]) {
    const { headers, status } = await pages.send('GET', path, { cookies });
    expect([path, status, headers['cache-control'], headers['content-security-policy']]).toEqual([
      path,
      200,
      'no-store',
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    expect(headers['referrer-policy']).toMatch(/^(same-origin|strict-origin)$/);
  }
  expect(JSON.stringify(pages.logs)).not.toContain(setup.slice('/setup/'.length));
});

test('the page of sign-in has at most 13 kB, with its styles', async () => {
  const pages = await startWithPeople();
  const { text } = await pages.send('GET', '/');
  const [, style = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec(text) ?? [];
  const { text: css } = await pages.send('GET', style);
  expect(gzipSync(text).length + gzipSync(css).length).toBeLessThan(13_000);
  expect(text).not.toContain('<script');
});

test('a code that was used at one instance is used at all of them', async () => {
  const one = await startWithPeople();
  const other = await startPagesForTest({ ...one.repositories, now: one.clock.now });
  const person = await one.repositories.people.findByEmail(EMAIL);
  const app = { personId: person?.id ?? '', secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 0, since: new Date(0) };
  await one.repositories.secondFactors.turnOn(app, [], '');
  const code = totpCode(app.secret, one.clock.now());
  const signIn = async (pages: PagesUnderTest, begun: PagesUnderTest) => {
    const { cookies } = await postForm(begun, '/sign-in', { email: EMAIL, password: PASSWORD });
    return (await postForm(pages, '/sign-in/second-factor', { code }, { cookies })).status;
  };
  // A sign-in that began at one goes on at the other.
  expect([await signIn(other, one), await signIn(one, other), await signIn(other, other)]).toEqual([303, 403, 403]);
});
