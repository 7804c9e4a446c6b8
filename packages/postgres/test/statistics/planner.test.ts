import { addHits, addWebsite, all, aQuery, at, rebuild, runJob, settle } from '@hitherto/contracts/statistics/support';
import { addDays, daysOf, timeZone } from '@hitherto/domain/calendar';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import { type CountedHit, DIMENSIONS } from '@hitherto/domain/hits';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/connection/database.ts';
import { openPostgres } from '../../src/index.ts';
import { updateVisits } from '../../src/statistics/jobs/update-visits.ts';
import { tryWorkLock } from '../../src/statistics/jobs/work-lock.ts';
import { createStatisticsRepository } from '../../src/statistics/reading/statistics-repository.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });
let websiteId: string;

const FIRST = '2026-10-05';
const LAST = '2026-11-15';
const TABLES = ['hit', 'visit', 'website_day', 'day_numbers'];

beforeAll(async () => {
  ({ websiteId } = await addWebsite(ports));
  await addHits(ports, daysOf(FIRST, LAST).flatMap(hitsOf));
  await settle(ports);
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
  const tables = `(select oid from pg_class where relname ~ '^(${TABLES.join('|')})' and relkind in ('r', 'p'))`;
  return run(
    database.url,
    `delete from pg_statistic where starelid in ${tables};
     update pg_class set reltuples = case relkind when 'p' then -1 else reltuples end where oid in ${tables}`,
  );
}

/** The tables and partitions with rows that the planner knows nothing of. */
async function unknownTables(): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    database.url,
    `select relname as name from pg_class
     where relname ~ '^(${TABLES.join('|')})(_\\d.*)?$' and (relkind = 'p' or relkind = 'r' and pg_relation_size(oid) > 0)
       and not exists (
         select from pg_statistic where starelid = pg_class.oid and stainherit = (relkind = 'p')
       ) order by 1`,
  );
  return rows.map(({ name }) => name);
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** What a plan joins and sorts by. */
function costlyNodes({ 'Node Type': node, Plans: plans = [] }: Plan): string[] {
  const own = /Join|Nested Loop|^Sort/.test(node) ? [node] : [];
  return [...own, ...plans.flatMap(costlyNodes)];
}

/** How a plan reads the hits and visits of the last month. */
function readsOfHits({ 'Node Type': node, 'Relation Name': table = '', Plans: plans = [] }: Plan): string[] {
  const own = /^(hit|visit)_2026_11$/.test(table) && /Scan/.test(node) ? [`${table}: ${node}`] : [];
  return [...own, ...plans.flatMap(readsOfHits)];
}

/** A database, and what `pick` finds in the plan of each statement that its transactions run. */
function planned(pick: (plan: Plan) => string[]) {
  const pool = openDatabase(database.url, 'statistics', { lost: () => {}, seen: () => {}, isAway: false }, () => {});
  const plans: string[][] = [];
  const recording: Database = {
    ...pool,
    transaction: (work, options) =>
      pool.transaction(async (transaction) => {
        const query: typeof transaction.query = async (asked) => {
          const { text, values } = asked;
          const { rows } = await transaction.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>({
            text: `explain (format json) ${text}`,
            values,
          });
          plans.push(rows.flatMap((row) => pick(row['QUERY PLAN'][0].Plan)).sort());
          return transaction.query(asked);
        };
        return work({ ...transaction, query });
      }, options),
  };
  return { database: recording, plans, close: pool.close };
}

/** Everything that a page reads. */
async function readPage({ statistics }: Pick<StatisticsEngine, 'statistics'>): Promise<void> {
  const filters = all({ dimension: 'device', value: at('12:00').device }, { dimension: 'page', value: '/1' });
  for (const query of [aQuery(websiteId), aQuery(websiteId, { filters })]) {
    await statistics.overview(query, DIMENSIONS, 10);
    await statistics.series(query, 'day');
    await statistics.series(query, 'hour');
    for (const dimension of DIMENSIONS) await statistics.values(query, dimension, 10);
  }
}

describe('plans', () => {
  it.each([
    ['of settled days', async () => {}],
    ['of days with new hits', () => addHits(ports, daysOf(addDays(LAST, -9), LAST).flatMap(hitsOf))],
  ])('%s are the same with statistics as without', async (_, change) => {
    const { database: recording, plans, close } = planned(costlyNodes);
    const statistics = createStatisticsRepository(recording, timeZone('UTC'));
    await change();
    await run(database.url, `analyze ${TABLES.join(', ')}`);
    await readPage({ statistics });
    const known = plans.splice(0);

    await forgetStatistics();
    await readPage({ statistics });
    await close();

    expect(known.length).toBeGreaterThan(2 * DIMENSIONS.length);
    expect(plans).toStrictEqual(known);
    expect(new Set(plans.flat())).not.toContain('Merge Join');
  });

  it.each([
    ['with statistics', () => run(database.url, `analyze ${TABLES.join(', ')}`)],
    ['without', forgetStatistics],
  ])('find the hits and visits of marked visitors by the index, %s', async (_, prepare) => {
    const { database: recording, plans, close } = planned(readsOfHits);
    await addHits(ports, hitsOf(LAST));
    await prepare();

    await updateVisits(recording, timeZone('UTC'), tryWorkLock);
    await close();

    expect([...new Set(plans.flat())]).toStrictEqual(['hit_2026_11: Index Scan', 'visit_2026_11: Index Scan']);
  });
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
  it('soon after a restore, with their partitions, and then no more', async () => {
    await forgetStatistics();
    const restored = await unknownTables();

    await runJob(ports, 'analyse tables');
    const known = await unknownTables();
    const before = await analyses();
    await runJob(ports, 'analyse tables');

    expect(restored).toEqual(expect.arrayContaining([...TABLES, 'hit_2026_10', 'visit_2026_11']));
    expect(known).toStrictEqual([]);
    expect(await analyses()).toStrictEqual(before);
  });

  it('again where partitions have grown to more than twice the size', async () => {
    await runJob(ports, 'analyse tables');
    const before = await analyses();

    await run(database.url, "update pg_class set reltuples = reltuples / 3 where relname = 'visit'");
    await runJob(ports, 'analyse tables');

    expect(await analyses()).toStrictEqual({ ...before, visit: (before.visit ?? 0) + 1 });
  });

  it('by a rebuild of many hits, those that it changes', async () => {
    await addHits(ports, Array.from({ length: 100 }, () => hitsOf('2026-11-16')).flat());
    await runJob(ports, 'analyse tables');
    const before = await analyses();

    await rebuild(ports);

    const after = await analyses();
    const changed = TABLES.filter((table) => after[table] !== before[table]);
    expect(changed).toStrictEqual(['visit', 'website_day', 'day_numbers']);
  });
});
