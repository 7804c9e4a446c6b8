import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { zipOf } from '@hitherto/testing/zip';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createKey, createTestDatabase, type DatabaseSettings } from './support/commands.ts';
import { call, type Service, startService } from './support/program.ts';

// docs/security.md, "Files of imports": small files that parsers of other programs take minutes for do not hold up the service.

const HEADER = 'session_id,url_path,event_type,created_at';
const ROW = 's,/a,1,2025-01-01 00:00:00';

/** Files that are at the limits, or at a share of them. */
const FILES: readonly (readonly [name: string, content: (share: number) => string | Buffer, query: string])[] = [
  [
    'of very many columns and short rows',
    (share) => gzipSync(`${HEADER}${','.repeat(1e6 * share)}\n${'a\n'.repeat(1.3e5 * share)}`),
    '',
  ],
  [
    'of as many columns as a table may have, and short rows',
    (share) => gzipSync(`${HEADER}${','.repeat(990)}\n${'a\n'.repeat(2e4 * share)}`),
    'keep_going=1&',
  ],
  [
    'with values of spaces',
    (share) => gzipSync(`${HEADER},browser\n${`${ROW},x${' '.repeat(1e6 * share)}x\n`.repeat(20)}`),
    '',
  ],
  [
    'with lines like a header of a log',
    (share) => gzipSync(`#Fields:${' '.repeat(65_000 * share)}x\ry\n`.repeat(100)),
    '',
  ],
  [
    'with logged paths of semicolons',
    (share) => {
      const uri = `/${';'.repeat(60_000 * share)}\u2028`;
      const request = { uri, method: 'GET', host: 'example.com', client_ip: '1.2.3.4' };
      return gzipSync(`${JSON.stringify({ ts: 1_735_689_600, request, status: 200 })}\n`.repeat(100));
    },
    'keep_going=1&',
  ],
  [
    'whose rows share the data of one event',
    (share) =>
      zipOf(
        {
          name: 'website_event.csv',
          content: `event_id,session_id,url_path,event_type,event_name,created_at\n${'e,s,/a,2,n,2026-01-01 00:00:00\n'.repeat(200)}`,
        },
        {
          name: 'event_data.csv',
          content: `event_id,data_key,data_type,string_value\n${`e,k0,1,${'x'.repeat(1_000)}\n`.repeat(66_000 * share)}`,
        },
      ),
    '',
  ],
  [
    'of deeply nested JSON',
    (share) => gzipSync(`[{"actionDetails":[]},${'['.repeat(8e6 * share)}${']'.repeat(8e6 * share)}]`),
    '',
  ],
];

/** The bounds on a machine that does nothing else; on a busy one, a harmless file adds what it takes itself, several times. */
const [REQUEST_MS, LIVE_MS, MEMORY_MB] = [2_000, 250, 200];
const [SLACK, ATTEMPTS] = [3, 3];
/** What a harmless file takes on a machine that does nothing else. */
const IDLE = { milliseconds: 0, live: 0 };
/** Shares of the limits. A file at a tenth of them is looked at as it is before it is imported. */
const RUNS = [
  [0.1, 'dry_run=0'],
  [1, 'dry_run=1'],
  [1, 'dry_run=0'],
] as const;
const HARMLESS = `${HEADER}\n${ROW}\n`;

let settings: DatabaseSettings;
let service: Service;
let key: string;
let id: string;

async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

/** Asks for `/livez` until the work is done. Resolves to the longest response time. */
async function slowestLiveCheck(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  void work
    .catch(() => {})
    .finally(() => {
      isDone = true;
    });
  let slowest = 0;
  while (!isDone) {
    const from = performance.now();
    await (await fetch(`${service.url}/livez`)).text();
    slowest = Math.max(slowest, performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return slowest;
}

beforeAll(async () => {
  settings = await createTestDatabase();
  key = await createKey(settings);
});

beforeEach(async () => {
  service = await startService({ ...settings, RATE_LIMIT_PER_MINUTE: '100000' });
  const running = service;
  onTestFinished(async () => {
    await running.stop();
  });
  await createWebsite();
});

async function createWebsite(): Promise<void> {
  const url = `https://${crypto.randomUUID()}.example`;
  const created = await call(service, key, '/api/v1/websites', { method: 'POST', body: new URLSearchParams({ url }) });
  id = ((await created.json()) as { data: { id: string } }).data.id;
}

interface Times {
  readonly milliseconds: number;
  /** The slowest response of `/livez` meanwhile. */
  readonly live: number;
}

interface Measured extends Times {
  readonly status: number;
}

async function measure(content: string | Buffer, query: string): Promise<Measured> {
  const from = performance.now();
  const path = `/api/v1/websites/${id}/imports?${query}`;
  const request = call(service, key, path, { method: 'POST', body: new Uint8Array(Buffer.from(content)) });
  const live = await slowestLiveCheck(request);
  const { status } = await request;
  return { status, milliseconds: performance.now() - from, live };
}

function isWithin(hostile: Times, harmless: Times): boolean {
  return (
    hostile.milliseconds < REQUEST_MS + SLACK * harmless.milliseconds && hostile.live < LIVE_MS + SLACK * harmless.live
  );
}

test('Small files hold up nothing, at a tenth of the limits and at all of them', { timeout: 600_000 }, async () => {
  const memory = await memoryOf(service.process.pid);
  for (const [name, content, query] of FILES) {
    for (const [share, run] of RUNS) {
      const body = content(share);
      let isInTime = false;
      let subject = '';
      // Other work only adds to the times.
      for (let attempt = 0; attempt < ATTEMPTS && !isInTime; attempt += 1) {
        await createWebsite();

        const hostile = await measure(body, `${query}${run}`);

        const harmless = isWithin(hostile, IDLE) ? IDLE : await measure(HARMLESS, 'dry_run=1');
        subject = `a file ${name}, ${share}, ${run}: ${JSON.stringify({ harmless, hostile })}`;
        expect([200, 202, 422], subject).toContain(hostile.status);
        isInTime = isWithin(hostile, harmless);
      }
      expect(isInTime, subject).toBe(true);
      // The service is the same for all files, and its memory is the most that it ever had.
      expect((await memoryOf(service.process.pid)) - memory, subject).toBeLessThan(MEMORY_MB);
    }
  }
});

test('An account that sends very many files at once has a few of them read, and is told to wait with the others', async () => {
  const rows = Array.from({ length: 100_000 }, (_, row) => `${row},/${row},1,2025-01-01 00:00:00`).join('\n');
  const send = (number: number) =>
    call(service, key, `/api/v1/websites/${id}/imports`, {
      method: 'POST',
      body: gzipSync(`${HEADER}\n${rows}\n${number},/,1,2025-01-01 00:00:00`),
    });

  const responses = await Promise.all(Array.from({ length: 14 }, (_, number) => send(number)));

  const rejected = responses.filter(({ status }) => status === 429);
  expect(rejected.length).toBeGreaterThanOrEqual(4);
  expect(await rejected[0]?.json()).toMatchObject({
    code: 'rate_limited',
    detail:
      'An account may have at most 10 files to import at a time. Wait until an import has ended, or delete a waiting one.',
  });
  expect(Number(rejected[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  const { data } = (await (await call(service, key, `/api/v1/websites/${id}/imports`)).json()) as {
    data: readonly { status: string; waits: boolean }[];
  };
  expect(data.filter(({ status, waits }) => status === 'running' && !waits).length).toBeLessThanOrEqual(1);
  expect(service.output().stderr).not.toContain('MaxListeners');
});
