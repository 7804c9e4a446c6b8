import { createHmac, randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { createInMemoryRepositories } from '@hitherto/memory';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { expect, test } from 'vitest';
import { makeUnlock } from '../src/statistics/unlock.ts';
import { PASSWORD, PASSWORD_HASH, startPagesForTest } from './support/pages.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

async function start() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH });
  const path = `/statistics/${website.id}`;
  const unlock = (password: string, more: { remoteAddress?: string; headers?: Record<string, string> } = {}) =>
    pages.send('POST', `${path}/unlock`, { form: { password }, ...more });
  return { pages, website, path, unlock };
}

test('the form is 200 and shows no number', async () => {
  const { pages, path } = await start();

  const { status, headers, text } = await pages.send('GET', `${path}?period=7d&source=`);

  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('no-store');
  expect(text).toContain('type="password"');
  expect(text).toContain(`action="${path}/unlock?period=7d&amp;source="`);
  expect(text).not.toContain('data-metric');
});

test('the right password opens only that page, for seven days', async () => {
  const { pages, path, unlock } = await start();
  const other = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH });

  const unlocked = await unlock(PASSWORD);

  expect([unlocked.status, unlocked.headers.location]).toEqual([303, path]);
  expect(unlocked.headers['set-cookie']).toMatch(
    new RegExp(`^hitherto_unlock=[^;]+; Max-Age=604800; Path=${path}; HttpOnly; SameSite=Lax$`),
  );
  const { cookies } = unlocked;
  expect((await pages.send('GET', path, { cookies })).text).toContain('data-metric');
  expect((await pages.send('GET', `/statistics/${other.id}`, { cookies })).text).not.toContain('data-metric');
  pages.clock.advance(7 * DAY_MS - 1);
  expect((await pages.send('GET', path, { cookies })).text).toContain('data-metric');
  pages.clock.advance(1);
  expect((await pages.send('GET', path, { cookies })).text).not.toContain('data-metric');
});

test('unlocking keeps the parameters of the page', async () => {
  const { pages, path } = await start();

  const { headers } = await pages.send('POST', `${path}/unlock?period=month&page=/a&x=y`, {
    form: { password: PASSWORD },
  });

  expect(headers.location).toBe(`${path}?period=month&page=%2Fa`);
});

test('opening the address of the form leads to the page with the same parameters', async () => {
  const { pages, path } = await start();

  const { status, headers } = await pages.send('GET', `${path}/unlock?period=month&page=/a&embed=1`);

  expect([status, headers.location]).toEqual([303, `${path}?period=month&page=%2Fa&embed=1`]);
});

test('the cookie is Secure if PUBLIC_URL is https', async () => {
  const pages = await startPagesForTest({ publicUrl: 'https://stats.example' });
  const website = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH });

  const { headers } = await pages.send('POST', `/statistics/${website.id}/unlock`, { form: { password: PASSWORD } });

  expect(headers['set-cookie']).toMatch(/^__Secure-hitherto_unlock=.*; Secure/);
});

test('the hash of the password alone does not unlock, and no unlock is for more than seven days', async () => {
  const { pages, path, website } = await start();
  const key = { ...pages.repositories, randomBytes };
  const lock = { name: website.id, passwordHash: PASSWORD_HASH, version: async () => 0 };
  const isOpen = async (unlock: string) => {
    const { text } = await pages.send('GET', path, { cookies: { hitherto_unlock: unlock } });
    return text.includes('data-metric');
  };
  const inDays = (days: number) => new Date(pages.clock.now().getTime() + days * DAY_MS);
  const expiry = inDays(1).getTime().toString(36);
  const forged = [`unlock ${website.id} 0 ${expiry}`, `unlock ${website.id} 0 ${expiry} ${PASSWORD_HASH}`].map(
    (text) => `${expiry}.${createHmac('sha256', PASSWORD_HASH).update(text).digest('base64url')}`,
  );

  expect(await Promise.all(forged.map(isOpen))).toEqual([false, false]);
  expect(await isOpen(await makeUnlock(key, lock, inDays(7)))).toBe(true);
  expect(await isOpen(await makeUnlock(key, lock, inDays(8)))).toBe(false);
});

test('a new key of unlocks, as after a restore, ends all of them', async () => {
  const { pages, path, unlock } = await start();
  const other = await startPagesForTest({
    ...pages.repositories,
    localSecrets: createInMemoryRepositories().localSecrets,
  });
  const { cookies } = await unlock(PASSWORD);

  expect((await other.send('GET', path)).text).toContain('type="password"');
  expect((await other.send('GET', path, { cookies })).text).toContain('type="password"');
});

