import { addHits, addWebsite, at, rebuild, runJob, settle } from '@hitherto/contracts/statistics/support';
import { daysOf } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { once } from '../../src/connection/statement.ts';
import { openPostgres } from '../../src/index.ts';
import { isAfter } from '../../src/statistics/open-days/moment.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });
let websiteId: string;

const FIRST = '2026-10-05';
const LAST = '2026-11-15';
const TABLES = ['book', 'website_day', 'day_numbers'];

beforeAll(async () => {
  ({ websiteId } = await addWebsite(ports));
  await addHits(ports, daysOf(FIRST, LAST).flatMap(hitsOf));
  await settle(ports);
  await addHits(ports, daysOf(FIRST, LAST).flatMap(hitsOf));
  await runJob(ports, 'hand over hits');
});

afterAll(async () => {
  await ports.close();
  await database.drop();
});

/** 100 visits of two pages each. */
function hitsOf(day: string): CountedHit[] {
  return Array.from({ length: 200 }, (_, n) => {
    const minute = String(10 + (n % 2)).padStart(2, '0');
    const time = new Date(`${day}T12:${minute}:00Z`);
    return at('12:00', { websiteId, day, time, visitor: BigInt(n >> 1), page: `/${n % 7}` });
  });
}

/** Removes what the planner knows of these tables, as where they were restored. */
function forgetStatistics(): Promise<void> {
  const tables = `(select oid from pg_class where relname ~ '^(${TABLES.join('|')})$')`;
  return run(database.url, `delete from pg_statistic where starelid in ${tables}`);
}

/** The tables with rows that the planner knows nothing of. */
async function unknownTables(): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    database.url,
    `select relname as name from pg_class
     where relname ~ '^(${TABLES.join('|')})$' and pg_relation_size(oid) > 0
       and not exists (select from pg_statistic where starelid = pg_class.oid) order by 1`,
  );
  return rows.map(({ name }) => name);
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** The indexes that a plan uses. */
function indexesOf({ 'Index Name': index, Plans: plans = [] }: Plan): string[] {
  return [...(index === undefined ? [] : [index]), ...plans.flatMap(indexesOf)];
}

it.each([
  ['with statistics', 'analyze journal_batch'],
  ['without', "delete from pg_statistic where starelid = 'journal_batch'::regclass"],
])('hits that came later are found by the index, %s', async (_, prepare) => {
  await run(
    database.url,
    `insert into journal_batch (id, hit_count, website_numbers, hits)
     select gen_random_uuid(), 0, '{1}', '' from generate_series(1, 5000); ${prepare}`,
  );
  // Random ids come before the latest times.
  const moment = { server: '', next: 1_000, running: [900, 950], time: 2 ** 48 - 1 };
  const later = once(sql`select * from journal_batch where website_numbers @> array[1::bigint] and ${isAfter(moment)}`);

  const rows = await rowsOf<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
    database.url,
    `explain (format json) ${later.text}`,
    later.values,
  );

  expect(rows.flatMap((row) => indexesOf(row['QUERY PLAN'][0].Plan))).toEqual(['journal_batch_pkey']);
});

/** How often each table was analysed. */
async function analyses(): Promise<Record<string, number>> {
  const rows = await rowsOf<{ name: string; count: number }>(
    database.url,
    'select relname as name, analyze_count::integer as count from pg_stat_user_tables where relname = any($1)',
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

describe('tables are analysed', () => {
  it('soon after a restore, and then no more', async () => {
    await forgetStatistics();
    const restored = await unknownTables();

    await runJob(ports, 'analyse tables');
    const known = await unknownTables();
    const before = await analyses();
    await runJob(ports, 'analyse tables');

    expect(restored).toEqual(TABLES.toSorted());
    expect(known).toStrictEqual([]);
    expect(await analyses()).toStrictEqual(before);
  });

  it('by a rebuild of many hits, those that it changes', async () => {
    await addHits(ports, Array.from({ length: 100 }, () => hitsOf('2026-11-16')).flat());
    await runJob(ports, 'analyse tables');
    const before = await analyses();

    await rebuild(ports);

    const after = await analyses();
    const changed = TABLES.filter((table) => after[table] !== before[table]);
    expect(changed).toStrictEqual(['website_day', 'day_numbers']);
  });
});
