import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClickHouseServer, skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKey, createTestDatabase, type DatabaseSettings, runCommand } from './support/commands.ts';
import { call, eventually, runProgram, type Service, startService } from './support/program.ts';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
/** A password that must appear nowhere. */
const PASSWORD = 'correct-horse';

/** A server that responds to everything with this text, and counts as another program. */
async function serverOf(text: string, status = 200): Promise<string> {
  const server: Server = createServer((_, response) => response.writeHead(status).end(text)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://user:${PASSWORD}@127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The text of a response with an error of ClickHouse. */
function exceptionOf(code: number, type: string): string {
  return `Code: ${code}. DB::Exception: user: It says why. (${type}) (version 25.8.1.1 (official build))\n`;
}

async function createWebsite(service: Service, key: string): Promise<string> {
  const body = new URLSearchParams({ url: 'https://example.com', privacy: '0' });
  const created = await call(service, key, '/api/v1/websites', { method: 'POST', body });
  const { data } = (await created.json()) as { data: { id: string } };
  return data.id;
}

async function sendHit(service: Service, website: string, page: string): Promise<number> {
  const body = JSON.stringify({ website, url: `https://example.com${page}` });
  const headers = { 'content-type': 'text/plain', 'user-agent': AGENT };
  return (await fetch(`${service.url}/hits`, { method: 'POST', body, headers })).status;
}

const readiness = async (service: Service) => (await fetch(`${service.url}/readyz`)).json();

describe.skipIf(skipsClickHouse)('CLICKHOUSE_URL', () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.close());

  /** Empty databases of both kinds. */
  const settings = async () => {
    databases += 1;
    await server.query(`create database test_${databases}`);
    const CLICKHOUSE_URL = `${server.url.replace('//', `//user:${PASSWORD}@`)}/test_${databases}`;
    return { ...(await createTestDatabase()), CLICKHOUSE_URL };
  };
  let databases = 0;
  const start = async (env: DatabaseSettings) => {
    const service = await startService(env);
    const key = await createKey(env);
    return { service, key, website: await createWebsite(service, key) };
  };

  test('hits are in all numbers once they are acknowledged, and none is missing after an outage', async () => {
    const { service, key, website } = await start(await settings());
    const read = (path = '') => call(service, key, `/api/v1/websites/${website}/statistics${path}`);
    const statisticsOf = async (path = '') => ((await (await read(path)).json()) as { data: unknown }).data;
    const metricsOf = async () => (await call(service, key, '/metrics')).text();

    const statuses = [await sendHit(service, website, '/é'), await sendHit(service, website, '/b')];

    expect(statuses).toEqual([202, 202]);
    expect(await statisticsOf()).toMatchObject({ visitors: 1, visits: 1, pageviews: 2 });
    expect(await statisticsOf('/by/entry_page')).toMatchObject([{ value: '/%C3%A9', visits: 1 }]);
    expect(await statisticsOf('/current')).toEqual({ visitors: 1 });
    expect(await readiness(service)).toEqual({ status: 'ok', engine: 'ok' });
    const metrics = await metricsOf();
    expect(metrics).toMatch(/^hitherto_hand_over_waiting 0$/m);
    expect(metrics).toMatch(/^hitherto_hand_over_duration_seconds_count\{outcome="done"\} [1-9]/m);

    // While it is away, hits are acknowledged and statistics are 503. Then nothing is missing.
    await server.kill();
    const status = await sendHit(service, website, '/during');
    const refused = await read();
    const page = await fetch(`${service.url}/statistics/${website}`);
    const state = await readiness(service);
    // The metrics may be a second old.
    await eventually(async () => /^hitherto_hand_over_waiting 1$/m.test(await metricsOf()));
    await server.restart();
    await eventually(async () => (await read()).status === 200);
    const after = await statisticsOf();
    const { stdout } = await service.stop();

    expect(status).toBe(202);
    expect([refused.status, page.status]).toEqual([503, 503]);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3);
    expect(Number(page.headers.get('retry-after'))).toBeLessThanOrEqual(3);
    expect(state).toEqual({ status: 'ok', engine: 'unavailable' });
    expect(after).toMatchObject({ pageviews: 3 });
    expect(stdout).not.toContain(PASSWORD);
  });

  test('a service that cannot reach it at the start collects, and counts once it is there', async () => {
    const env = await settings();
    await server.kill();
    const { service, key, website } = await start(env);
    const status = await sendHit(service, website, '/');
    await server.restart();
    const read = () => call(service, key, `/api/v1/websites/${website}/statistics`);
    await eventually(async () => (await read()).status === 200);

    expect(status).toBe(202);
    expect(await (await read()).json()).toMatchObject({ data: { pageviews: 1 } });
    expect((await service.stop()).stdout).toContain('the engine of statistics is not reachable yet');
  });

  test.each([
    ['another program', 'hello\n', 200, 'does not respond as ClickHouse does'],
    ['a wrong password', exceptionOf(516, 'AUTHENTICATION_FAILED'), 403, 'does not accept the user and password'],
  ])('%s is rejected with one sentence', async (_, text, status, message) => {
    const CLICKHOUSE_URL = await serverOf(text, status);

    const { code, stderr, stdout } = await runProgram(['serve'], {
      ...(await createTestDatabase()),
      PORT: '0',
      CLICKHOUSE_URL,
    });

    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr + stdout).not.toContain(PASSWORD);
  });

  test('a proxy that cannot reach it counts as away', async () => {
    const CLICKHOUSE_URL = await serverOf('<h1>502 Bad Gateway</h1>', 502);

    const { service, website } = await start({ ...(await createTestDatabase()), CLICKHOUSE_URL });
    const status = await sendHit(service, website, '/');
    const state = await readiness(service);
    await service.stop();

    expect(status).toBe(202);
    expect(state).toEqual({ status: 'ok', engine: 'unavailable' });
  });

  test('the statistics of a database stay in one engine', async () => {
    const env = await settings();
    const { service, website } = await start(env);
    await sendHit(service, website, '/');
    await service.stop();
    const { CLICKHOUSE_URL, DATABASE_URL } = env;

    const without = await runProgram(['serve'], { DATABASE_URL, PORT: '0' });
    const other = await createTestDatabase();
    const inside = await start(other);
    await sendHit(inside.service, inside.website, '/');
    await inside.service.stop();
    const outside = await runProgram(['serve'], { ...other, PORT: '0', CLICKHOUSE_URL });
    // Clones of one template are one installation.
    const another = await createTestDatabase('template0');
    const foreign = await runProgram(['serve'], { ...another, PORT: '0', CLICKHOUSE_URL });

    expect([without.code, outside.code, foreign.code]).toEqual([1, 1, 1]);
    expect(foreign.stderr).toContain('the statistics of another installation');
    expect(without.stderr).toContain('set CLICKHOUSE_URL');
    expect(outside.stderr).toContain('has statistics of its own');
  });

  describe('statistics check-engine', () => {
    test('tells what holds, and leaves nothing behind', async () => {
      const { code, stdout, stderr } = await runCommand(['statistics', 'check-engine', server.url]);
      const left = await server.query('show databases');

      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(stdout.match(/^ok {6}/gm)).toHaveLength(9);
      expect(stdout).toContain('hits count once after a cut connection: 20000 hits, 15000 visits');
      expect(left).not.toContain('hitherto_check');
    });

    test('names a server that is another program in one sentence', async () => {
      const url = await serverOf('<!doctype html><p>Not found', 404);

      const { code, stdout } = await runCommand(['statistics', 'check-engine', url]);

      expect(code).toBe(1);
      expect(stdout).toBe(
        'FAILED  the version is recent enough: CLICKHOUSE_URL names a server that does not respond as ClickHouse does.\n',
      );
    });

    test('exits with 1 where something does not hold, without the password', async () => {
      const { code, stdout } = await runCommand(['statistics', 'check-engine'], {
        CLICKHOUSE_URL: await serverOf('{"version":"21.8.1"}\n'),
      });

      expect(code).toBe(1);
      expect(stdout).toContain('FAILED  the version is recent enough: ClickHouse 21.8.1 is too old');
      expect(stdout).not.toContain(PASSWORD);
    });
  });
});
