import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Program, startProgram } from '@hitherto/testing/program';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from './support/commands.ts';
import { eventually, runProgram } from './support/program.ts';

const curl = promisify(execFile);

let program: Program;
beforeAll(async () => {
  program = await startProgram();
});
afterAll(() => program.stop());

/** A request with the program's key. */
const call = (path: string, init: RequestInit = {}) =>
  fetch(program.baseUrl + path, { ...init, headers: { authorization: `Bearer ${program.key}` } });

let websites = 0;
/** The id of a new website. */
async function createWebsite(): Promise<string> {
  websites += 1;
  const body = new URLSearchParams({ url: `https://example.com/${websites}`, privacy: '0' });
  const created = await call('/api/v1/websites', { method: 'POST', body });
  const { data } = (await created.json()) as { data: { id: string } };
  return data.id;
}

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Sends a hit with curl, as a browser would, and returns the status and the reason for a drop. */
async function sendHit(hit: object, agent = AGENT): Promise<string> {
  const args = ['-s', '-o', '/dev/null', '-w', '%{http_code} %header{hitherto-dropped}', '-A', agent];
  const { stdout } = await curl('curl', [
    ...args,
    ...['-H', 'Content-Type: text/plain', '-d', JSON.stringify(hit), `${program.baseUrl}/hits`],
  ]);
  return stdout.trim();
}

async function statisticsOf(id: string, path = ''): Promise<unknown> {
  const response = await call(`/api/v1/websites/${id}/statistics${path}`);
  return ((await response.json()) as { data: unknown }).data;
}

/** How many transactions have stored hits. */
async function batches(): Promise<number> {
  const text = await (await call('/metrics')).text();
  return Number(/^hitherto_hit_batch_size_count (\d+)$/m.exec(text)?.[1]);
}

describe('From a hit to the statistics', () => {
  test('a hit is in all numbers once it is acknowledged, and a dropped one is counted by its reason', async () => {
    const id = await createWebsite();

    const counted = await sendHit({ website: id, url: 'https://example.com/é?page=2&utm_source=nl' });
    const dropped = await sendHit({ website: id, url: 'https://example.com/' }, 'Googlebot/2.1');
    const numbers = await statisticsOf(id);
    const pages = await statisticsOf(id, '/by/page');
    const current = await statisticsOf(id, '/current');

    expect([counted, dropped]).toEqual(['202', '202 bot']);
    expect(numbers).toMatchObject({ visitors: 1, visits: 1, pageviews: 1, events: 0, bounce_rate: 1 });
    expect(pages).toEqual([
      { value: '/%C3%A9?page=2', visitors: 1, visits: 1, pageviews: 1, engaged_seconds: null, scroll_depth: null },
    ]);
    expect(current).toEqual({ visitors: 1 });
    await eventually(async () => {
      const reasons = await statisticsOf(id, '/dropped');
      return JSON.stringify(reasons) === '[{"reason":"bot","hits":1}]';
    });
  });

  test('the metrics count the batches that hits are stored in', async () => {
    // The metrics may be a second old.
    await sleep(1_000);
    const before = await batches();
    const id = await createWebsite();

    await sendHit({ website: id, url: 'https://example.com/' });

    await eventually(async () => (await batches()) > before);
    expect(await batches()).toBe(before + 1);
  });

  test('hits from a newly excluded address are dropped, and hits for a deleted website are rejected', async () => {
    const id = await createWebsite();
    const hit = { website: id, url: 'https://example.com/' };
    await sendHit(hit);

    await call(`/api/v1/websites/${id}`, {
      method: 'PATCH',
      body: new URLSearchParams({ exclude_ips: '127.0.0.1\n::1' }),
    });
    await eventually(async () => (await sendHit(hit)) === '202 excluded_ip');
    await call(`/api/v1/websites/${id}`, { method: 'DELETE' });
    await eventually(async () => (await sendHit(hit)) === '404');
  });

  test('rebuilding changes no number', async () => {
    const id = await createWebsite();
    await sendHit({ website: id, url: 'https://example.com/a' });
    await sendHit({ website: id, url: 'https://example.com/b', name: 'Buy', props: { plan: 'é' } });
    const before = await statisticsOf(id);

    const rebuilt = await runProgram(['statistics', 'rebuild', '--website', id], { DATA_DIR: program.dataDir });
    const after = await statisticsOf(id);

    // On a slow machine, lines of progress come before.
    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, expect.stringMatching(/^Rebuilt 1 day of statistics\.\n$/m)]);
    expect(after).toEqual(before);
  });
});

describe('statistics rebuild', () => {
  test.each([
    ['--from', '2026-02-30'],
    ['--to', 'yesterday'],
  ])('rejects %s %s as wrong usage', async (option, day) => {
    const { code, stderr } = await runCommand(['statistics', 'rebuild', option, day]);

    expect(code).toBe(2);
    expect(stderr).toContain('2026-11-01');
  });

  test('rejects a first day after the last as wrong usage', async () => {
    const days = ['--from', '2026-11-02', '--to', '2026-11-01'];

    const { code, stderr } = await runCommand(['statistics', 'rebuild', ...days]);

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--from 2026-11-02 must not be after --to 2026-11-01.'),
    ]);
  });

  test('reports an unknown website', async () => {
    const env = { DATA_DIR: program.dataDir };

    const { code, stderr } = await runProgram(['statistics', 'rebuild', '--website', 'x'], env);

    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no website with this id.')]);
  });
});
