import { addDays } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { changeOf, METRICS } from '@hitherto/domain/format';
import type { CountedHit } from '@hitherto/domain/hits';
import { aCountedHit, aWebsite } from '@hitherto/testing/fixtures';
import { ENGLISH } from '@hitherto/words';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFaces } from './support/faces.ts';

// pages.md: the numbers of the page are those of the API, over HTTP.

const FROM = '2026-11-07';
const TO = '2026-11-20';
const website = aWebsite({ url: 'https://ex.com', privacy: 'public' });

let faces: Awaited<ReturnType<typeof serveFaces>>;
beforeAll(async () => {
  faces = await serveFaces(() => new Date('2026-11-20T12:00:00.000Z'));
  await faces.repositories.websites.insert(faces.accountId, website, UNRECORDED);
  await faces.repositories.hits.add([...hitsOfSixWeeks()]);
});
afterAll(() => faces.app.close());

/** Some thousand hits that differ in every dimension, and grow from week to week. */
function* hitsOfSixWeeks(): Generator<CountedHit> {
  for (let index = 0; index < 2_000; index += 1) {
    const day = addDays('2026-10-10', Math.floor(Math.sqrt(index / 2_000) * 42));
    const isEvent = index % 11 === 0;
    yield aCountedHit({
      websiteId: website.id,
      day,
      time: new Date(Date.parse(`${day}T08:00:00Z`) + (index % 97) * 61_000),
      visitor: BigInt(index % 61),
      page: ['/', '/é', '/a?b=1', '/"<🦊>'][index % 4] ?? '/',
      source: index % 5 === 0 ? null : `Source ${index % 17}`,
      country: ['DE', 'FR', null][index % 3] ?? null,
      name: isEvent ? `Event ${index % 2}` : null,
      props: isEvent ? { plan: 'é' } : null,
    });
  }
}

interface Numbers {
  readonly [metric: string]: number | null;
}

async function readApi<T>(path: string): Promise<T> {
  const { status, text } = await faces.send('GET', `/api/v1/websites/${website.id}/statistics${path}`);
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

const decodeEntities = (html: string) =>
  html.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '&');

/** The numbers of a page with the texts of their changes. */
function figuresIn(page: string): string[][] {
  const figure =
    /data-metric="(\w+)" data-value(?:="([^"]*)")?[^>]*>[^<]*<\/strong>(?:<span class="change[^"]*"><span aria-hidden="true">([^<]*)<)?/g;
  return [...page.matchAll(figure)].map(([, metric = '', value = '', change = '']) => [metric, value, change]);
}

/** The rows of a list on the page: the value, and the numbers as digits only. */
function rowsIn(page: string, dimension: string): string[][] {
  const [, table = ''] = new RegExp(`<table data-dimension="${dimension}">(.*?)</table>`).exec(page) ?? [];
  return [...table.matchAll(/<tr data-value(?:="([^"]*)")?>(.*?)<\/tr>/g)].map(([, value = '', row = '']) => [
    decodeEntities(value),
    ...[...row.matchAll(/data-metric="(?:visitors|events)">(.*?)<\/td>/g)].map(([, cell = '']) =>
      cell.replace(/\D/g, ''),
    ),
  ]);
}

test.each([
  '',
  '&source=Source+3',
  '&source=&country=DE',
  '&page=/a?b%3D1',
  '&event=Event+0',
  `&page=${encodeURIComponent('/"<🦊>')}`,
])('the page has the numbers of the API, with the filters "%s"', async (filters) => {
  const query = `?from=${FROM}&to=${TO}${filters}`;
  const { data, comparison } = await readApi<{ data: Numbers; comparison: { data: Numbers } }>(
    `${query}&compare=previous`,
  );

  const { status, text } = await faces.send('GET', `/statistics/${website.id}${query}`);

  expect(status).toBe(200);
  expect(data.visitors).toBeGreaterThan(0);
  // No pageview was measured.
  expect(figuresIn(text)).toEqual(
    METRICS.filter((metric) => metric !== 'engaged_seconds').map((metric) => {
      const change = changeOf(ENGLISH, metric, data[metric] ?? null, comparison.data[metric] ?? null);
      return [metric, String(data[metric] ?? ''), change?.arrow ?? ''];
    }),
  );
  for (const [, dimension = ''] of text.matchAll(/data-dimension="(\w+)"/g)) {
    if (dimension === 'property') continue;
    const list = await readApi<{ data: (Numbers & { value: string | null })[] }>(`/by/${dimension}${query}`);
    const rows = list.data.map(({ value, visitors, events }) => [
      value ?? '',
      String(visitors),
      ...(dimension === 'event' ? [String(events)] : []),
    ]);
    expect([dimension, rowsIn(text, dimension)]).toEqual([dimension, rows]);
  }
});

test('the CSV of the page is the CSV of the API', async () => {
  const query = `?from=${FROM}&to=${TO}&country=DE`;
  const accept = { headers: { accept: 'text/csv' } };

  for (const [ofPage, ofApi] of [
    ['series.csv', 'series'],
    ['by/page.csv', 'by/page'],
    ['by/source.csv', 'by/source'],
  ]) {
    const page = await faces.send('GET', `/statistics/${website.id}/${ofPage}${query}`);
    const api = await faces.send('GET', `/api/v1/websites/${website.id}/statistics/${ofApi}${query}`, accept);

    expect([ofPage, page.status, page.text]).toEqual([ofPage, 200, `\ufeff${api.text}`]);
  }
});

test('the session of the owner’s pages is no key of the API', async () => {
  const host = 'stats.example';
  const signedIn = await faces.app.inject({
    method: 'POST',
    url: '/sign-in',
    headers: { host, origin: `https://${host}`, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ key: faces.key }).toString(),
  });
  const cookies = Object.fromEntries(signedIn.cookies.map(({ name, value }) => [name, value]));
  const session = cookies.hitherto_session ?? '';
  const ask = (url: string, headers = {}) => faces.app.inject({ url, cookies, headers: { host, ...headers } });

  expect((await ask('/')).statusCode).toBe(200);
  const ofCookie = await ask('/api/v1/websites');
  expect([ofCookie.statusCode, ofCookie.json().code]).toEqual([401, 'missing_key']);
  const ofToken = await ask('/api/v1/websites', { authorization: `Bearer ${session}` });
  expect([session.length, ofToken.statusCode, ofToken.json().code]).toEqual([43, 401, 'invalid_token']);
});
