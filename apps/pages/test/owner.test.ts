import { beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD_HASH, type PagesUnderTest, type Sent, startPagesForTest } from './support/pages.ts';

const ORIGIN = { origin: 'https://stats.example' };
let pages: PagesUnderTest;

beforeEach(async () => {
  pages = await startPagesForTest();
});

async function signIn(scope: 'read' | 'write' = 'write', accountId = pages.accountId) {
  const key = await pages.issueKey(accountId, { scope });
  const { cookies } = await pages.send('POST', '/sign-in', { form: { key }, headers: ORIGIN });
  return { key, cookies };
}

const post = (path: string, form: NonNullable<Sent['form']>, sent: Sent = {}) =>
  pages.send('POST', path, { form, headers: ORIGIN, ...sent });

describe('signing in', () => {
  test('takes a key and sets a cookie for 30 days, HttpOnly', async () => {
    const key = await pages.issueKey(pages.accountId);
    const asked = await pages.send('GET', '/');

    const { status, headers, cookies } = await post('/sign-in', { key: ` ${key}\n` });

    expect([asked.status, asked.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(asked.text).toContain('name="key"');
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toMatch(
      /^hitherto_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await pages.send('GET', '/', { cookies })).text).toContain('Sign out');
    expect(JSON.stringify(pages.logs)).not.toContain(cookies.hitherto_session);
  });

  test('refuses a wrong key with 403, and counts it as a failed key', async () => {
    for (let tries = 0; tries < 60; tries += 1) expect((await post('/sign-in', { key: 'x' })).status).toBe(403);

    const locked = await post('/sign-in', { key: await pages.issueKey(pages.accountId) });

    expect([locked.status, locked.cookies]).toEqual([429, {}]);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect(locked.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test('is refused from another origin, and without an Origin header', async () => {
    const key = await pages.issueKey(pages.accountId);

    for (const headers of [{ origin: 'https://other.example' }, { origin: 'null' }, { origin: 'x' }, {}]) {
      const { status, cookies } = await post('/sign-in', { key }, { headers });
      expect([status, cookies]).toEqual([403, {}]);
    }
  });

  test('compares the origin with PUBLIC_URL if that is set', async () => {
    const behind = await startPagesForTest({ publicUrl: 'https://public.example' });
    const key = await behind.issueKey(behind.accountId);
    const from = (origin: string) => behind.send('POST', '/sign-in', { form: { key }, headers: { origin } });

    expect((await from('https://stats.example')).status).toBe(403);
    expect((await from('http://public.example')).status).toBe(403);
    const { status, headers } = await from('https://public.example');
    expect([status, headers['set-cookie']]).toEqual([303, expect.stringContaining('; Secure')]);
  });

  test('takes a Host with the default port of its scheme for the same origin', async () => {
    const key = await pages.issueKey(pages.accountId);
    const from = async (host: string, origin: string) =>
      (await post('/sign-in', { key }, { headers: { host, origin } })).status;

    expect(await from('stats.example:443', 'https://stats.example')).toBe(303);
    expect(await from('stats.example:80', 'http://stats.example')).toBe(303);
    expect(await from('stats.example:8443', 'https://stats.example')).toBe(403);
  });

  test('ends with sign-out', async () => {
    const { cookies } = await signIn();

    const { status, headers } = await post('/sign-out', {}, { cookies });

    expect([status, headers['set-cookie']]).toEqual([303, expect.stringContaining('Max-Age=0')]);
    expect((await pages.send('GET', '/', { cookies })).text).toContain('name="key"');
  });
});

describe('the list of websites', () => {
  test('shows only the account’s own, with search and the visitors of 28 days', async () => {
    const [one, two] = [await pages.addWebsite({ url: 'https://one.example/é' }), await pages.addWebsite()];
    const foreign = await pages.addWebsite({}, pages.otherAccountId);
    await pages.addHits(one, [{ visitor: 1n }, { visitor: 2n }]);
    const { cookies } = await signIn('read');

    const all = await pages.send('GET', '/', { cookies });
    const found = await pages.send('GET', '/?search=ONE.', { cookies });

    for (const website of [one, two]) expect(all.text).toContain(`/statistics/${website.id}`);
    expect(all.text).not.toContain(foreign.id);
    expect(found.text).toContain(one.id);
    expect(found.text).not.toContain(two.id);
    expect(found.text).toMatch(/spark-line.*<td>2<\/td>/);
  });

  test('has pages that lead forward and back', async () => {
    for (let count = 0; count < 25; count += 1) await pages.addWebsite();
    const { cookies } = await signIn();
    const linkOf = (text: string, name: string) =>
      new RegExp(`<a href="([^"]*)">${name}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

    const first = await pages.send('GET', '/', { cookies });
    const second = await pages.send('GET', linkOf(first.text, 'Next'), { cookies });
    const back = await pages.send('GET', linkOf(second.text, 'Previous'), { cookies });

    expect(first.text.match(/class="spark-line"/g)).toHaveLength(20);
    expect(second.text.match(/class="spark-line"/g)).toHaveLength(5);
    expect(back.text.match(/class="spark-line"/g)).toHaveLength(20);
  });
});

describe('settings', () => {
  test('create a website with the fields of the API, and lead to its snippet', async () => {
    const { cookies } = await signIn();
    const form = { url: 'https://new.example/a/', privacy: '2', password: 'x', exclude_ips: '203.0.113.7/24\r\n\r\n' };

    const { status, headers } = await post('/websites', form, { cookies });

    const { websites } = await pages.repositories.websites.list(pages.accountId, { order: 'newest_first' }, 10);
    expect(websites).toMatchObject([
      { url: 'https://new.example/a', privacy: 'password', excludeBots: true, excludedIps: ['203.0.113.0/24'] },
    ]);
    expect([status, headers.location]).toEqual([303, `/websites/${websites[0]?.id}/snippet`]);
    const snippet = await pages.send('GET', String(headers.location), { cookies });
    expect(snippet.text).toContain(
      `&lt;script defer src=&quot;http://stats.example/script.js&quot; data-website=&quot;${websites[0]?.id}&quot;>`,
    );
  });

  test('show each error beside its field, with the line number, and keep what was typed', async () => {
    const { cookies } = await signIn();
    await post('/websites', { url: 'https://taken.example', privacy: '1' }, { cookies });

    const faulty = await post(
      '/websites',
      { url: 'ftp://<é>', privacy: '2', exclude_ips: '1.2.3.4\nnonsense', exclude_params: 'a=b' },
      { cookies },
    );
    const taken = await post('/websites', { url: 'http://taken.example', privacy: '1' }, { cookies });

    expect(faulty.status).toBe(422);
    expect(faulty.text).toMatch(/id="exclude_ips-fault"><li>Line 2 /);
    expect(faulty.text).toMatch(/id="exclude_params-fault"><li>Line 1 /);
    expect(faulty.text).toMatch(/id="password-fault"/);
    expect(faulty.text).toMatch(/id="url-fault"/);
    expect(faulty.text).toContain('value="ftp://&lt;é>"');
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('You have a website with this address')]);
  });

  test('keep the password if its field is empty, and remove it on request', async () => {
    const website = await pages.addWebsite({ privacy: 'public', passwordHash: PASSWORD_HASH });
    const { cookies } = await signIn();
    const save = (more: Record<string, string>) =>
      post(`/websites/${website.id}`, { url: website.url, privacy: '0', password: '', ...more }, { cookies });
    const stored = () => pages.repositories.websites.find(pages.accountId, website.id);

    const kept = await save({ email: '1', exclude_bots: '1', exclude_params: 'x' });
    expect([kept.status, kept.headers.location]).toEqual([303, `/websites/${website.id}?saved`]);
    expect(await stored()).toMatchObject({ passwordHash: PASSWORD_HASH, emailReports: true, excludedParams: ['x'] });

    await save({ remove_password: '1' });
    expect(await stored()).toMatchObject({ passwordHash: null });
  });

  test('change only the fields that a form has, as in the API', async () => {
    const website = await pages.addWebsite({ emailReports: true, excludedParams: ['ref'], excludedIps: ['192.0.2.1'] });
    const { cookies } = await signIn();

    const { status } = await post(`/websites/${website.id}`, { privacy: '0', email: '0' }, { cookies });

    const stored = await pages.repositories.websites.find(pages.accountId, website.id);
    expect(status).toBe(303);
    expect({ ...stored, updatedAt: website.updatedAt }).toEqual({ ...website, privacy: 'public', emailReports: false });
  });

  test('send each checkbox, checked or not, and the last of repeated fields counts', async () => {
    const website = await pages.addWebsite({ excludeBots: true });
    const { cookies } = await signIn();
    const { text } = await pages.send('GET', `/websites/${website.id}`, { cookies });

    await post(`/websites/${website.id}`, 'exclude_bots=0&email=0&email=1', { cookies });

    expect(text).toContain('<input type="hidden" name="exclude_bots" value="0"/>');
    const stored = await pages.repositories.websites.find(pages.accountId, website.id);
    expect([stored?.excludeBots, stored?.emailReports]).toEqual([false, true]);
  });

  test('refuse a privacy that is none of the three', async () => {
    const website = await pages.addWebsite();
    const { cookies } = await signIn();

    const { status, text } = await post(`/websites/${website.id}`, { privacy: '9' }, { cookies });

    expect([status, text]).toEqual([422, expect.stringContaining('id="privacy-fault"')]);
  });

  test('are 404 for a website of another account', async () => {
    const foreign = await pages.addWebsite({}, pages.otherAccountId);
    const { cookies } = await signIn();

    for (const page of ['', '/snippet', '/dropped', '/check', '/delete']) {
      expect((await pages.send('GET', `/websites/${foreign.id}${page}`, { cookies })).status).toBe(404);
    }
    for (const page of ['', '/check', '/delete']) {
      const form = { url: foreign.url, address: foreign.url, privacy: '0' };
      expect((await post(`/websites/${foreign.id}${page}`, form, { cookies })).status).toBe(404);
    }
    expect(await pages.repositories.websites.find(pages.otherAccountId, foreign.id)).toEqual(foreign);
  });

  test('are shown but cannot be changed with a key of scope read', async () => {
    const website = await pages.addWebsite();
    const { cookies } = await signIn('read');

    const seen = await pages.send('GET', `/websites/${website.id}`, { cookies });
    const form = { url: website.url, address: website.url, privacy: '0' };
    const statuses = await Promise.all(
      ['/websites', `/websites/${website.id}`, `/websites/${website.id}/delete`].map(
        async (path) => (await post(path, form, { cookies })).status,
      ),
    );

    expect(seen.text).toContain('<fieldset class="all" disabled>');
    expect(statuses).toEqual([403, 403, 403]);
    expect(await pages.repositories.websites.find(pages.accountId, website.id)).toEqual(website);
  });

  test('need a session', async () => {
    const website = await pages.addWebsite();

    for (const path of ['/websites/new', `/websites/${website.id}`, `/websites/${website.id}/dropped`]) {
      const { status, headers } = await pages.send('GET', path);
      expect([status, headers.location, headers['cache-control']]).toEqual([303, '/', 'no-store']);
    }
    const { status, headers } = await post(`/websites/${website.id}/delete`, { address: website.url });
    expect([status, headers.location]).toEqual([303, '/']);
  });
});

test('a website is deleted once its address is typed, with or without its scheme', async () => {
  const [one, two] = [await pages.addWebsite(), await pages.addWebsite()];
  const { cookies } = await signIn();
  const remove = (id: string, address: string) => post(`/websites/${id}/delete`, { address }, { cookies });

  const wrong = await remove(one.id, two.url);
  const statuses = [await remove(one.id, one.url), await remove(two.id, two.url.slice('https://'.length))];

  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('nothing was deleted')]);
  expect(statuses.map(({ status }) => status)).toEqual([303, 303]);
  expect((await pages.repositories.websites.list(pages.accountId, { order: 'newest_first' }, 10)).total).toBe(0);
});

