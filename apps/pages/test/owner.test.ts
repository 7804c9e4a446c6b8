import { wholeAccount } from '@hitherto/domain/websites';
import { createFailedKeyLimit } from '@hitherto/http';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, test } from 'vitest';
import { formOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;

beforeEach(async () => {
  pages = await startPagesForTest();
});

describe('signing in', () => {
  test('takes a key and sets a cookie for 30 days, HttpOnly', async () => {
    const key = await pages.issueKey(pages.accountId);
    const asked = await pages.send('GET', '/');

    const { status, headers, cookies } = await postForm(pages, '/sign-in', { key: ` ${key}\n` });

    expect([asked.status, asked.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(asked.text).toContain('name="key"');
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toMatch(
      /^hitherto_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await pages.send('GET', '/', { cookies })).text).toContain('Sign out');
    expect(JSON.stringify(pages.logs)).not.toContain(cookies.hitherto_session);
  });

  test('shows the version to those who are signed in alone', async () => {
    const { cookies } = await signIn(pages);

    const [own, foreign] = [await pages.send('GET', '/', { cookies }), await pages.send('GET', '/')];

    expect(own.text).toContain('<footer class="notes"><p>Hitherto 1.2.3</p></footer>');
    expect(foreign.text).not.toContain('1.2.3');
  });

  test('on https sets a cookie that no other host can set', async () => {
    const secure = await startPagesForTest({ publicUrl: 'https://stats.example' });
    const key = await secure.issueKey(secure.accountId);

    const { headers, cookies } = await postForm(secure, '/sign-in', { key });

    expect(headers['set-cookie']).toMatch(
      /^__Host-hitherto_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await secure.send('GET', '/', { cookies })).text).toContain('Sign out');
    const tossed = { hitherto_session: cookies['__Host-hitherto_session'] ?? '' };
    expect((await secure.send('GET', '/', { cookies: tossed })).text).toContain('name="key"');
  });

  test('does not count with two cookies of the session, of which another host has set one', async () => {
    const own = (await signIn(pages)).cookies.hitherto_session;
    const foreign = await postForm(pages, '/sign-in', { key: await pages.issueKey(pages.otherAccountId) });

    const both = `hitherto_session=${foreign.cookies.hitherto_session}; hitherto_session=${own}`;
    const website = await pages.addWebsite({ privacy: 'private' });

    expect((await pages.send('GET', '/', { headers: { cookie: both } })).text).toContain('name="key"');
    expect((await pages.send('GET', `/statistics/${website.id}`, { headers: { cookie: both } })).status).toBe(404);
  });

  test('rejects a wrong key with 403, and counts it as a failed key', async () => {
    for (let tries = 0; tries < 60; tries += 1)
      expect((await postForm(pages, '/sign-in', { key: 'x' })).status).toBe(403);

    const locked = await postForm(pages, '/sign-in', { key: await pages.issueKey(pages.accountId) });

    expect([locked.status, locked.cookies]).toEqual([429, {}]);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect(locked.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test.each([
    [1, '1 second'],
    [59, '59 seconds'],
  ])('says after too many wrong keys that the next try is in %d s: %s', async (seconds, wait) => {
    const failedKeys = { ...createFailedKeyLimit(), blockedFor: () => seconds };
    const locked = await startPagesForTest({ failedKeys });

    const { status, text } = await postForm(locked, '/sign-in', { key: 'x' });

    expect([status, text]).toEqual([429, expect.stringContaining(`Try again in ${wait}.`)]);
  });

  test('is rejected from another origin, and without an Origin header', async () => {
    const key = await pages.issueKey(pages.accountId);

    for (const headers of [{ origin: 'https://other.example' }, { origin: 'null' }, { origin: 'x' }, {}]) {
      const { status, cookies } = await postForm(pages, '/sign-in', { key }, { headers });
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
      (await postForm(pages, '/sign-in', { key }, { headers: { host, origin } })).status;

    expect(await from('stats.example:443', 'https://stats.example')).toBe(303);
    expect(await from('stats.example:80', 'http://stats.example')).toBe(303);
    expect(await from('stats.example:8443', 'https://stats.example')).toBe(403);
  });

  const formFor = (next: string) => `/?${new URLSearchParams({ next })}`;

  test.each(['/websites/x/goals?saved=%C3%A9', '/webhooks', '/statistics/x?period=7d'])(
    'leads to the page that was asked for, also after a wrong key: %s',
    async (to) => {
      const key = await pages.issueKey(pages.accountId);
      const asked = await pages.send('GET', formFor(to));
      const wrong = await postForm(pages, '/sign-in', { ...formOf(asked.text), key: 'x' });

      const { headers } = await postForm(pages, '/sign-in', { ...formOf(wrong.text), key });

      expect([asked.status, wrong.status, headers.location]).toEqual([200, 403, to]);
    },
  );

  test('is asked for by every page of the owner, also after a form, which is not sent again', async () => {
    const website = await pages.addWebsite();
    const [page, form] = [`/websites/${website.id}/goals?a=b`, `/websites/${website.id}/delete`];
    const key = await pages.issueKey(pages.accountId);

    const asked = await pages.send('GET', page);
    const sent = await postForm(pages, form, { address: website.url });
    const { headers } = await postForm(pages, '/sign-in', { next: form, key });

    expect([asked.status, asked.headers.location]).toEqual([303, formFor(page)]);
    expect([sent.status, sent.headers.location, headers.location]).toEqual([303, formFor(form), form]);
    expect(await pages.repositories.websites.find(wholeAccount(pages.accountId), website.id)).toEqual(website);
  });

  test('is linked from a private page of statistics, and leads back to it', async () => {
    const website = await pages.addWebsite({ privacy: 'private' });
    const page = `/statistics/${website.id}?from=2026-11-16&to=2026-11-22`;
    const key = await pages.issueKey(pages.accountId);

    const hidden = await pages.send('GET', page);
    const [, link = ''] = /<a href="([^"]*)">sign in</.exec(hidden.text) ?? [];
    const asked = await pages.send('GET', link);
    const { headers, cookies } = await postForm(pages, '/sign-in', { ...formOf(asked.text), key });

    expect([hidden.status, link, headers.location]).toEqual([404, formFor(page), page]);
    expect((await pages.send('GET', page, { cookies })).status).toBe(200);
  });

  test('has no link with the address of a shared link or of a mail, which are secrets', async () => {
    for (const path of [
      `/share/${'A'.repeat(43)}`,
      `/reports/unsubscribe?website=${newId()}&token=${'A'.repeat(43)}`,
    ]) {
      const { status, text } = await pages.send('GET', path);

      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toContain('AAAA');
    }
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/.//evil.example/',
    '/a/..//evil.example/',
    'javascript:alert(1)',
    'websites',
    '',
    `/${'a'.repeat(2_000)}`,
  ])('leads to no other site, but to the list of websites: %j', async (to) => {
    const key = await pages.issueKey(pages.accountId);

    const asked = await pages.send('GET', formFor(to));
    const { status, headers } = await postForm(pages, '/sign-in', { next: to, key });

    expect([asked.status, asked.text.includes('name="next"')]).toEqual([200, false]);
    expect([status, headers.location]).toEqual([303, '/']);
  });

  test('ends with sign-out', async () => {
    const { cookies } = await signIn(pages);

    const { status, headers } = await postForm(pages, '/sign-out', {}, { cookies });

    expect([status, headers['set-cookie']]).toEqual([303, expect.stringContaining('Max-Age=0')]);
    expect((await pages.send('GET', '/', { cookies })).text).toContain('name="key"');
  });

  test('is offered where its forms were sent to', async () => {
    const { cookies } = await signIn(pages);

    for (const path of ['/sign-in', '/sign-out']) {
      const { status, headers } = await pages.send('GET', path, { cookies });
      expect([status, headers.location]).toEqual([303, '/']);
    }
    expect((await pages.send('GET', '/', { cookies })).text).toContain('Sign out');
  });
});

test.each([
  ['/websites/%0A/links/x/revoke', '/websites/%0A/links'],
  ['/websites/%0A/annotations/x', '/websites/%0A/annotations'],
  ['/websites/%0A/annotations/x/delete', '/websites/%0A/annotations'],
  ['/websites/%0A/alerts/x/delete', '/websites/%0A/alerts'],
  ['/websites/%0A/report-test', '/websites/%0A'],
])('whoever opens %s, which takes a form only, is led to the page with the form', async (path, location) => {
  const { cookies } = await signIn(pages, 'read');

  const { status, headers } = await pages.send('GET', path, { cookies });

  expect([status, headers.location]).toEqual([303, location]);
});

describe('the list of websites', () => {
  test('shows only the account’s own, with search and the visitors of 28 days', async () => {
    const [one, two] = [await pages.addWebsite({ url: 'https://one.example/é' }), await pages.addWebsite()];
    const foreign = await pages.addWebsite({}, pages.otherAccountId);
    await pages.addHits(one, [{ visitor: 1n }, { visitor: 2n }]);
    const { cookies } = await signIn(pages, 'read');

    const all = await pages.send('GET', '/', { cookies });
    const found = await pages.send('GET', '/?search=ONE.', { cookies });

    for (const website of [one, two]) expect(all.text).toContain(`/statistics/${website.id}`);
    expect(all.text).not.toContain(foreign.id);
    expect(found.text).toContain(one.id);
    expect(found.text).not.toContain(two.id);
    expect(found.text).toMatch(/spark-line.*data-visitors="2"/);
  });

  test('is sorted as it is read, with letters of all languages', async () => {
    for (const name of ['zoo', 'xn--bcher-kva', 'apfel', 'xn--pfel-koa'])
      await pages.addWebsite({ url: `https://${name}.example` });
    const { cookies } = await signIn(pages);

    const { text } = await pages.send('GET', '/', { cookies });

    const shown = [...text.matchAll(/<span class="name"><a [^>]*>([^<]*)</g)].map(([, address]) => address);
    expect(shown).toEqual(['apfel.example', 'äpfel.example', 'bücher.example', 'zoo.example']);
  });

  test('has pages that lead forward and back', async () => {
    for (let count = 0; count < 55; count += 1) await pages.addWebsite();
    const { cookies } = await signIn(pages);
    const linkOf = (text: string, name: string) =>
      new RegExp(`<a href="([^"]*)">${name}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

    const first = await pages.send('GET', '/', { cookies });
    const second = await pages.send('GET', linkOf(first.text, 'Next'), { cookies });
    const back = await pages.send('GET', linkOf(second.text, 'Previous'), { cookies });

    expect(first.text.match(/scope="row"/g)).toHaveLength(50);
    expect(second.text.match(/scope="row"/g)).toHaveLength(5);
    expect(back.text.match(/scope="row"/g)).toHaveLength(50);
  });
});

test('a website is deleted once its address is typed, with or without its scheme, or as it is shown', async () => {
  const [one, two] = [await pages.addWebsite(), await pages.addWebsite()];
  const three = await pages.addWebsite({ url: 'https://xn--bcher-kva.example/%C3%BC' });
  const { cookies } = await signIn(pages);
  const remove = (id: string, address: string) => postForm(pages, `/websites/${id}/delete`, { address }, { cookies });

  const wrong = await remove(one.id, two.url);
  const statuses = [
    await remove(one.id, one.url),
    await remove(two.id, two.url.slice('https://'.length)),
    await remove(three.id, 'bücher.example/ü'),
  ];

  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Nothing was deleted')]);
  expect(statuses.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect(
    (await pages.repositories.websites.list(wholeAccount(pages.accountId), { order: 'newest_first' }, 10)).total,
  ).toBe(0);
});

test('a website is deleted once where the form is sent twice, and one of another account looks as if it was', async () => {
  const [own, foreign] = [await pages.addWebsite(), await pages.addWebsite({}, pages.otherAccountId)];
  const { cookies } = await signIn(pages);
  const remove = async (id: string, address: string) => {
    const { status, headers } = await postForm(pages, `/websites/${id}/delete`, { address }, { cookies });
    return [status, headers.location];
  };

  for (const _ of ['once', 'again']) expect(await remove(own.id, own.url)).toEqual([303, '/']);
  for (const id of [foreign.id, newId(), 'x']) expect(await remove(id, foreign.url)).toEqual([303, '/']);

  expect(await pages.repositories.websites.find(wholeAccount(pages.otherAccountId), foreign.id)).toEqual(foreign);
  const { entries } = await pages.repositories.audit.list(wholeAccount(pages.accountId), { websiteId: own.id }, 10);
  expect(entries.map(({ action }) => action)).toEqual(['website.deleted']);
});

test('dropped hits are shown by reason', async () => {
  const website = await pages.addWebsite();
  const { cookies } = await signIn(pages, 'read');
  await pages.repositories.hits.add([], [{ websiteId: website.id, day: '2026-11-19', reason: 'bot', hits: 1_234 }]);

  const { text } = await pages.send('GET', `/websites/${website.id}/dropped`, { cookies });

  expect(text).toMatch(/data-value="bot".*data-metric="hits">1,234</);
});

test('a visit is checked by the rules of counting, and errors are beside their fields', async () => {
  const website = await pages.addWebsite({ url: 'https://ex.com', excludedIps: ['203.0.113.0/24'] });
  const { cookies } = await signIn(pages, 'read');
  const check = (form: Record<string, string>) => postForm(pages, `/websites/${website.id}/check`, form, { cookies });
  const visit = { url: 'https://ex.com/a?utm_source=nl', ip: '198.51.100.7', user_agent: 'Mozilla/5.0' };

  const counted = await check(visit);
  const dropped = await check({ ...visit, ip: '203.0.113.9' });
  const faulty = await check({ ...visit, ip: '<é>' });

  expect([counted.status, counted.text]).toEqual([200, expect.stringMatching(/It would be counted.*<dd>nl<\/dd>/)]);
  expect(dropped.text).toContain('203.0.113.9 is in 203.0.113.0/24');
  expect([faulty.status, faulty.text]).toEqual([422, expect.stringContaining('id="ip-fault"')]);
  expect(await pages.repositories.statistics.firstDay(website.id)).toBeUndefined();
});

test('the snippet and the check of a visit say what the tracker does on local pages and files', async () => {
  const website = await pages.addWebsite({ url: 'http://localhost:3721' });
  const { cookies } = await signIn(pages, 'read');
  const visit = { url: 'http://localhost:3721/', ip: '198.51.100.7', user_agent: 'Mozilla/5.0 Firefox/143.0' };

  const snippet = await pages.send('GET', `/websites/${website.id}/snippet`, { cookies });
  const check = await pages.send('GET', `/websites/${website.id}/check`, { cookies });
  const local = await postForm(pages, `/websites/${website.id}/check`, visit, { cookies });

  expect(snippet.text).toContain('<code>data-local</code>');
  expect(snippet.text).toContain(`/script.js#website=${website.id}`);
  expect(check.text).toMatch(
    /<code>data-local<\/code>.*<code>file:<\/code>.*<code>hitherto-ignore<\/code>.*a program/s,
  );
  expect(local.text).toMatch(/counts as a pageview of \/\. The tracker sends .* only if its script has data-local\./);
});

test('the check of a visit begins with the address of the browser, as it is counted', async () => {
  const website = await pages.addWebsite();
  const { cookies } = await signIn(pages, 'read');

  const { text } = await pages.send('GET', `/websites/${website.id}/check`, {
    cookies,
    remoteAddress: '::ffff:203.0.113.9',
  });

  expect(formOf(text).ip).toBe('203.0.113.9');
});
