import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { timeZone } from '@hitherto/domain/calendar';
import { createInMemoryRepositories } from '@hitherto/memory';
import { zipOf } from '@hitherto/testing/zip';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from '../support/api.ts';

// docs/imports.md: imports as a resource.

interface Resource {
  readonly id: string;
  readonly status: string;
  readonly problem: object | null;
  readonly skipped: readonly { readonly reason: string; readonly rows: number; readonly example: string }[];
  readonly [field: string]: unknown;
}

let api: Api;
let id: string;
let count = 0;
beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  count += 1;
  ({ id } = await api.createWebsite({ url: `https://example.com/${count}` }));
});
afterAll(() => api.app.close());

/** A line of a file: a pageview at noon, unless told otherwise. */
const line = (day: string, overrides: object = {}) =>
  JSON.stringify({
    time: `${day}T12:00:00.000Z`,
    visitor: '1',
    host: 'example.com',
    page: '/é',
    channel: 'Direct',
    device: 'desktop',
    ...overrides,
  });

const fileOf = (...lines: readonly string[]) => `{"format":"hitherto","version":1}\n${lines.join('\n')}\n`;
const TWO_DAYS = fileOf(line('2026-01-01'), line('2026-01-02'), line('2026-01-02', { visitor: '2', page: '/b' }));

const upload = (body: string | Buffer, query = '', sent = {}) =>
  api.send('POST', `/api/v1/websites/${id}/imports${query}`, {
    body,
    headers: { 'content-type': 'application/octet-stream' },
    ...sent,
  });
const one = async (body: string | Buffer, query = '') => (await upload(body, query)).json<{ data: Resource }>().data;
const list = async () => (await api.send('GET', `/api/v1/websites/${id}/imports`)).json<{ data: Resource[] }>().data;
const totals = async () =>
  (await api.send('GET', `/api/v1/websites/${id}/statistics?from=2025-12-01&to=2026-12-31`)).json<{ data: object }>()
    .data;

