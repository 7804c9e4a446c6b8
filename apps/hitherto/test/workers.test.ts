import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { rowsOf } from '@hitherto/testing/databases';
import { childrenOf, postmasterOf } from '@hitherto/testing/proc';
import { describe, expect, test } from 'vitest';
import { createKey, createTestDatabase, type DatabaseSettings } from './support/commands.ts';
import {
  call,
  dataFolder,
  eventually,
  firstKeyOf,
  isAlive,
  runProgram,
  type Service,
  startService,
} from './support/program.ts';

interface Line {
  readonly worker?: number;
  readonly msg: string;
  readonly in_ms?: number;
}

/** The lines of the log so far. */
function linesOf(service: Service, msg: string): readonly Line[] {
  const lines = service.output().stdout.split('\n').slice(0, -1);
  return lines.map((line): Line => JSON.parse(line)).filter((line) => line.msg === msg);
}

/** Starts the service, and waits until so many workers have been ready. */
async function startWorkers(count: number, env: Record<string, string>): Promise<Service> {
  const service = await startService({ WORKERS: String(count), ...env });
  await areReady(service, count);
  return service;
}

const areReady = (service: Service, count: number) => eventually(() => linesOf(service, 'ready').length >= count);

const workersOf = (service: Service) => childrenOf(service.process.pid ?? 0);

/** A database with a website, and a key for it. */
async function aDatabase(): Promise<{ env: DatabaseSettings; key: string }> {
  const env = await createTestDatabase();
  return { env, key: await createKey(env) };
}

async function addWebsite(service: Service, key: string): Promise<string> {
  const body = new URLSearchParams({ url: 'https://example.com' });
  const response = await call(service, key, '/api/v1/websites', { method: 'POST', body });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

/** Sends a request; resolves to its status, or to the code of the error. */
async function send(service: Service, path: string, agent: Agent, body?: string): Promise<number | string> {
  const headers = body === undefined ? {} : { 'content-type': 'text/plain', 'user-agent': AGENT };
  const sent = request(service.url + path, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
  try {
    const responded = once(sent, 'response');
    sent.end(body);
    const [response] = await responded;
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const hitOf = (website: string) => JSON.stringify({ website, url: 'https://example.com/' });

describe('several workers', () => {
  test('add up their metrics, and one that is killed under hits loses none that was acknowledged and is replaced', async () => {
    const { env, key } = await aDatabase();
    const service = await startWorkers(3, { ...env, RATE_LIMIT_PER_MINUTE: '0' });
    const website = await addWebsite(service, key);
    const hit = hitOf(website);

    let acknowledged = 0;
    for (let n = 0; n < 30; n += 1) if ((await send(service, '/hits', new Agent(), hit)) === 202) acknowledged += 1;
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const valuesOf = (name: string) =>
      [...metrics.matchAll(new RegExp(`^${name}worker="\\d"} (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
    const hits = valuesOf('hitherto_hits_total{outcome="counted",reason="",');

    expect(acknowledged).toBe(30);
    expect(valuesOf('hitherto_event_loop_busy_seconds_total{')).toHaveLength(3);
    expect(hits.reduce((sum, value) => sum + value, 0)).toBe(30);

    let sent = acknowledged;
    let isSending = true;
    const sendHits = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (isSending) {
        sent += 1;
        if ((await send(service, '/hits', agent, hit)) === 202) acknowledged += 1;
        await sleep(5);
      }
      agent.destroy();
    };
    const sending = Promise.all(Array.from({ length: 6 }, sendHits));
    for (const killed of [1, 2]) {
      process.kill(workersOf(service).at(-1) ?? 0, 'SIGKILL');
      await areReady(service, 3 + killed);
    }
    isSending = false;
    await sending;
    const response = await call(service, key, `/api/v1/websites/${website}/statistics`);
    const { pageviews } = ((await response.json()) as { data: { pageviews: number } }).data;
    const { code } = await service.stop();

    expect(pageviews).toBeGreaterThanOrEqual(acknowledged);
    expect(pageviews).toBeLessThanOrEqual(sent);
    const deaths = linesOf(service, 'a worker died and is started again');
    expect(deaths.map(({ in_ms }) => in_ms)).toEqual([100, deaths[0]?.worker === deaths[1]?.worker ? 200 : 100]);
    expect(code).toBe(0);
  });

  test('SIGTERM under load loses no request, and the exit code is 0', async () => {
    const { env, key } = await aDatabase();
    const service = await startWorkers(2, { ...env, DRAIN_SECONDS: '1', RATE_LIMIT_PER_MINUTE: '0' });
    const hit = hitOf(await addWebsite(service, key));
    const results = new Map<number | string, number>();
    const sendHits = async (agent: Agent) => {
      for (let result: number | string = 0; result !== 'ECONNREFUSED'; ) {
        result = await send(service, '/hits', agent, hit);
        results.set(result, (results.get(result) ?? 0) + 1);
      }
    };

    const sending = Promise.all(
      Array.from({ length: 12 }, (_, n) => sendHits(new Agent(n % 2 === 0 ? { keepAlive: true, maxSockets: 1 } : {}))),
    );
    await sleep(500);
    const { code } = await service.stop('SIGTERM');
    await sending;

    expect(code).toBe(0);
    expect([...results.keys()].sort()).toEqual([202, 'ECONNREFUSED']);
    const [stored] = await rowsOf<{ hits: number }>(
      env.DATABASE_URL,
      'select sum(hit_count)::integer as hits from journal_batch',
    );
    expect(stored?.hits).toBe(results.get(202));
  });

  test('run jobs in the first of them', async () => {
    const { env } = await aDatabase();
    const service = await startWorkers(2, env);

    await rowsOf(env.DATABASE_URL, 'drop table added_hits, webhook_delivery cascade');
    await eventually(() => linesOf(service, 'job failed').length >= 2);
    await sleep(1_000);
    await service.stop();

    expect(new Set(linesOf(service, 'job failed').map(({ worker }) => worker))).toEqual(new Set([1]));
  });

  test('share the embedded PostgreSQL, which stops with them, and the first key is told once', async () => {
    const DATA_DIR = await dataFolder();

    const service = await startWorkers(2, { DATA_DIR });
    const key = firstKeyOf(service);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await call(service, key, '/api/v1/websites')).status),
    );
    const postgres = postmasterOf(DATA_DIR);
    const { code, stderr } = await service.stop('SIGINT');

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(stderr.match(/first\.key/g)).toHaveLength(1);
    expect(code).toBe(0);
    expect(isAlive(postgres)).toBe(false);
  });

  test('end with the first process, even if that is killed', async () => {
    const service = await startService({ WORKERS: '2', DATABASE_URL: AWAY }, 'listening');
    const workers = workersOf(service);

    await service.stop('SIGKILL');
    await eventually(() => !workers.some(isAlive));

    expect(workers).toHaveLength(1);
  });

  test('a port in use is reported once, and ends the start with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    const { code, stderr } = await runProgram(['serve'], { DATABASE_URL: AWAY, PORT: String(port), WORKERS: '2' });
    other.close();

    expect(code).toBe(1);
    expect(stderr.match(/Cannot listen/g)).toHaveLength(1);
  });
});

/** A database that is away. */
const AWAY = 'postgresql://nobody@127.0.0.1:1/none';
