import { randomBytes } from 'node:crypto';
import type { WrittenHit } from '@hitherto/domain/engine';
import { writeFields } from '@hitherto/domain/engine';
import { bareDetails, type CountedHit } from '@hitherto/domain/hits';
import { visitsOf } from '@hitherto/domain/visits';
import { type ClickHouse, openClient, withLaterSettings } from './connection/client.ts';
import { errorCodeOf } from './connection/errors.ts';
import { raw, type Sql, sql } from './connection/sql.ts';
import { createHandOver, type PlacedHit } from './hand-over/hand-over.ts';
import { compareReplicas } from './replicas.ts';
import { checkVersion } from './tables/prepare.ts';
import { createTables, storedTable, TABLES } from './tables/tables.ts';

/** A condition, and whether it holds on a server or cluster. */
export interface EngineCheck {
  readonly name: string;
  readonly holds: boolean;
  /** The observation, or an error without the URL. */
  readonly detail: string;
}

interface EngineCheckOptions {
  readonly url: string;
  readonly cluster?: string | undefined;
}

const VISITORS = 500;
/** Enough that the connection can be cut in the middle. */
const MANY_VISITORS = 10_000;
const START = Date.parse('2026-11-20T12:00:00.000Z');

/**
 * Checks a real server or cluster in a database of its own, which is dropped at the end. A check that does not hold ends the
 * ones that build on it.
 */
export async function* checkClickHouse({ url, cluster }: EngineCheckOptions): AsyncIterable<EngineCheck> {
  const database = `hitherto_check_${randomBytes(6).toString('hex')}`;
  const outer = openClient(url);
  const scratch = new URL(url);
  scratch.pathname = `/${database}`;
  let server = openClient(scratch.href);
  const on = raw(cluster === undefined ? '' : `on cluster ${cluster}`);
  const checks: readonly (readonly [string, () => Promise<string>])[] = [
    ['the version is recent enough', () => checkVersion(outer)],
    ['the user may create a database', () => done(outer.write(sql`create database ${raw(database)} ${on}`))],
    [
      'the tables can be created',
      async () => {
        server = await withLaterSettings(server);
        return create(server, cluster);
      },
    ],
    ['inserts reach the disk before they are confirmed', () => checkDurability(server)],
    ['inserts are not deferred', () => checkSetting(server, 'async_insert', '0')],
    ['hits make visits', () => count(server, hitsOf(1, VISITORS), 1)],
    ['hits that come again count once', () => count(server, hitsOf(1, VISITORS), 2)],
    ['hits count once after a cut connection', () => cut(server, scratch, hitsOf(2, MANY_VISITORS))],
    ...(cluster === undefined
      ? []
      : [['all replicas of a shard have the same hits', () => compareReplicas(server, cluster, database)] as const]),
    ['hits of a website can be deleted', () => remove(server, cluster)],
  ];
  try {
    for (const [name, check] of checks) {
      try {
        yield { name, holds: true, detail: await check() };
      } catch (error) {
        yield { name, holds: false, detail: describe(error) };
        return;
      }
    }
  } finally {
    await outer.write(sql`drop database if exists ${raw(database)} ${on}`).catch(() => {});
    await Promise.all([outer.close(), server.close()]);
  }
}

async function done(work: Promise<void>): Promise<string> {
  await work;
  return '';
}

async function create(server: ClickHouse, cluster: string | undefined): Promise<string> {
  for (const statement of createTables(cluster)) await server.write(statement);
  const rows = await server.read<{ engine: string }>(
    sql`select distinct engine from system.tables where database = currentDatabase() order by engine`,
  );
  return rows.map(({ engine }) => engine).join(', ');
}

async function checkDurability(server: ClickHouse): Promise<string> {
  const rows = await server.read<{ name: string }>(sql`
    select name from system.tables
    where database = currentDatabase() and engine like '%MergeTree' and engine_full not like '%fsync_after_insert = 1%'`);
  if (rows.length > 0) throw new Error(`${rows[0]?.name} is written without fsync`);
  return 'fsync_after_insert = 1';
}

