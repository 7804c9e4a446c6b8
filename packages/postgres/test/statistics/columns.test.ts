import { addHits, addWebsite, all, aQuery, at, runJob, settle } from '@hitherto/contracts/statistics/support';
import { type CountedHit, DIMENSIONS } from '@hitherto/domain/hits';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics, countRows } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/connection/database.ts';
import { openPostgres, type PostgresRepositories } from '../../src/index.ts';
import { cacheCounts } from '../../src/statistics/book/cached-counts.ts';
import { startTurns } from '../../src/statistics/turns.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({
  connection: database.url,
  log: () => {},
  parts: { hits: 1, parts: 4, lists: 1, listsOfMonths: 1 },
});
let websiteId: string;

afterAll(async () => {
  await ports.close();
  await database.drop();
});

/** Visitors are numbers of 64 bits at random; these are in different halves of them. */
const VISITORS = [1n, 2n, 2n ** 63n + 1n, 2n ** 63n + 2n] as const;

/** Summaries do not have the visits of two values. */
const FROM_GERMANY = all({ dimension: 'country', value: 'DE' }, { dimension: 'page', value: '/a' });

beforeEach(async () => {
  await clearStatistics(database.url);
  ({ websiteId } = await addWebsite(ports));
  await addHits(ports, hitsOf(websiteId));
});

function hitsOf(id: string): CountedHit[] {
  return VISITORS.flatMap((visitor) => [
    at('12:00', { websiteId: id, visitor, page: '/a', country: 'DE' }),
    at('12:01', { websiteId: id, visitor, page: `/${visitor % 2n}` }),
    at('12:02', { websiteId: id, visitor, page: '/a', name: 'Signup', props: { plan: 'pro', amount: 2 } }),
    at('18:00', { websiteId: id, visitor, page: '/b', country: 'FR' }),
  ]);
}

/** Reads of which each is of the visits that filters choose, or of their hits. */
function numbers({ statistics }: Pick<PostgresRepositories, 'statistics'> = ports) {
  const query = aQuery(websiteId, { filters: FROM_GERMANY });
  const goal = { id: 'signup', rule: { event: 'Signup', props: { plan: 'pro' } }, sum: 'amount' };
  return Promise.all([
    statistics.totals(query),
    statistics.series(query, 'hour'),
    statistics.overview(query, DIMENSIONS, 10),
    statistics.values(query, 'page', 10),
    statistics.propertyValues(aQuery(websiteId), 'Signup', 'plan', 10),
    statistics.propertyNames(query, 'Signup'),
    statistics.goals(aQuery(websiteId), [goal]),
    statistics.funnel(query, { steps: [{ page: '/a' }, goal.rule], isStrict: false }),
    statistics.conversions(query, goal, 'country'),
  ]);
}

const hitsInBook = async () => {
  const [row] = await rowsOf<{ hits: number }>(database.url, 'select sum(hits)::integer as hits from book');
  return row?.hits;
};

const visitorsFromGermany = async () =>
  (await ports.statistics.totals(aQuery(websiteId, { filters: FROM_GERMANY }))).visitors;

describe('visits of a day that is over', () => {
  it('are read from the book alone', async () => {
    const before = await numbers();
    await settle(ports);

    await run(database.url, 'delete from day_numbers');

    expect(before[0]).toMatchObject({ visitors: 4, visits: 4, pageviews: 8, events: 4 });
    expect(await numbers()).toStrictEqual(before);
    expect(await countRows(database.url, ['added_hits'])).toEqual({ added_hits: 0 });
  });

  it('are read from the book once, each column when it is needed', async () => {
    await settle(ports);
    const ofPage = { filters: all({ dimension: 'page', value: '/b' }) };
    const onPage = async () => (await ports.statistics.totals(aQuery(websiteId, ofPage))).visitors;

    const [first, other] = [await visitorsFromGermany(), await onPage()];
    await run(database.url, 'delete from book');

    expect([first, other]).toEqual([4, 4]);
    expect([await visitorsFromGermany(), await onPage()]).toEqual([first, other]);
  });

  it('are stored in parts of about equally many visits', async () => {
    await settle(ports);

    const rows = await rowsOf(database.url, 'select hits, visits from book order by part');

    // Of 16 parts, as many as there are hits.
    expect(rows).toEqual([
      { hits: 8, visits: 4 },
      { hits: 8, visits: 4 },
    ]);
  });

  it('are as many as are stored, whatever was noted', async () => {
    await runJob(ports, 'hand over hits');
    await run(database.url, 'update website_day set hits = hits + 1');

    await settle(ports);

    expect(await rowsOf(database.url, 'select hits, is_loose from website_day')).toEqual([
      { hits: '16', is_loose: false },
    ]);
  });

  it('are deleted when retention passes their day', async () => {
    await settle(ports);
    while (await ports.maintenance.deleteHitsBefore('2026-11-20'));
    const kept = await countRows(database.url, ['book']);

    while (await ports.maintenance.deleteHitsBefore('2026-11-21'));

    expect(kept.book).toBeGreaterThan(0);
    expect(await countRows(database.url, ['book'])).toEqual({ book: 0 });
  });

  it('count a late hit at once, and are stored again with it', async () => {
    await settle(ports);
    await addHits(ports, [at('20:00', { websiteId, visitor: 3n, page: '/a', country: 'DE' })]);

    const late = await visitorsFromGermany();
    await runJob(ports, 'hand over hits');
    const updated = await visitorsFromGermany();
    await runJob(ports, 'join days');
    const counted = await visitorsFromGermany();
    await settle(ports);

    expect([late, updated, counted, await visitorsFromGermany()]).toEqual([5, 5, 5, 5]);
    expect(await hitsInBook()).toBe(17);
  });
});

