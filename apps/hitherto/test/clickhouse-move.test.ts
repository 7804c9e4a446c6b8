import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseServer, skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { runs } from '@hitherto/testing/runs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, runCommand } from './support/commands.ts';
import {
  call,
  dataFolder,
  eventually,
  firstKeyOf,
  runProgram,
  type Service,
  spawnProgram,
  startService,
} from './support/program.ts';

const KILLS = runs(1, 50);
const BATCH = 20;

describe.skipIf(skipsClickHouse)('statistics move', () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.close());

  /** Sends hits until it is stopped; returns how many were acknowledged. A failed batch is sent again under its key. */
  const startSender = (service: Service, key: string, website: string, name: string) => {
    let [batches, isOver] = [0, false];
    const statuses = new Set<number>();
    const send = async (): Promise<boolean> => {
      const hits = Array.from({ length: BATCH }, (_, place) => ({
        website,
        url: `https://example.com/${place}`,
        visitor: `v${(batches * 7 + place) % 90}`,
        time: new Date(Date.now() - place * 3_000_000).toISOString(),
      }));
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${name}-${batches}` };
      const init = { method: 'POST', headers, body: JSON.stringify({ hits }) };
      const { status } = await call(service, key, '/api/v1/hits', init).catch(() => ({ status: 0 }));
      statuses.add(status);
      return status === 202;
    };
    const running = (async () => {
      while (!isOver) {
        if (await send()) batches += 1;
        await sleep(10);
      }
    })();
    return {
      hits: () => batches * BATCH,
      stop: async () => {
        isOver = true;
        await running;
        return { hits: batches * BATCH, statuses: [...statuses] };
      },
    };
  };

  const pageviewsOf = async (service: Service, key: string, website: string) => {
    const response = await call(service, key, `/api/v1/websites/${website}/statistics`);
    const { data } = (await response.json()) as { data?: { pageviews: number } };
    return { status: response.status, wait: response.headers.get('retry-after'), pageviews: data?.pageviews };
  };

  test(`there and back under hits, killed ${KILLS} times each, loses and doubles none`, async () => {
    await server.query('create database moved');
    const CLICKHOUSE_URL = `${server.url}/moved`;
    const inside = { DATA_DIR: await dataFolder(), RATE_LIMIT_PER_MINUTE: '0' };
    const outside = { ...inside, CLICKHOUSE_URL };
    let service = await startService(inside);
    await eventually(() => service.output().stderr.includes('first.key'));
    const key = firstKeyOf(service);
    const body = new URLSearchParams({ url: 'https://example.com', privacy: '0' });
    const created = await call(service, key, '/api/v1/websites', { method: 'POST', body });
    const { id } = ((await created.json()) as { data: { id: string } }).data;
    let total = 0;

    for (const [to, env] of [
      ['clickhouse', outside],
      ['postgresql', inside],
    ] as const) {
      const sender = startSender(service, key, id, to);
      await eventually(() => sender.hits() >= 400);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const { child } = spawnProgram(['statistics', 'move', '--to', to], outside);
        await sleep(500 + Math.random() * 1_500);
        child.kill('SIGKILL');
      }
      const ended = await runProgram(['statistics', 'move', '--to', to], outside);
      const before = sender.hits();
      await eventually(() => sender.hits() > before);
      const { hits, statuses } = await sender.stop();
      total += hits;
      const old = await pageviewsOf(service, key, id);
      await service.stop();
      service = await startService(env);

      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stderr).toMatch(/every day has the same numbers|What else there was/);
      // While the last hits are copied, a batch may have to be sent again.
      expect(statuses.filter((status) => status !== 503)).toEqual([202]);
      expect(old).toMatchObject({ status: 503 });
      expect(Number(old.wait)).toBeLessThanOrEqual(3);
      expect(await pageviewsOf(service, key, id)).toMatchObject({ status: 200, pageviews: total });
    }
    const rehearsed = await runProgram(['statistics', 'move', '--to', 'postgresql', '--website', id], outside);
    await service.stop();

    expect([rehearsed.code, rehearsed.stderr]).toEqual([1, expect.stringContaining('are in PostgreSQL already')]);
  }, 900_000);

  test('names what is missing, in one sentence', async () => {
    const env = await createTestDatabase();
    const without = await runProgram(['statistics', 'move', '--to', 'clickhouse'], env);
    const away = await runProgram(['statistics', 'move', '--to', 'clickhouse'], {
      ...env,
      CLICKHOUSE_URL: 'http://user:correct-horse@127.0.0.1:9/',
    });
    const other = await runCommand(['statistics', 'move', '--to', 'mysql']);

    expect([without.code, away.code, other.code]).toEqual([1, 1, 2]);
    expect(without.stderr).toContain('Set CLICKHOUSE_URL');
    expect(away.stderr).toContain('ClickHouse cannot be reached.');
    expect(away.stderr).not.toContain('correct-horse');
    expect(other.stderr).toContain('Allowed choices are clickhouse, postgresql');
  });
});