describe('POST …/imports', () => {
  test('imports a file: 202 with its address, and all hits count', async () => {
    const response = await upload(TWO_DAYS);

    const { data } = response.json<{ data: Resource }>();
    expect(response.status).toBe(202);
    expect(response.headers.location).toBe(`/api/v1/websites/${id}/imports/${data.id}`);
    expect(data).toStrictEqual({
      id: expect.any(String),
      format: 'hitherto',
      status: 'done',
      waits: false,
      from: '2026-01-01',
      to: '2026-01-02',
      hits: 3,
      days: 2,
      rows: 3,
      share: 1,
      skipped: [],
      notes: [],
      problem: null,
      created_at: '2026-11-20T12:00:00.000Z',
    });
    expect(await totals()).toMatchObject({ visitors: 3, pageviews: 3 });
    expect((await api.send('GET', `${response.headers.location}`)).json<object>()).toStrictEqual({ data });
    expect(await list()).toStrictEqual([data]);
  });

  test('unpacks a file that gzip has compressed', async () => {
    expect(await one(gzipSync(TWO_DAYS))).toMatchObject({ status: 'done', hits: 3 });
  });

  test('returns the import that is there for the same file', async () => {
    const first = await one(TWO_DAYS);

    const again = await upload(TWO_DAYS);

    expect(again.status).toBe(200);
    expect(again.json<object>()).toStrictEqual({ data: first });
    expect(await totals()).toMatchObject({ pageviews: 3 });
  });

  test('rejects a file with a day that another import covers, naming that one', async () => {
    const first = await one(TWO_DAYS);

    const response = await upload(fileOf(line('2026-01-02', { visitor: '9' }), line('2026-01-03')));

    expect(response.status).toBe(409);
    expect(response.json<object>()).toMatchObject({ code: 'import_overlap', existing_id: first.id });
    expect(response.json<{ detail: string }>().detail).toContain('2026-01-02');
    expect(await list()).toHaveLength(1);
    expect(await totals()).toMatchObject({ pageviews: 3 });
  });

  test('leaves out the days from the first one on that was collected here', async () => {
    await api.hits.add([
      {
        websiteId: id,
        time: new Date('2026-01-02T08:00:00.000Z'),
        day: '2026-01-02',
        visitor: 7n,
        host: 'example.com',
        page: '/',
        referrer: null,
        source: null,
        channel: 'Direct',
        utmSource: null,
        utmMedium: null,
        utmCampaign: null,
        utmContent: null,
        utmTerm: null,
        country: null,
        language: null,
        browser: null,
        os: null,
        device: 'desktop',
        network: null,
        name: null,
        props: null,
      },
    ]);

    const imported = await one(TWO_DAYS);

    expect(imported).toMatchObject({ hits: 1, to: '2026-01-01' });
    expect(imported.skipped).toStrictEqual([
      {
        reason: 'collected_here',
        rows: 2,
        example: 'line 3: The website itself has collected hits since 2026-01-02.',
      },
    ]);
  });

  test('ends with the day "until", which is included', async () => {
    expect(await one(TWO_DAYS, '?until=2026-01-01')).toMatchObject({
      hits: 1,
      skipped: [{ reason: 'after_until', rows: 2, example: 'line 3: 2026-01-02 is after 2026-01-01.' }],
    });
  });

  test('of a dry run stores nothing, and says what an import would do', async () => {
    const response = await upload(TWO_DAYS, '?dry_run=1');

    expect(response.status).toBe(200);
    expect(response.json<{ data: Resource }>().data).toMatchObject({ id: null, hits: 3, from: '2026-01-01' });
    expect(await list()).toStrictEqual([]);
    expect(await totals()).toMatchObject({ pageviews: 0 });
  });

  test("applies the website's rules: hosts of others, and parameters to remove", async () => {
    await api.send('PATCH', `/api/v1/websites/${id}`, { json: { exclude_params: 'private' } });

    const imported = await one(
      fileOf(line('2026-01-01', { page: '/a?private=1' }), line('2026-01-01', { host: 'other.example' })),
    );

    expect(imported).toMatchObject({ hits: 1, skipped: [{ reason: 'foreign_host', rows: 1 }] });
    const pages = await api.send('GET', `/api/v1/websites/${id}/statistics/by/page?from=2026-01-01&to=2026-01-01`);
    expect(pages.json<object>()).toMatchObject({ data: [{ value: '/a' }] });
  });

  test('fails with more than 1 % of faulty rows, stores nothing, and names the first', async () => {
    const failed = await one(fileOf(line('2026-01-01'), '{"time":1}'));

    expect(failed).toMatchObject({ status: 'failed', problem: { code: 'invalid_file' } });
    expect(failed.problem).toMatchObject({ detail: expect.stringContaining('line 3: "visitor" is missing.') });
    expect(await totals()).toMatchObject({ pageviews: 0 });
  });

  test('imports the other rows with "keep_going"', async () => {
    const imported = await one(fileOf(line('2026-01-01'), 'no JSON'), '?keep_going=1');

    expect(imported).toMatchObject({ status: 'done', hits: 1, skipped: [{ reason: 'faulty', rows: 1 }] });
  });

  test('can be sent again after it failed', async () => {
    const file = fileOf(line('2026-01-01'), 'no JSON');
    await one(file);

    expect(await one(file, '?keep_going=1')).toMatchObject({ status: 'done' });
    expect((await list()).map(({ status }) => status)).toStrictEqual(['failed', 'done']);
  });

  test.each([
    ['a file of an unknown format', 'date,visitors\n2026-01-01,3\n', 'Unknown file format'],
    ['an empty file', '', 'is empty'],
    ['damaged gzip', gzipSync(TWO_DAYS).subarray(0, 20), 'damaged'],
    ['a damaged ZIP', zipOf({ name: 'a.jsonl', content: TWO_DAYS }).subarray(0, -9), 'cannot be read'],
    ['a ZIP with a changed entry', zipOf({ name: 'a.jsonl', content: TWO_DAYS, checksum: 1 }), 'a.jsonl of the ZIP'],
    [
      'a ZIP with a link',
      zipOf({ name: 'a.jsonl', content: '/etc/passwd', mode: 0o120777 }),
      'a.jsonl of the ZIP is a link',
    ],
    ['a ZIP that leads elsewhere', zipOf({ name: '../a.jsonl', content: TWO_DAYS }), 'relative path: ../a.jsonl'],
  ])('rejects %s in one sentence', async (_, body, words) => {
    const response = await upload(body);

    expect(response.status).toBe(422);
    expect(response.json<object>()).toMatchObject({ code: 'invalid_file', detail: expect.stringContaining(words) });
    expect(await list()).toStrictEqual([]);
  });

  test('says how to send the file in place of a form with it', async () => {
    const part = `--é\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n${TWO_DAYS}\r\n--é--\r\n`;

    const response = await upload(part, '', { headers: { 'content-type': 'Multipart/form-data; boundary=é' } });

    expect(response.status).toBe(422);
    expect(response.json<object>()).toMatchObject({ code: 'invalid_file', detail: expect.stringContaining('-T FILE') });
    expect(await list()).toStrictEqual([]);
  });

  test.each([
    ['format=csv', 'format', 'not_allowed'],
    ['until=tomorrow', 'until', 'not_allowed'],
    ['time_zone=Mars/Olympus', 'time_zone', 'not_allowed'],
    ['dry_run=2', 'dry_run', 'not_allowed'],
    ['mode=fast', 'mode', 'unknown'],
  ])('rejects %s', async (query, field, code) => {
    const response = await upload(TWO_DAYS, `?${query}`);

    expect(response.status).toBe(422);
    expect(response.json<object>()).toMatchObject({ code: 'validation', errors: [{ field, code }] });
  });

  test.each([
    [100, 200],
    [16_000, 429],
  ])(
    'counts against the allowance by its bytes: after a file of %d lines, a request returns %d',
    async (rows, status) => {
      const limited = await startApiForTest({ rateLimitPerMinute: 4 });
      const website = await limited.createWebsite({ url: 'https://example.com' });
      const lines = Array.from({ length: rows }, (_, visitor) => line('2026-01-01', { visitor: `${visitor}` }));

      const uploaded = await limited.send('POST', `/api/v1/websites/${website.id}/imports`, {
        body: fileOf(...lines),
        headers: { 'content-type': 'application/octet-stream' },
      });

      expect(uploaded.status).toBe(202);
      expect((await limited.send('GET', '/api/v1/websites')).status).toBe(status);
    },
  );

  test('needs scope write, and a website of the account', async () => {
    expect((await upload(TWO_DAYS, '', { key: api.readKey })).status).toBe(403);
    expect((await upload(TWO_DAYS, '', { key: api.otherKey })).status).toBe(404);
  });
});

