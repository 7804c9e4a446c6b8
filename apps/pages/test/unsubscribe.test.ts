import { randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { unsubscribeToken } from '@hitherto/domain/reports';
import { type ReportKind, type Website, wholeAccount } from '@hitherto/domain/websites';
import { describe, expect, test } from 'vitest';
import { unsubscribePath } from '../src/shared/paths.ts';
import { startPagesForTest } from './support/pages.ts';

const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };

async function start(overrides: Partial<Website> = {}, kind: ReportKind = 'weekly') {
  const pages = await startPagesForTest({ publicUrl: 'https://stats.example' });
  const website = await pages.addWebsite({ emailReports: true, url: 'https://shop.example/<b>', ...overrides });
  const token = await unsubscribeToken({ secrets: pages.repositories.secrets, randomBytes }, website.id, { kind });
  const read = () => pages.repositories.websites.find(wholeAccount(pages.accountId), website.id);
  return { pages, website, token, path: unsubscribePath(website.id, token), read };
}

describe('GET of the link in a mail', () => {
  test('shows a button and changes nothing, as does HEAD', async () => {
    const { pages, website, path, read } = await start();

    const { status, headers, text } = await pages.send('GET', path);
    const head = await pages.send('HEAD', path);

    expect([status, head.status, headers['cache-control']]).toEqual([200, 200, 'no-store']);
    expect(text).toContain('shop.example/&lt;b>');
    expect(text).toContain(`<form method="post" action="${path.replace('&', '&amp;')}">`);
    expect(await read()).toEqual(website);
  });

  test('says so if the reports are already off', async () => {
    const { pages, path } = await start({ emailReports: false });

    const { status, text } = await pages.send('GET', path);

    expect(status).toBe(200);
    expect(text).toContain('Weekly reports are off');
    expect(text).not.toContain('<form');
  });
});

describe('the link in one of both reports', () => {
  test.each([
    ['weekly', 'Weekly reports are off', { emailReports: true, report: 'monthly' }],
    ['monthly', 'Monthly reports are off', { emailReports: true, report: 'weekly' }],
  ] as const)('turns off the %s one, and the other one stays', async (kind, title, left) => {
    const { pages, path, read } = await start({ report: 'both' }, kind);

    const texts = [await pages.send('GET', path), await pages.send('POST', path, { form: ONE_CLICK })];
    const again = await pages.send('POST', path, { form: ONE_CLICK });

    expect(texts.map(({ text }) => text.includes(title))).toEqual([false, true]);
    expect(again.text).toContain(title);
    expect(await read()).toMatchObject(left);
  });
});

describe('POST to the link in a mail', () => {
  test('turns off the reports of the website with one click of a mail program (RFC 8058), and changes nothing else', async () => {
    const { pages, website, path, read } = await start();
    const told: (string | undefined)[] = [];
    const watching = new AbortController();
    pages.repositories.directory.onChange((id) => told.push(id), watching.signal);
    pages.clock.advance(1_000);

    const { status, text } = await pages.send('POST', path, { form: ONE_CLICK });

    watching.abort();
    expect(status).toBe(200);
    expect(text).toContain('Weekly reports are off');
    expect(await read()).toEqual({ ...website, emailReports: false, updatedAt: pages.clock.now() });
    expect(told).toEqual([website.id]);
    const { entries } = await pages.repositories.audit.list(
      wholeAccount(pages.accountId),
      { websiteId: website.id },
      10,
    );
    expect(entries[0]).toMatchObject({
      action: 'website.updated',
      actor: { type: 'unsubscribe_link', id: null, label: null },
      network: expect.any(String),
      requestId: expect.any(String),
    });
  });

  test('works from any origin, and without a session', async () => {
    const { pages, path, read } = await start();

    const { status, cookies } = await pages.send('POST', path, {
      form: ONE_CLICK,
      headers: { origin: 'https://mail.example' },
    });

    expect([status, cookies]).toEqual([200, {}]);
    expect((await read())?.emailReports).toBe(false);
  });

  test.each([
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
    ['application/octet-stream', '\0\xff'],
    ['', ''],
  ])('accepts a body of type "%s"', async (type, payload) => {
    const { pages, path, read } = await start();

    const { statusCode } = await pages.app.inject({
      method: 'POST',
      url: path,
      payload,
      headers: { host: 'stats.example', ...(type === '' ? {} : { 'content-type': type }) },
    });

    expect(statusCode).toBe(200);
    expect((await read())?.emailReports).toBe(false);
  });

  test('can be repeated and changes nothing more', async () => {
    const { pages, path, read } = await start();
    await pages.send('POST', path, { form: ONE_CLICK });
    const first = await read();
    pages.clock.advance(1_000);

    const { status } = await pages.send('POST', path, { form: ONE_CLICK });

    expect(status).toBe(200);
    expect(await read()).toEqual(first);
  });

  test('keeps a concurrent change of the owner', async () => {
    const { pages, website, path, read } = await start();
    const changed = { ...website, excludeBots: false, updatedAt: new Date(website.updatedAt.getTime() + 1) };

    await Promise.all([
      pages.send('POST', path, { form: ONE_CLICK }),
      pages.repositories.websites.replace(pages.accountId, changed, website.updatedAt, UNRECORDED),
    ]);

    expect(await read()).toMatchObject({ emailReports: false, excludeBots: false });
  });
});

describe('a link that does not belong to the website', () => {
  test('is 404 and reveals nothing, like that of a deleted website', async () => {
    const { pages, website, token, path, read } = await start();
    const other = await pages.addWebsite({ emailReports: true });
    const gone = await pages.addWebsite();
    const goneToken = await unsubscribeToken({ secrets: pages.repositories.secrets, randomBytes }, gone.id, {
      kind: 'weekly',
    });
    await pages.repositories.websites.delete(pages.accountId, gone.id, undefined, UNRECORDED);
    const links = [
      unsubscribePath(other.id, token),
      unsubscribePath(website.id, `${token}x`),
      unsubscribePath(website.id, ''),
      unsubscribePath(gone.id, goneToken),
      '/reports/unsubscribe',
      '/reports/unsubscribe?website=%00&token=%ff',
    ];

    for (const link of links) {
      for (const method of ['GET', 'POST'] as const) {
        const { status, text } = await pages.send(method, link, method === 'POST' ? { form: ONE_CLICK } : {});
        expect([link, status]).toEqual([link, 404]);
        expect(text).not.toMatch(/shop|reports/i);
      }
    }
    expect((await read())?.emailReports).toBe(true);
    expect((await pages.send('GET', path)).status).toBe(200);
  });
});

test('no token is logged', async () => {
  const { pages, token, path } = await start();

  await pages.send('GET', path);
  await pages.send('POST', path, { form: ONE_CLICK });

  expect(pages.logs.length).toBeGreaterThan(0);
  expect(pages.logs.join('')).not.toContain(token);
});
