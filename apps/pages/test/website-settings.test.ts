import { wholeAccount } from '@hitherto/domain/websites';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { beforeEach, describe, expect, test } from 'vitest';
import { signInPath } from '../src/shared/sign-in-path.ts';
import { faultsOf, postForm, signIn } from './support/owner.ts';
import { PASSWORD_HASH, type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;

beforeEach(async () => {
  pages = await startPagesForTest();
});

describe('settings', () => {
  test('create a website with the fields of the API, and lead to its snippet', async () => {
    const { cookies } = await signIn(pages);
    const form = { url: 'https://new.example/a/', privacy: '2', password: 'x', exclude_ips: '203.0.113.7/24\r\n\r\n' };

    const { status, headers } = await postForm(pages, '/websites', form, { cookies });

    const { websites } = await pages.repositories.websites.list(
      wholeAccount(pages.accountId),
      { order: 'newest_first' },
      10,
    );
    expect(websites).toMatchObject([
      { url: 'https://new.example/a', privacy: 'password', excludeBots: true, excludedIps: ['203.0.113.0/24'] },
    ]);
    expect([status, headers.location]).toEqual([303, `/websites/${websites[0]?.id}/snippet`]);
    const snippet = await pages.send('GET', String(headers.location), { cookies });
    expect(snippet.text).toContain(
      `&lt;script defer src=&quot;http://stats.example/script.js&quot; data-website=&quot;${websites[0]?.id}&quot;>`,
    );
  });

  test.each([
    ['new.example', 'https://new.example'],
    [' Bücher.example:8080/é/ ', 'https://xn--bcher-kva.example:8080/%C3%A9'],
    ['HTTP://new.example', 'http://new.example'],
  ])('take an address without a scheme, where https is meant: %j', async (url, stored) => {
    const { cookies } = await signIn(pages);
    const website = await pages.addWebsite();

    const created = await postForm(pages, '/websites', { url, privacy: '1' }, { cookies });
    const changed = await postForm(pages, `/websites/${website.id}`, { url: `www.${url.trim()}` }, { cookies });

    const { websites } = await pages.repositories.websites.list(
      wholeAccount(pages.accountId),
      { order: 'newest_first' },
      10,
    );
    expect([created.status, changed.status]).toEqual([303, url.includes('://') ? 422 : 303]);
    expect(websites.map((one) => one.url)).toContain(stored);
  });

  test('say in words of the form what is missing', async () => {
    const { cookies } = await signIn(pages);

    const { text } = await postForm(pages, '/websites', { url: ' ', privacy: '2' }, { cookies });

    expect(faultsOf(text)).toEqual({
      url: ['Enter the address of the website, such as example.com.'],
      password: ['Enter a password, or choose another kind of page.'],
    });
  });

  test('lead to a snippet that waits for the first visit, and then leads on to the statistics', async () => {
    const website = await pages.addWebsite();
    const { cookies } = await signIn(pages, 'read');
    const show = async () => (await pages.send('GET', `/websites/${website.id}/snippet`, { cookies })).text;

    const waiting = await show();
    await pages.addHits(website, [{}]);
    const counted = await show();

    expect(waiting).toContain('Waiting for the first visit');
    for (const page of ['imports', 'goals', 'check']) expect(waiting).toContain(`/websites/${website.id}/${page}`);
    expect(counted).toContain(`Visits are counted: see <a href="/statistics/${website.id}">`);
  });

  test('show each error beside its field, with the line number, and keep what was typed', async () => {
    const { cookies } = await signIn(pages);
    await postForm(pages, '/websites', { url: 'https://taken.example', privacy: '1' }, { cookies });

    const faulty = await postForm(
      pages,
      '/websites',
      { url: 'ftp://<é>', privacy: '2', exclude_ips: '1.2.3.4\nnonsense', exclude_params: 'a=b' },
      { cookies },
    );
    const taken = await postForm(pages, '/websites', { url: 'http://taken.example', privacy: '1' }, { cookies });

    expect(faulty.status).toBe(422);
    expect(faulty.text).toMatch(/id="exclude_ips-fault"><li>Line 2 /);
    expect(faulty.text).toMatch(/id="exclude_params-fault"><li>Line 1 /);
    expect(faulty.text).toMatch(/id="password-fault"/);
    expect(faulty.text).toMatch(/id="url-fault"/);
    expect(faulty.text).toContain('value="ftp://&lt;é>"');
    expect([taken.status, taken.text]).toEqual([
      422,
      expect.stringContaining('You already have a website with this address'),
    ]);
  });

  test('keep the password if its field is empty, and remove it on request', async () => {
    const website = await pages.addWebsite({ privacy: 'public', passwordHash: PASSWORD_HASH });
    const { cookies } = await signIn(pages);
    const save = (more: Record<string, string>) =>
      postForm(
        pages,
        `/websites/${website.id}`,
        { url: website.url, privacy: '0', password: '', ...more },
        { cookies },
      );
    const stored = () => pages.repositories.websites.find(wholeAccount(pages.accountId), website.id);

    const kept = await save({ email: '1', exclude_bots: '1', exclude_params: 'x' });
    expect([kept.status, kept.headers.location]).toEqual([303, `/websites/${website.id}?saved`]);
    expect(await stored()).toMatchObject({ passwordHash: PASSWORD_HASH, emailReports: true, excludedParams: ['x'] });

    await save({ remove_password: '1' });
    expect(await stored()).toMatchObject({ passwordHash: null });
  });

  test('ask for a new password again after a fault, or for the decision to keep the current one', async () => {
    const website = await pages.addWebsite({ privacy: 'public', passwordHash: PASSWORD_HASH });
    const { cookies } = await signIn(pages);
    const save = (form: Record<string, string>) => postForm(pages, `/websites/${website.id}`, form, { cookies });
    const stored = () => pages.repositories.websites.find(wholeAccount(pages.accountId), website.id);

    const unsaved = await pages.send('GET', `/websites/${website.id}`, { cookies });
    const faulty = await save({ url: 'ftp://x', password: 'new' });
    const opened = { ...formOfPage(faulty.text), url: website.url };
    const still = await save(opened);

    expect(unsaved.text).toContain('Leave this empty');
    for (const { status, text } of [faulty, still]) {
      expect([status, faultsOf(text).password]).toEqual([422, ['Type the password again.']]);
      expect(text).not.toContain('value="new"');
      expect(text).not.toContain('Leave this empty');
    }
    expect((await save({ ...opened, no_password: '1' })).status).toBe(303);
    expect(await stored()).toMatchObject({ passwordHash: PASSWORD_HASH });
    expect((await save({ ...opened, password: 'new' })).status).toBe(303);
    expect(await quickHasher.verify((await stored())?.passwordHash ?? '', 'new')).toBe(true);
    expect((await save({ ...opened, remove_password: '1' })).status).toBe(303);
    expect(await stored()).toMatchObject({ passwordHash: null });
  });

  test('create no website without a password that was typed', async () => {
    const { cookies } = await signIn(pages);
    const create = (form: Record<string, string>) => postForm(pages, '/websites', form, { cookies });
    const form = { url: 'https://new.example', privacy: '0' };

    const faulty = await create({ ...form, url: 'ftp://x', password: 'new' });
    const still = await create({ ...formOfPage(faulty.text), ...form });

    expect([faulty, still].map(({ text }) => faultsOf(text).password)).toEqual([
      ['Type the password again.'],
      ['Type the password again.'],
    ]);
    expect((await create({ ...formOfPage(still.text), ...form, no_password: '1' })).status).toBe(303);
  });

  test('change only the fields that a form has, as in the API', async () => {
    const website = await pages.addWebsite({ emailReports: true, excludedParams: ['ref'], excludedIps: ['192.0.2.1'] });
    const { cookies } = await signIn(pages);

    const { status } = await postForm(pages, `/websites/${website.id}`, { privacy: '0', email: '0' }, { cookies });

    const stored = await pages.repositories.websites.find(wholeAccount(pages.accountId), website.id);
    expect(status).toBe(303);
    expect({ ...stored, updatedAt: website.updatedAt }).toEqual({ ...website, privacy: 'public', emailReports: false });
  });

  test('do not undo what was changed elsewhere since the page was opened', async () => {
    const website = await pages.addWebsite({ privacy: 'public', excludedParams: ['a', 'é'], excludedIps: [] });
    const { cookies } = await signIn(pages);
    const path = `/websites/${website.id}`;
    const opened = formOfPage((await pages.send('GET', path, { cookies })).text);

    await postForm(pages, path, { privacy: '1', exclude_params: 'b' }, { cookies });
    const faulty = await postForm(pages, path, { ...opened, exclude_ips: 'x' }, { cookies });
    const form = { ...formOfPage(faulty.text), exclude_params: 'a\r\né', exclude_ips: '192.0.2.1' };
    const { status } = await postForm(pages, path, form, { cookies });

    expect([faulty.status, status]).toEqual([422, 303]);
    expect(await pages.repositories.websites.find(wholeAccount(pages.accountId), website.id)).toMatchObject({
      privacy: 'private',
      excludedParams: ['b'],
      excludedIps: ['192.0.2.1'],
    });
  });

  test('send each checkbox, checked or not, and the last of repeated fields counts', async () => {
    const website = await pages.addWebsite({ excludeBots: true });
    const { cookies } = await signIn(pages);
    const { text } = await pages.send('GET', `/websites/${website.id}`, { cookies });

    await postForm(pages, `/websites/${website.id}`, 'exclude_bots=0&email=0&email=1', { cookies });

    expect(text).toContain('<input type="hidden" name="exclude_bots" value="0"/>');
    const stored = await pages.repositories.websites.find(wholeAccount(pages.accountId), website.id);
    expect([stored?.excludeBots, stored?.emailReports]).toEqual([false, true]);
  });

  test('set a time zone, which the form offers, and suggest one for an unknown name', async () => {
    const website = await pages.addWebsite();
    const { cookies } = await signIn(pages);
    const path = `/websites/${website.id}`;

    const unknown = await postForm(pages, path, { time_zone: 'Kolkata' }, { cookies });
    await postForm(pages, path, { time_zone: 'Asia/Kolkata' }, { cookies });

    const { text } = await pages.send('GET', path, { cookies });
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('Did you mean Asia/Kolkata?')]);
    expect(text).toMatch(/name="time_zone" value="Asia\/Kolkata"/);
    expect(text).toContain('<option value="America/Argentina/Buenos_Aires">');
    expect(text).toContain('A change affects later hits only.');
  });

  test('set aliases, one a line, and name the one that another website has', async () => {
    const website = await pages.addWebsite();
    await pages.addWebsite({ aliases: ['matomo:7'] }, pages.otherAccountId);
    const { cookies } = await signIn(pages);
    const path = `/websites/${website.id}`;

    await postForm(pages, path, { aliases: 'blog.example\r\nmatomo:3' }, { cookies });
    const taken = await postForm(pages, path, { aliases: 'blog.example\r\nmatomo:7' }, { cookies });

    const { text } = await pages.send('GET', path, { cookies });
    expect(text).toContain('>blog.example\nmatomo:3</textarea>');
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('Another website has alias 2')]);
    expect(taken.text).toContain('>blog.example\r\nmatomo:7</textarea>');
  });

  test('refuse a privacy that is none of the three', async () => {
    const website = await pages.addWebsite();
    const { cookies } = await signIn(pages);

    const { status, text } = await postForm(pages, `/websites/${website.id}`, { privacy: '9' }, { cookies });

    expect([status, text]).toEqual([422, expect.stringContaining('id="privacy-fault"')]);
  });

  test('are 404 for a website of another account', async () => {
    const foreign = await pages.addWebsite({}, pages.otherAccountId);
    const { cookies } = await signIn(pages);

    for (const page of ['', '/snippet', '/dropped', '/check', '/delete']) {
      expect((await pages.send('GET', `/websites/${foreign.id}${page}`, { cookies })).status).toBe(404);
    }
    for (const page of ['', '/check']) {
      const form = { url: foreign.url, privacy: '0' };
      expect((await postForm(pages, `/websites/${foreign.id}${page}`, form, { cookies })).status).toBe(404);
    }
    expect(await pages.repositories.websites.find(wholeAccount(pages.otherAccountId), foreign.id)).toEqual(foreign);
  });

  test('are shown but cannot be changed with a key of scope read', async () => {
    const website = await pages.addWebsite();
    const { cookies } = await signIn(pages, 'read');

    const seen = await pages.send('GET', `/websites/${website.id}`, { cookies });
    const added = await pages.send('GET', '/websites/new', { cookies });
    const form = { url: website.url, address: website.url, privacy: '0' };
    const statuses = await Promise.all(
      ['/websites', `/websites/${website.id}`, `/websites/${website.id}/delete`].map(
        async (path) => (await postForm(pages, path, form, { cookies })).status,
      ),
    );

    for (const { text } of [seen, added]) {
      expect(text).toContain('<fieldset class="all" disabled>');
      expect(text).toContain('You are signed in with a read-only key');
    }
    expect(statuses).toEqual([403, 403, 403]);
    expect(await pages.repositories.websites.find(wholeAccount(pages.accountId), website.id)).toEqual(website);
  });

  test('need a session', async () => {
    const website = await pages.addWebsite();

    for (const path of ['/websites/new', `/websites/${website.id}`, `/websites/${website.id}/dropped`]) {
      const { status, headers } = await pages.send('GET', path);
      expect([status, headers.location, headers['cache-control']]).toEqual([303, signInPath(path), 'no-store']);
    }
    const { status, headers } = await postForm(pages, `/websites/${website.id}/delete`, { address: website.url });
    expect([status, headers.location]).toEqual([303, signInPath(`/websites/${website.id}/delete`)]);
  });
});