describe('DELETE …/imports/{import_id}', () => {
  test('puts every number back, and lets the file be imported again', async () => {
    const before = await totals();
    const imported = await one(TWO_DAYS);

    const response = await api.send('DELETE', `/api/v1/websites/${id}/imports/${imported.id}`);

    expect(response.status).toBe(204);
    expect(await totals()).toStrictEqual(before);
    expect((await api.send('GET', `/api/v1/websites/${id}/imports/${imported.id}`)).status).toBe(404);
    expect((await api.send('DELETE', `/api/v1/websites/${id}/imports/${imported.id}`)).status).toBe(404);
    expect((await upload(TWO_DAYS)).status).toBe(202);
  });

  test('gets its response however long it takes', async () => {
    const { staging } = createInMemoryRepositories(timeZone('UTC'));
    const remove = async () => {
      await sleep(1_500);
      return true;
    };
    const slow = await startApiForTest({ staging: { ...staging, remove } });
    const website = await slow.createWebsite({ url: 'https://slow.example' });
    const base = await slow.app.listen({ port: 0, host: '127.0.0.1' });
    const headers = { authorization: `Bearer ${slow.key}`, 'content-type': 'application/octet-stream' };
    const address = `${base}/api/v1/websites/${website.id}/imports`;
    const posted = await fetch(address, { method: 'POST', headers, body: TWO_DAYS });
    const { data } = (await posted.json()) as { readonly data: Resource };
    slow.app.server.setTimeout(500);

    const { status } = await fetch(`${address}/${data.id}`, { method: 'DELETE', headers });

    expect(status).toBe(204);
  });

  test('is in the audit trail, as the import is', async () => {
    const imported = await one(TWO_DAYS);
    await api.send('DELETE', `/api/v1/websites/${id}/imports/${imported.id}`);

    const { data } = (await api.send('GET', `/api/v1/audit?website=${id}`)).json<{ data: object[] }>();

    expect(data.slice(0, 2)).toMatchObject([
      { action: 'import.deleted', subject: { id: imported.id, name: 'hitherto' } },
      { action: 'import.created', subject: { id: imported.id, name: 'hitherto' } },
    ]);
  });
});

test('webhooks that ask for it are told when an import has ended, done or failed', async () => {
  const json = { url: 'https://hooks.example/', events: ['import.finished'] };
  const hook = (await api.send('POST', '/api/v1/webhooks', { json })).json<{ data: Resource }>().data;

  await one(TWO_DAYS);
  await one(fileOf(line('2026-02-01', { host: 1 })));

  const deliveries = await api.send('GET', `/api/v1/webhooks/${hook.id}/deliveries`);
  expect(deliveries.json<{ data: Resource[] }>().data.map(({ type, status }) => [type, status])).toEqual([
    ['import.finished', 'pending'],
    ['import.finished', 'pending'],
  ]);
});