async function checkSetting(server: ClickHouse, name: string, expected: string): Promise<string> {
  const [row] = await server.read<{ value: string }>(sql`select toString(getSetting(${name})) as value`);
  if (row?.value !== expected && row?.value !== 'false') throw new Error(`${name} is ${row?.value}`);
  return `${name} = ${expected}`;
}

/** Hands hits over, and compares the resulting visits with the expected ones. */
async function count(server: ClickHouse, hits: readonly PlacedHit[], version: number): Promise<string> {
  const journal = {
    handOver: async (_: number, work: (hits: readonly WrittenHit[], version: bigint) => Promise<void>) => {
      await work(
        hits.map((hit) => ({ ...hit, fields: writeFields(hit) })),
        BigInt(version),
      );
      return false;
    },
  };
  await createHandOver(server, journal, () => {})();
  return compare(server, hits);
}

async function compare(server: ClickHouse, hits: readonly PlacedHit[]): Promise<string> {
  const expected = visitsOf(hits.map((hit): CountedHit => ({ ...hit, websiteId: String(hit.website) }))).length;
  const website = hits[0]?.website ?? 0n;
  const found = await numberOf(
    server,
    sql`select sum(length(visit.started)) from visitor_day final where website = ${website}`,
  );
  const stored = await numberOf(server, sql`select count() from hit final where website = ${website}`);
  if (found !== expected || stored !== hits.length) {
    throw new Error(`${stored} hits and ${found} visits instead of ${hits.length} and ${expected}`);
  }
  return `${stored} hits, ${found} visits`;
}

/** Begins to insert hits, cuts the connection in the middle, and inserts them again. */
async function cut(server: ClickHouse, url: URL, hits: readonly PlacedHit[]): Promise<string> {
  const columns = 'website, day, visitor, time, batch, place, page';
  const rows = hits.map((hit) => [
    hit.website,
    hit.day,
    hit.visitor,
    hit.time.toISOString(),
    hit.batch,
    hit.place,
    hit.page,
  ]);
  const lines = rows.map((row) => `${JSON.stringify(row.map(String))}\n`);
  const parameters = new URLSearchParams({
    database: url.pathname.slice(1),
    date_time_input_format: 'best_effort',
    query: `insert into hit (${columns}) format JSONCompactEachRow`,
  });
  const controller = new AbortController();
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode(lines.slice(0, lines.length / 2).join(''))),
    // The first half was taken.
    pull: () => controller.abort(),
  });
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(url.username) || 'default'}:${decodeURIComponent(url.password)}`).toString('base64')}`;
  const options = {
    method: 'POST',
    body,
    duplex: 'half',
    signal: controller.signal,
    headers: { authorization },
  } as const;
  await fetch(`${url.origin}/?${parameters}`, options).catch(() => {});
  return count(server, hits, 3);
}

async function remove(server: ClickHouse, cluster: string | undefined): Promise<string> {
  for (const table of ['hit', 'visitor_day'] as const) {
    await server.write(sql`delete from ${storedTable(table, cluster)} where website = 1`);
    const left = await numberOf(server, sql`select count() from ${raw(table)} where website = 1`);
    if (left > 0) throw new Error(`${left} rows of ${table} are left`);
  }
  return `${Object.keys(TABLES).length} tables`;
}

async function numberOf(server: ClickHouse, query: Sql): Promise<number> {
  const [row] = await server.read<{ number: string }>(sql`select toUInt64((${query})) as number`);
  return Number(row?.number ?? 0);
}

/** Two hits of each visitor: half of them an hour apart, which are two visits. */
function hitsOf(website: number, visitors: number): PlacedHit[] {
  return Array.from({ length: 2 * visitors }, (_, place) => {
    const visitor = place % visitors;
    const time = new Date(START + visitor + (place < visitors ? 0 : visitor % 2 === 0 ? 60_000 : 3_600_000));
    return {
      website: BigInt(website),
      batch: BigInt(website),
      place,
      visitor: BigInt(visitor),
      time,
      day: '2026-11-20',
      ...bareDetails('example.com', `/${place % 7}`),
    };
  });
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = errorCodeOf(cause);
  const message = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  return code === undefined ? `${message}` : `${message} (${code})`;
}
