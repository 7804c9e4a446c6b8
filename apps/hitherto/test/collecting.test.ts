import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { call, dataFolder, eventually, firstKeyOf, runProgram, type Service, startService } from './support/program.ts';

const curl = promisify(execFile);

/** The service with a website, as a newcomer has it. */
async function serviceWithWebsite(env: Record<string, string> = {}) {
  const DATA_DIR = await dataFolder();
  const service = await startService({ DATA_DIR, ...env });
  await eventually(() => service.output().stderr.includes('hto_'));
  const key = firstKeyOf(service);
  const created = await call(service, key, '/api/v1/websites', {
    method: 'POST',
    body: new URLSearchParams({ url: 'https://example.com', privacy: '0' }),
  });
  const { data } = (await created.json()) as { data: { id: string } };
  return { DATA_DIR, service, key, id: data.id };
}

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Sends a hit with curl, as a browser would, and returns the status and the reason for a drop. */
async function sendHit(service: Service, hit: object, agent = AGENT): Promise<string> {
  const args = ['-s', '-o', '/dev/null', '-w', '%{http_code} %header{hitherto-dropped}', '-A', agent];
  const { stdout } = await curl('curl', [
    ...args,
    ...['-H', 'Content-Type: text/plain', '-d', JSON.stringify(hit), `${service.url}/hits`],
  ]);
  return stdout.trim();
}

async function statisticsOf(service: Service, key: string, id: string, path = ''): Promise<unknown> {
  const response = await call(service, key, `/api/v1/websites/${id}/statistics${path}`);
  return ((await response.json()) as { data: unknown }).data;
}

describe('From a website to its numbers', () => {
  test('a hit is in every number once it is acknowledged, a dropped one is told with its reason', async () => {
    const { service, key, id } = await serviceWithWebsite();

    const counted = await sendHit(service, { website: id, url: 'https://example.com/é?page=2&utm_source=nl' });
    const dropped = await sendHit(service, { website: id, url: 'https://example.com/' }, 'Googlebot/2.1');
    const numbers = await statisticsOf(service, key, id);
    const pages = await statisticsOf(service, key, id, '/by/page');
    const current = await statisticsOf(service, key, id, '/current');

    expect([counted, dropped]).toEqual(['202', '202 bot']);
    expect(numbers).toMatchObject({ visitors: 1, visits: 1, pageviews: 1, events: 0, bounce_rate: 1 });
    expect(pages).toEqual([{ value: '/%C3%A9?page=2', visitors: 1, visits: 1, pageviews: 1 }]);
    expect(current).toEqual({ visitors: 1 });
    await eventually(async () => {
      const reasons = await statisticsOf(service, key, id, '/dropped');
      return JSON.stringify(reasons) === '[{"reason":"bot","hits":1}]';
    });
    await service.stop();
  });

  test('an excluded address is dropped within a second, and hits of a deleted website are refused', async () => {
    const { service, key, id } = await serviceWithWebsite();
    const hit = { website: id, url: 'https://example.com/' };
    await sendHit(service, hit);

    await call(service, key, `/api/v1/websites/${id}`, {
      method: 'PATCH',
      body: new URLSearchParams({ exclude_ips: '127.0.0.1\n::1' }),
    });
    await eventually(async () => (await sendHit(service, hit)) === '202 excluded_ip');
    await call(service, key, `/api/v1/websites/${id}`, { method: 'DELETE' });
    await eventually(async () => (await sendHit(service, hit)) === '404');

    await service.stop();
  });

  test('rebuilding changes no number', async () => {
    const { DATA_DIR, service, key, id } = await serviceWithWebsite();
    await sendHit(service, { website: id, url: 'https://example.com/a' });
    await sendHit(service, { website: id, url: 'https://example.com/b', name: 'Buy', props: { plan: 'é' } });
    const before = await statisticsOf(service, key, id);

    const rebuilt = await runProgram(['statistics', 'rebuild', '--website', id], { DATA_DIR });
    const after = await statisticsOf(service, key, id);
    await service.stop();

    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, 'Rebuilt 1 day of statistics.\n']);
    expect(after).toEqual(before);
  });
});

describe('statistics rebuild', () => {
  test.each([
    ['--from', '2026-02-30'],
    ['--to', 'yesterday'],
  ])('refuses %s %s as wrong usage', async (option, day) => {
    const { code, stderr } = await runProgram(['statistics', 'rebuild', option, day]);

    expect(code).toBe(2);
    expect(stderr).toContain('2026-11-01');
  });

  test('says that there is no such website', async () => {
    const DATA_DIR = await dataFolder();

    const { code, stderr } = await runProgram(['statistics', 'rebuild', '--website', 'x'], { DATA_DIR });

    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no website of this id.')]);
  });
});
