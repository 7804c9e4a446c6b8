import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

const HTML = 'text/html; charset=utf-8';

test('an error is an uncached page that shows the request id and no details', async () => {
  const pages = await startPagesForTest({
    now: () => {
      throw new Error('secret é 🦊');
    },
  });
  const website = await pages.addWebsite({ privacy: 'public' });

  const { status, headers, text } = await pages.send('GET', `/statistics/${website.id}`);

  expect([status, headers['content-type'], headers['cache-control']]).toEqual([500, HTML, 'no-store']);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
  expect(text).toContain(String(headers['x-request-id']));
  expect(text).not.toContain('secret');
});

test('every page is 503 before the database is ready', async () => {
  const pages = await startPagesForTest({ lifecycle: { isPrepared: false, isStopping: false } });

  for (const path of ['/', '/statistics/x', '/websites/new']) {
    const { status, headers } = await pages.send('GET', path);
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([503, HTML, '1']);
  }
});

test('a wrong method gets a 405 page with Allow', async () => {
  const pages = await startPagesForTest();

  const { status, headers } = await pages.send('POST', '/statistics/x', { form: {} });

  expect([status, headers['content-type'], headers.allow]).toEqual([405, HTML, 'GET, HEAD, OPTIONS']);
});

test.each([
  ['/sign-in', '/'],
  ['/websites', '/websites/new'],
  ['/statistics/x%2Fy/unlock', '/statistics/x%2Fy'],
])('GET %s, which only takes a form, leads to the page with that form', async (address, page) => {
  const pages = await startPagesForTest();

  const { status, headers } = await pages.send('GET', address);

  expect([status, headers.location]).toEqual([303, page]);
});

test('a form that cannot be read gets a 415 page', async () => {
  const pages = await startPagesForTest();
  const headers = { origin: 'http://stats.example', 'content-type': 'text/plain' };

  const { status, headers: sent } = await pages.send('POST', '/sign-in', { headers });

  expect([status, sent['content-type']]).toEqual([415, HTML]);
});