/** What a browser would send of the form of the settings, without the texts of several lines that it shows. */
function formOfPage(html: string): Record<string, string> {
  const form: Record<string, string> = {};
  for (const [tag] of html.matchAll(/<input[^>]*>/g)) {
    const [, name] = /name="([^"]*)"/.exec(tag) ?? [];
    const [, value = ''] = /value="([^"]*)"/.exec(tag) ?? [];
    const isSent = !/type="(radio|checkbox)"/.test(tag) || / checked/.test(tag);
    if (name !== undefined && isSent) form[name] = value.replace(/\r?\n/g, '\r\n');
  }
  return form;
}

describe('adding a website', () => {
  test('asks for its address alone, and takes the zone of the browser', async () => {
    const { cookies } = await signIn(pages);
    const form = await pages.send('GET', '/websites/new', { cookies });
    const zoneOf = async (host: string, guessed_zone: string) => {
      const { headers } = await postForm(pages, '/websites', { url: host, guessed_zone }, { cookies });
      const id = String(headers.location).split('/')[2] ?? '';
      return (await pages.repositories.websites.find(wholeAccount(pages.accountId), id))?.timeZone;
    };

    expect(form.text.match(/<input (?!type="hidden")[^>]*name="/g)).toHaveLength(1);
    expect(await zoneOf('a.example', 'Asia/Kolkata')).toBe('Asia/Kolkata');
    expect(await zoneOf('b.example', 'Nowhere/Else')).toBeNull();
    expect((await pages.send('GET', '/websites/new', { cookies })).text).toContain('value="Asia/Kolkata"');
  });

  test('leads to a page that waits for the first visit, and says why hits are not counted', async () => {
    const { cookies } = await signIn(pages);
    const website = await pages.addWebsite();
    const path = `/websites/${website.id}/snippet`;
    await pages.repositories.hits.add(
      [],
      [{ websiteId: website.id, day: '2026-11-20', reason: 'foreign_host', hits: 412 }],
    );
    const waiting = await pages.send('GET', path, { cookies });
    await pages.addHits(website, [{}]);
    const counted = await pages.send('GET', path, { cookies });

    expect(waiting.text).toContain('data-waiting="412"');
    expect(waiting.text).toContain('412: The page belongs to another website.');
    expect(counted.text).not.toContain('data-waiting');
  });
});
