import { readFileSync } from 'node:fs';
import { BACKGROUNDS } from '@hitherto/domain/access';
import { AN_SVG, aPng } from '@hitherto/testing/pictures';
import { beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD_HASH, type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';
import { addPeople } from './support/people.ts';
import { share } from './support/sharing.ts';

// The look of an account (sharing.md, "Your own look").

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let path: string;
let website: Awaited<ReturnType<PagesUnderTest['addWebsite']>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite({ privacy: 'public' });
  const { sessions } = await addPeople(pages, website);
  cookies = { hitherto_session: sessions.owner };
  path = `/accounts/${pages.accountId}/brand`;
});

interface Look {
  readonly name?: string;
  readonly accent?: string;
  readonly logo?: Uint8Array | string;
  readonly remove_logo?: string;
}

/** Sends the form as a browser does. */
async function save(look: Look, as = cookies, headers: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  const { logo = '', ...fields } = look;
  for (const [name, value] of Object.entries({ name: '', accent: '', ...fields })) form.set(name, value);
  form.set('logo', new File([typeof logo === 'string' ? logo : new Uint8Array(logo)], 'logo.txt'));
  const request = new Request('http://stats.example/', { method: 'POST', body: form });
  const { statusCode: status, body: text } = await pages.app.inject({
    method: 'POST',
    url: path,
    headers: {
      host: 'stats.example',
      origin: 'http://stats.example',
      'content-type': request.headers.get('content-type') ?? '',
      ...headers,
    },
    cookies: { ...as },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status, text };
}

const get = (url: string, as: Received['cookies'] = {}) => pages.send('GET', url, { cookies: as });
const logoIn = ({ text }: Received) => /src="(\/brand\/[\da-f]{32}\.(?:png|svg))"/.exec(text)?.[1] ?? '';
const faultOf = ({ text }: { readonly text: string }, field: string) =>
  new RegExp(`id="${field}-fault"><li>([^<]*)`).exec(text)?.[1];
const brand = async () => (await pages.repositories.access.findAccount(pages.accountId))?.brand;

describe('the look of an account', () => {
  test('is on its public, shared and embedded pages, and on the form for a password', async () => {
    const locked = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH });
    const link = await share(pages, website);
    expect(await save({ name: 'Ægir <b>', accent: '#0F7345', logo: aPng() })).toMatchObject({ status: 303 });

    for (const url of [
      `/statistics/${website.id}`,
      `/statistics/${website.id}/by/page`,
      `/statistics/${website.id}/change`,
      `/statistics/${website.id}?embed=1`,
      `/statistics/${locked.id}`,
      link.path,
    ]) {
      const { text } = await get(url);
      expect(text).toMatch(
        /<p class="brand-line"><img src="\/brand\/[\da-f]{32}\.png" alt(?:="")?\/?><bdi>Ægir &lt;b><\/bdi>/,
      );
      expect(text).toContain('<link rel="stylesheet" href="/brand/accent-0f7345.css"');
      expect(text).toMatch(/<html[^>]* class="branded"/);
      expect(text).toMatch(/<link rel="icon" href="\/brand\/[\da-f]{32}\.png"/);
    }
  });

  test('is nowhere else: pages of other accounts and of the installation have the mark', async () => {
    await save({ name: 'Ægir', accent: '#0f7345', logo: aPng() });
    const foreign = await pages.addWebsite({ privacy: 'public' }, pages.otherAccountId);

    for (const url of [`/statistics/${foreign.id}`, '/', '/forgot', '/statistics/x']) {
      const { text } = await get(url);
      expect(text).toContain('<p class="brand-line" role="img" aria-label="Hitherto">');
      expect(text).not.toMatch(/branded|\/brand\//);
    }
    expect((await get(`/statistics/${foreign.id}?embed=1`)).text).not.toContain('brand-line');
  });

  test('changes in what is given, and has each change in the audit trail', async () => {
    await save({ name: 'Ægir', accent: '#0f7345', logo: AN_SVG });
    await save({ name: 'Ægir', accent: '' });
    await save({ name: '', accent: '', remove_logo: '1' });
    await save({ name: '', accent: '' });

    expect(await brand()).toEqual({ name: null, accent: null, logo: null });
    const reach = { accountId: pages.accountId, websiteIds: null };
    const entries = (await pages.repositories.audit.list(reach, {}, 10)).entries;
    const changes = entries.filter(({ action }) => action === 'account.updated').map((entry) => entry.changes);
    expect(changes).toEqual([
      [
        { field: 'brandName', before: 'Ægir', after: null },
        { field: 'logo', change: 'removed' },
      ],
      [{ field: 'brandAccent', before: '#0f7345', after: null }],
      [
        { field: 'brandName', before: null, after: 'Ægir' },
        { field: 'brandAccent', before: null, after: '#0f7345' },
        { field: 'logo', change: 'set' },
      ],
    ]);
  });

  test('with faults is not saved, and each fault is told', async () => {
    const rejected = await save({ name: 'x'.repeat(101), accent: '#ffff00', logo: '<svg onload="x">' });

    expect(rejected.status).toBe(422);
    expect(faultOf(rejected, 'name')).toContain('1 to 100 characters');
    expect(faultOf(rejected, 'accent')).toMatch(/contrast of 1(?:\.\d+)?:1 .*needs 4\.5:1/);
    expect(faultOf(rejected, 'logo')).toContain('onload');
    expect(faultOf(await save({ accent: 'red' }), 'accent')).toContain('#2f5bea');
    expect(faultOf(await save({ logo: 'GIF89a' }), 'logo')).toContain('neither a PNG nor an SVG');
    expect(faultOf(await save({ logo: new Uint8Array(60_000) }), 'logo')).toContain('50 kB');
    expect(await brand()).toEqual({ name: null, accent: null, logo: null });
  });

  test('is for owners, from this site alone', async () => {
    const key = await pages.issueKey(pages.accountId);
    const { cookies: ofKey } = await pages.send('POST', '/sign-in', {
      form: { key },
      headers: { origin: 'http://stats.example' },
    });

    expect((await get(path, cookies)).status).toBe(200);
    expect((await get(path)).status).toBe(303);
    expect((await get(path, ofKey)).status).toBe(403);
    expect((await save({ name: 'x' }, ofKey)).status).toBe(403);
    expect((await save({ name: 'x' }, cookies, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await get(`/accounts/${pages.otherAccountId}/brand`, cookies)).status).toBe(404);
    expect(await brand()).toEqual({ name: null, accent: null, logo: null });
  });

  test('is not read from other bodies', async () => {
    const origin = 'http://stats.example';
    const form = await pages.send('POST', path, { cookies, form: { name: 'x' }, headers: { origin } });
    const broken = await save({ name: 'x' }, cookies, { 'content-type': 'multipart/form-data; boundary=x' });

    expect([form.status, broken.status]).toEqual([415, 400]);
  });
});

describe('a logo', () => {
  test.each([
    [aPng(), 'image/png'],
    [AN_SVG, 'image/svg+xml; charset=utf-8'],
  ])('is served as what it is, for ever, and can do nothing', async (logo, type) => {
    await save({ logo });
    const url = logoIn(await get(`/statistics/${website.id}`));

    const { status, headers } = await get(url);

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const etag = `${headers.etag}`;
    expect((await pages.send('GET', url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('that nobody has is not found', async () => {
    await save({ logo: aPng() });
    const url = logoIn(await get(`/statistics/${website.id}`));
    await save({ remove_logo: '1' });

    for (const gone of [url, `/brand/${'0'.repeat(32)}.png`, '/brand/x', '/brand/accent-zzzzzz.css', '/brand/null']) {
      expect((await get(gone)).status).toBe(404);
    }
  });
});

test('the style sheet of an accent has it on light pages, and one that can be read on dark ones', async () => {
  const { text, headers } = await get('/brand/accent-0f7345.css');

  expect(headers['content-type']).toBe('text/css; charset=utf-8');
  expect(text).toMatch(/^\.branded\{--accent:light-dark\(#0f7345,#[\da-f]{6}\);/);
});

test('the contrast of accents is checked on the backgrounds of the style sheet', () => {
  const sheet = readFileSync(new URL('../assets/style.css', import.meta.url), 'utf8');
  const long = (colour: string) => (colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour);
  const of = (name: string) =>
    new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(sheet)?.slice(1).map(long);
  const backgrounds = ['ground', 'card', 'chip', 'notice'].map(of);

  expect(backgrounds.map((each) => each?.[0])).toEqual(BACKGROUNDS.light);
  expect(backgrounds.map((each) => each?.[1])).toEqual(BACKGROUNDS.dark);
});
