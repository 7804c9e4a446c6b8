import { setTimeout } from 'node:timers/promises';
import { timeZone } from '@hitherto/domain/calendar';
import { createInMemoryRepositories } from '@hitherto/memory';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { expect, test } from 'vitest';
import { startApi } from '../support/api.ts';

// imports.md, "Coverage".

interface Report {
  readonly id: string;
  readonly status: string;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const DAY = '2026-11-19';
/** Twelve pageviews of three visitors each. */
const LOG = ['/a', '/b']
  .flatMap((page) => Array.from({ length: 12 }, (_, number) => lineOf(page, number * 2, `198.51.100.${number % 3}`)))
  .join('');

function lineOf(page: string, hour: number, ip: string): string {
  const time = `${String(hour).padStart(2, '0')}:${hour === 22 ? '59' : '00'}:00`;
  return `${ip} - - [19/Nov/2026:${time} +0000] "GET ${page} HTTP/1.1" 200 1 "-" "${FIREFOX}"\n`;
}

async function start() {
  const repositories = createInMemoryRepositories(timeZone('UTC'));
  const api = await startApi({ repositories });
  const { id } = await api.createWebsite({ url: 'https://example.com' });
  const path = `/api/v1/websites/${id}/coverage`;
  const send = (body: string, query = '') =>
    api.send('POST', `${path}${query}`, { body: Buffer.from(body), headers: { 'content-type': 'text/plain' } });
  return {
    api,
    repositories,
    path,
    send,
    track: (page: string, count: number) =>
      repositories.hits.add(
        Array.from({ length: count }, (_, number) =>
          aCountedHit({
            websiteId: id,
            host: 'example.com',
            page,
            browser: 'Firefox',
            day: DAY,
            visitor: BigInt(number),
            time: new Date(`${DAY}T12:00:00Z`),
          }),
        ),
      ),
    /** The report once the log is read: on a busy machine, that is after the response. */
    async compare(body: string, query = ''): Promise<Report> {
      const response = await send(body, query);
      expect(response.status).toBe(202);
      let { data } = response.json<{ data: Report }>();
      expect(response.headers.location).toBe(`${path}/${data.id}`);
      while (data.status === 'running') {
        await setTimeout(50);
        data = (await api.send('GET', `${path}/${data.id}`)).json<{ data: Report }>().data;
      }
      return data;
    },
  };
}

test('a log is set next to the tracker, and only the result is stored', async () => {
  const { api, path, track, compare } = await start();
  await track('/a', 9);

  const report = await compare(LOG);

  expect(report).toMatchObject({
    status: 'done',
    problem: null,
    result: {
      days: [{ day: DAY, log_pages: 24, tracked_pages: 9 }],
      share: 0.75,
      missing: [{ page: '/b', log: 12, tracked: 0, first_seen: DAY, last_tracked: null }],
      by_browser: [{ browser: 'Firefox', log: 12, tracked: 9, share: 0.75 }],
      ...{ lines: 24, judged: 24, bots: 0, from: DAY, to: DAY },
    },
  });
  const shown = await api.send('GET', `${path}/${report.id.toUpperCase()}`);
  expect(shown.json()).toEqual({ data: report });
  const listed = await api.send('GET', path);
  expect(listed.json()).toEqual({ data: [report] });
  expect(listed.text).not.toContain('198.51.100');
});

test('a file that is no log is rejected, and days without a pageview are a problem of the report', async () => {
  const { api, path, send, compare } = await start();

  const noLog = await send('{"a":1}\n');
  expect([noLog.status, noLog.json<{ code: string }>().code]).toEqual([422, 'invalid_file']);
  expect((await send(LOG, '?days=0')).status).toBe(422);
  expect((await api.send('GET', path)).json()).toEqual({ data: [] });
  expect(await compare(LOG, '?days=1')).toMatchObject({
    status: 'failed',
    problem: { code: 'precondition_failed', detail: expect.stringContaining('no pageview') },
  });
});

test('a report whose process has died has failed', async () => {
  const { api, repositories, path } = await start();
  const websiteId = path.split('/')[4] ?? '';
  const lost = {
    id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f31',
    createdAt: api.clock.now(),
    coverage: null,
    problem: null,
  };
  await repositories.coverages.insert({ accountId: api.accountId, websiteId }, lost);
  const status = async () => (await api.send('GET', path)).json<{ data: Report[] }>().data[0];

  expect(await status()).toMatchObject({ status: 'running', result: null, problem: null });
  api.clock.advance(31 * 60 * 1_000);
  expect(await status()).toMatchObject({ status: 'failed', problem: { code: 'interrupted' } });
});
