import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importHits, someHits } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, aQuery, at, settle } from '@hitherto/contracts/statistics/support';
import { NO_BRAND } from '@hitherto/domain/access';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TABLES } from '../src/tables/tables.ts';
import { openDatabases, runOnServer } from './databases.ts';

const AWAY = { code: 'unavailable' };

/** A server that responds with an error of ClickHouse. */
function failingServer(code: number, type: string): Promise<string> {
  const text = `Code: ${code}. DB::Exception: user: It says why. (${type}) (version 25.8.1.1 (official build))\n`;
  return serverOf(text, 403, { 'x-clickhouse-exception-code': String(code) });
}

/** A server that responds to everything with this text. */
async function serverOf(text: string, status: number, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, headers).end(text);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe.skipIf(skipsClickHouse)('ClickHouse', () => {
  /** Databases with three hits, which are handed over. */
  async function openWithHits() {
    const databases = await openDatabases();
    const { postgres, openEngine, run } = databases;
    const { websiteId } = await addWebsite(postgres);
    const hits = ['09:00', '09:01', '12:00'].map((time) => at(time, { websiteId, visitor: 1n, page: `/é${time}` }));
    await addHits(postgres, hits);
    const engine = openEngine();
    const read = async ({ statistics }: { readonly statistics: StatisticsRepository }) => {
      const { visits, pageviews } = await statistics.totals(aQuery(websiteId));
      return { visits, pageviews };
    };
    expect(await read(engine)).toEqual(ALL);
    const drop = async (tables: readonly string[]) => {
      for (const table of tables) await run(`drop table ${table} sync`);
    };
    return { ...databases, engine, read, drop };
  }
  const ALL = { visits: 2, pageviews: 3 };

  it.each([
    ['all tables', Object.keys(TABLES)],
    ['one table', ['visitor_day']],
  ])('that loses %s has the hits of the journal again, once, by itself', async (_, tables) => {
    const { engine, read, drop } = await openWithHits();

    await drop(tables);

    await expect(read(engine)).rejects.toMatchObject(AWAY);
    expect(await read(engine)).toEqual(ALL);
  });

  it('that has lost its tables while no process was there has the hits in the first read', async () => {
    const { openEngine, read, drop } = await openWithHits();
    await drop(Object.keys(TABLES));

    expect(await read(openEngine())).toEqual(ALL);
  });

  it('has the hits of the journal although the process was killed that created its tables again', async () => {
    const { openEngine, postgres, read, drop } = await openWithHits();
    await drop(Object.keys(TABLES));
    const killed = new Error('killed');
    const dying = openEngine({ ...postgres.journal, repeatSince: () => Promise.reject(killed) });
    await expect(dying.prepare()).rejects.toBe(killed);

    const next = openEngine();
    await next.prepare();

    expect(await read(next)).toEqual(ALL);
  });

  it('that loses rows has those of the journal again, once, by a rebuild', async () => {
    const { engine, read, run } = await openWithHits();
    await engine.maintenance.settle(new Date('2027-02-01T12:00:00.000Z'));
    for (const table of ['hit', 'visitor_day', 'summary']) await run(`truncate table ${table}`);
    expect(await read(engine)).toEqual({ visits: 0, pageviews: 0 });

    await engine.maintenance.rebuild({}, new Date());
    await engine.maintenance.rebuild({}, new Date());

    expect(await read(engine)).toEqual(ALL);
  });

  it('gives new websites and imports no numbers that were given after the backup of PostgreSQL which was restored', async () => {
    const { openEngine, postgres, restorePostgres } = await openDatabases();
    const website = await addWebsite(postgres);
    const before = { ...postgres, ...openEngine() };
    await importHits(before, website, someHits(website.websiteId));
    const lost = await addWebsite(postgres);
    await addHits(postgres, [at('12:00', { websiteId: lost.websiteId })]);
    await settle(before);

    const restored = await restorePostgres();
    await restored.access.insertAccount(
      {
        id: website.accountId,
        name: 'é',
        createdAt: new Date(),
        email: null,
        requiresSecondFactor: false,
        brand: NO_BRAND,
      },
      UNRECORDED,
    );
    await restored.websites.insert(website.accountId, aWebsite({ id: website.websiteId }), UNRECORDED);
    const ports = { ...restored, ...openEngine(restored.journal) };
    await ports.prepare();
    const { websiteId } = await addWebsite(restored);
    await importHits(ports, website, someHits(website.websiteId).slice(1));

    expect(await ports.statistics.totals(aQuery(websiteId))).toMatchObject({ pageviews: 0 });
    const whole = aQuery(website.websiteId, { from: '2026-10-01' });
    expect(await ports.statistics.totals(whole)).toMatchObject({ pageviews: 2, events: 1 });
  });

  it('without its database is away until somebody creates it, and then has the hits again', async () => {
    const { engine, openEngine, read, name } = await openWithHits();

    await runOnServer(`drop database ${name} sync`);

    await expect(read(engine)).rejects.toMatchObject(AWAY);
    await expect(read(engine)).rejects.toMatchObject(AWAY);
    await expect(openEngine().prepare()).rejects.toThrow('has no database of the name in CLICKHOUSE_URL');
    await runOnServer(`create database ${name}`);
    expect(await read(engine)).toEqual(ALL);
  });

  it.each([
    ['another program', 'hello\n', 200, 'does not respond as ClickHouse does'],
    ['a web server without such a page', '<!doctype html>\n<p>Not found', 404, 'does not respond as ClickHouse does'],
    ['a version that is too old', '{"version":"21.8.1"}\n', 200, 'ClickHouse 21.8.1 is too old'],
  ])('that is %s is rejected at the start', async (_, text, status, message) => {
    const { openEngine, postgres } = await openDatabases();

    await expect(openEngine(postgres.journal, await serverOf(text, status)).prepare()).rejects.toThrow(message);
  });

  it.each([
    [164, 'READONLY', 'lacks rights'],
    [192, 'UNKNOWN_USER', 'does not accept the user and password'],
    [497, 'ACCESS_DENIED', 'lacks rights'],
    [516, 'AUTHENTICATION_FAILED', 'does not accept the user and password'],
  ])('that responds with error %d is rejected at the start, and is away later', async (code, type, message) => {
    const { openEngine, postgres } = await openDatabases();
    const { websiteId } = await addWebsite(postgres);
    const engine = openEngine(postgres.journal, await failingServer(code, type));

    await expect(engine.prepare()).rejects.toThrow(message);
    await expect(engine.statistics.totals(aQuery(websiteId))).rejects.toMatchObject(AWAY);
  });
});