describe('numbers of goals and funnels', () => {
  const DAYS = ['2026-11-19', '2026-11-20'];
  const signup = { id: 'signup', rule: { event: 'Signup', props: {} }, sum: 'amount' };
  const onDay = (day: string, visitor: bigint): CountedHit[] => [
    at('12:00', { websiteId, day, visitor, time: new Date(`${day}T12:00:00Z`), page: '/a' }),
    at('12:01', { websiteId, day, visitor, time: new Date(`${day}T12:01:00Z`), name: 'Signup', props: { amount: 1 } }),
  ];

  it('follow the hits of a day that was counted before', async () => {
    const query = aQuery(websiteId, { from: '2026-11-19' });
    const steps = [{ page: '/a' }, signup.rule];
    const read = () =>
      Promise.all([
        ports.statistics.goals(query, [signup]),
        ports.statistics.funnel(query, { steps, isStrict: false }),
      ]);
    await addHits(ports, onDay('2026-11-19', 5n));
    await settle(ports);
    const [before] = await read();
    const again = await read();
    await addHits(ports, onDay('2026-11-19', 6n));
    const late = await read();
    await settle(ports);
    const settled = await read();

    expect(before).toMatchObject([{ visitors: 5, visits: 5, conversions: 5, sum: '9.00' }]);
    expect(again[0]).toEqual(before);
    expect(late[0]).toMatchObject([{ visitors: 6, visits: 6, conversions: 6, sum: '10.00' }]);
    expect(late[1].map(({ visitors }) => visitors)).toEqual([6, 6]);
    expect(settled).toEqual(late);
  });

  it('are counted once for each day, until its visits change', async () => {
    const pool = openDatabase(database.url, 'background', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
    const countDays = cacheCounts<{ readonly rows: number }>();
    const counted = new Set<string>();
    const countRowsOfDay = () => {
      let rows = 0;
      return {
        columns: [],
        add: ({ day }: { readonly day: string }) => {
          counted.add(day);
          rows += 1;
        },
        include: () => {},
        result: () => ({ rows }),
      };
    };
    const count = async () => {
      counted.clear();
      const [{ number } = { number: '' }] = await rowsOf<{ number: string }>(
        database.url,
        `select number::text from website where id = '${websiteId}'`,
      );
      const days = await rowsOf<{ day: string; version: string }>(
        database.url,
        `select day::text as day, hits || ' ' || rewritten_in as version from website_day order by day`,
      );
      const scope = {
        websiteNumber: number,
        days: days.map(({ day, version }) => ({ day, hits: 1, origin: '0', version })),
        filters: [],
        goals: new Map(),
        pageRules: [],
      };
      const results = await pool.transaction((transaction) =>
        countDays(transaction, scope, [{ name: 'rows', counter: countRowsOfDay }], startTurns()),
      );
      return { results, counted: [...counted] };
    };
    await addHits(ports, onDay('2026-11-19', 5n));
    await settle(ports);

    const first = await count();
    const second = await count();
    await addHits(ports, onDay('2026-11-19', 2n ** 63n + 6n));
    await settle(ports);
    const third = await count();
    await pool.close();

    expect(first).toEqual({ results: [[{ rows: 1 }, { rows: 2 }]], counted: DAYS });
    expect(second).toEqual({ results: first.results, counted: [] });
    expect(third).toEqual({ results: [[{ rows: 2 }, { rows: 2 }]], counted: ['2026-11-19'] });
  });
});