test('dropped hits are shown by reason', async () => {
  const website = await pages.addWebsite();
  const { cookies } = await signIn('read');
  await pages.repositories.hits.add(
    'drops',
    [],
    [{ websiteId: website.id, day: '2026-11-19', reason: 'bot', hits: 1_234 }],
  );

  const { text } = await pages.send('GET', `/websites/${website.id}/dropped`, { cookies });

  expect(text).toMatch(/data-value="bot".*data-metric="hits">1,234</);
});

test('a visit is checked by the rules of counting, and errors are beside their fields', async () => {
  const website = await pages.addWebsite({ url: 'https://ex.com', excludedIps: ['203.0.113.0/24'] });
  const { cookies } = await signIn('read');
  const check = (form: Record<string, string>) => post(`/websites/${website.id}/check`, form, { cookies });
  const visit = { url: 'https://ex.com/a?utm_source=nl', ip: '198.51.100.7', user_agent: 'Mozilla/5.0' };

  const counted = await check(visit);
  const dropped = await check({ ...visit, ip: '203.0.113.9' });
  const faulty = await check({ ...visit, ip: '<é>' });

  expect([counted.status, counted.text]).toEqual([200, expect.stringMatching(/It would be counted.*<dd>nl<\/dd>/)]);
  expect(dropped.text).toContain('203.0.113.9 is in 203.0.113.0/24');
  expect([faulty.status, faulty.text]).toEqual([422, expect.stringContaining('id="ip-fault"')]);
  expect(await pages.repositories.statistics.firstDay(website.id)).toBeUndefined();
});
