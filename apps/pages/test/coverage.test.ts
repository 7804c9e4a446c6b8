import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

// docs/imports.md, "Coverage": the page.

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const LOG = ['/a', '/<b>']
  .flatMap((page) =>
    Array.from({ length: 12 }, (_, number) => {
      const time = `${String(number * 2).padStart(2, '0')}:${number === 11 ? '59' : '00'}:00`;
      return `198.51.100.${number % 3} - - [19/Nov/2026:${time} +0000] "GET ${page} HTTP/1.1" 200 1 "-" "${FIREFOX}"\n`;
    }),
  )
  .join('');

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let path: string;

beforeEach(async () => {
  pages = await startPagesForTest();
  ({ cookies } = await signIn(pages));
  const { id: websiteId } = await pages.addWebsite({ url: 'https://example.com' });
  path = `/websites/${websiteId}/coverage`;
  const hit = { websiteId, host: 'example.com', page: '/a', day: '2026-11-19', time: new Date('2026-11-19T12:00:00Z') };
  await pages.repositories.hits.add(
    Array.from({ length: 9 }, (_, number) => aCountedHit({ ...hit, visitor: BigInt(number) })),
  );
});

/** Sends the form as a browser does. */
async function upload(content: string, days = '') {
  const form = new FormData();
  form.set('days', days);
  form.set('file', new Blob([content]), 'access.log');
  const request = new Request('https://stats.example', { method: 'POST', body: form });
  const { statusCode, headers, body } = await pages.app.inject({
    method: 'POST',
    url: path,
    headers: {
      host: 'stats.example',
      origin: 'https://stats.example',
      'content-type': request.headers.get('content-type') ?? '',
    },
    cookies: { ...cookies },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status: statusCode, location: String(headers.location), text: body };
}

test('an uploaded log leads to a page of its result, which the list of logs names', async () => {
  const { status, location } = await upload(LOG);

  expect([status, location.startsWith(`${path}/`)]).toEqual([303, true]);
  await expect.poll(async () => (await pages.send('GET', location, { cookies })).text).toContain('19 Nov 2026');
  const { text } = await pages.send('GET', location, { cookies });
  expect(text).toContain('the tracker has 75\u00a0% of the pageviews in the log');
  expect(text).toMatch(/Without the snippet\?.*\/%3Cb%3E.*never.*12/s);
  expect(text).toContain('Visitors are not matched');
  const list = await pages.send('GET', path, { cookies });
  expect(list.text).toContain(`href="${location}"`);
  expect(list.text).toContain('Uploaded on 20 Nov 2026 at 12:00 UTC');
});

test('a file that is no log, and a number of days that is none, stay at the form with the reason', async () => {
  const noLog = await upload('{"a":1}\n', '7');
  expect([noLog.status, noLog.text.includes('Nothing was compared.')]).toEqual([422, true]);
  expect(noLog.text).toContain('value="7"');

  const noDays = await upload(LOG, '1e2');
  expect([noDays.status, noDays.text.includes('from 1 to 400')]).toEqual([422, true]);
  expect(
    await pages.repositories.coverages.list({ accountId: pages.accountId, websiteId: path.split('/')[2] ?? '' }),
  ).toEqual([]);
});

test('a key that only reads uploads nothing', async () => {
  ({ cookies } = await signIn(pages, 'read'));

  expect((await upload(LOG)).status).toBe(403);
});