test('a wrong password is 403 with the form', async () => {
  const { unlock } = await start();

  for (const password of ['', 'x', `${PASSWORD} `, 'y'.repeat(300)]) {
    const { status, text, cookies } = await unlock(password);
    expect([status, cookies]).toEqual([403, {}]);
    expect(text).toContain('This is not the password.');
  }
});

test('five wrong passwords in a minute lock out the network, even for the right one, and nobody else', async () => {
  const { unlock } = await start();
  const remoteAddress = '2001:db8::1';
  for (let tries = 0; tries < 5; tries += 1) expect((await unlock('x', { remoteAddress })).status).toBe(403);

  const locked = await unlock(PASSWORD, { remoteAddress });
  const sameNetwork = await unlock(PASSWORD, { remoteAddress: '2001:db8::2' });
  const another = await unlock(PASSWORD, { remoteAddress: '2001:db8:0:1::1' });

  expect([locked.status, locked.cookies]).toEqual([429, {}]);
  expect(Number(locked.headers['retry-after'])).toBeGreaterThan(50);
  expect(locked.text).toContain('Too many wrong passwords.');
  expect([sameNetwork.status, another.status]).toEqual([429, 303]);
});

test('concurrent wrong passwords are counted one by one', async () => {
  const { unlock } = await start();

  const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await unlock('x')).status));

  expect(statuses.filter((status) => status === 403)).toHaveLength(5);
});

test('a public page needs no password and sets no cookie', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public', passwordHash: PASSWORD_HASH });

  const { status, headers, cookies } = await pages.send('POST', `/statistics/${website.id}/unlock`, {
    form: { password: 'x' },
  });

  expect([status, headers.location, cookies]).toEqual([303, `/statistics/${website.id}`, {}]);
});

test('unlocking from another origin is rejected', async () => {
  const { unlock } = await start();

  const foreign = await unlock(PASSWORD, { headers: { origin: 'https://other.example' } });
  const own = await unlock(PASSWORD, { headers: { origin: 'https://stats.example' } });

  expect([foreign.status, foreign.cookies]).toEqual([403, {}]);
  expect(own.status).toBe(303);
});

test('an unlock ends the moment the password or the privacy changes, and with no other change', async () => {
  const { pages, path, website, unlock } = await start();
  const { cookies } = await unlock(PASSWORD);
  const isOpen = async () => (await pages.send('GET', path, { cookies })).text.includes('data-metric');
  let version = website;
  const change = async (changes: Partial<Website>) => {
    const changed = { ...version, ...changes, updatedAt: new Date(version.updatedAt.getTime() + 1) };
    await pages.repositories.websites.replace(pages.accountId, changed, version.updatedAt, UNRECORDED);
    version = changed;
  };

  await change({ excludeBots: false });
  expect(await isOpen()).toBe(true);

  await change({ privacy: 'public' });
  await change({ privacy: 'password' });
  expect(await isOpen()).toBe(false);

  const again = await unlock(PASSWORD);
  await change({ passwordHash: await quickHasher.hash(PASSWORD) });
  expect((await pages.send('GET', path, { cookies: again.cookies })).text).not.toContain('data-metric');
});

test('a new password opens the page despite an earlier unlock in a frame, and the other way round', async () => {
  const pages = await startPagesForTest({ publicUrl: 'https://stats.example' });
  const website = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH });
  const path = `/statistics/${website.id}`;
  const unlock = async (query: string, password: string) =>
    (await pages.send('POST', `${path}/unlock${query}`, { form: { password } })).headers['set-cookie'];
  const stale = { plain: await unlock('', PASSWORD), framed: await unlock('?embed=1', PASSWORD) };
  const changed = { ...website, passwordHash: await quickHasher.hash('new'), updatedAt: new Date(pages.clock.now()) };
  await pages.repositories.websites.replace(pages.accountId, changed, website.updatedAt, UNRECORDED);
  const valid = { plain: await unlock('', 'new'), framed: await unlock('?embed=1', 'new') };

  /** Of two cookies with one path, browsers send the older first. */
  const isOpen = async (...cookies: unknown[]) => {
    const headers = { cookie: cookies.map((cookie) => `${cookie}`.split(';', 1)).join('; ') };
    return (await pages.send('GET', path, { headers })).text.includes('data-metric');
  };

  expect(await isOpen(stale.framed, valid.plain)).toBe(true);
  expect(await isOpen(stale.plain, valid.framed)).toBe(true);
  expect(await isOpen(stale.plain, stale.framed)).toBe(false);
});
