import { setTimeout as sleep } from 'node:timers/promises';
import {
  addDays,
  type CountedHit,
  DIMENSIONS,
  GAPS,
  isUnavailable,
  type MoveDependencies,
  type MovedHit,
  moveStatistics,
  type StatisticsRepository,
  unavailable,
} from '@hitherto/domain';
import { histories } from '@hitherto/domain/testing';
import { skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { runs } from '@hitherto/testing/runs';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { openClickHouse } from '../../src/clickhouse/index.ts';
import { openPostgres } from '../../src/postgres/index.ts';
import { LOCK_ID } from '../../src/postgres/statistics/jobs/work-lock.ts';
import { aSum, importSums } from './imports-support.ts';
import { addHits, addHitsOnce, addWebsite, addWebsites, at, untilDone } from './support.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const nothing = () => {};

describe.skipIf(skipsClickHouse)('moving statistics', async () => {
  const server = skipsClickHouse ? undefined : await startClickHouse({ threads: 1 });
  let databases = 0;
  let open: Awaited<ReturnType<typeof openBoth>>;

  /** A database with both engines; `postgres` and `clickhouse` are as services open them, `deps` as the command does. */
  async function openBoth() {
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    databases += 1;
    await fetch(server?.url ?? '', { method: 'POST', body: `create database moved_${databases}` });
    const url = `${server?.url}/moved_${databases}`;
    const service = openPostgres({ connection: database.url, log: nothing });
    const other = openPostgres({ connection: database.url, log: nothing });
    const mover = openPostgres({ connection: database.url, log: nothing, isMoving: true });
    const clickhouse = openClickHouse({ url, journal: other.journal });
    const target = openClickHouse({ url, journal: mover.journal });
    await target.prepare();
    const { moving } = mover;
    const common = { findWebsites: moving.findWebsites, now: () => NOW };
    const inside = { store: moving.store, statistics: mover.statistics, maintenance: mover.maintenance };
    const toClickHouse: MoveDependencies = { ...common, source: inside, target, arriving: moving.leaving };
    const toPostgres: MoveDependencies = { ...common, source: target, target: inside, arriving: moving.returning };
    return {
      database,
      service,
      clickhouse,
      toClickHouse,
      toPostgres,
      close: async () => {
        await Promise.all([service, other, mover, clickhouse, target].map((part) => part.close()));
        await database.drop();
      },
    };
  }

  beforeEach(async () => {
    open = await openBoth();
  });
  afterEach(() => open.close());
  afterAll(() => server?.stop());

  const readAll = async (statistics: StatisticsRepository, websites: readonly string[]) => {
    const found = [];
    for (const websiteId of websites) {
      const query = { websiteId, from: '2025-01-01', to: '2027-12-31', filters: [] };
      found.push({
        first: await statistics.firstDay(websiteId),
        days: await statistics.series(query, 'day'),
        hours: await statistics.series(query, 'hour'),
        overview: await statistics.overview(query, DIMENSIONS, 100),
        plans: await statistics.propertyValues(query, 'Signup', 'plan', 100),
      });
    }
    return found;
  };

  it('changes no number, there and back, whatever the history', async () => {
    const property = fc.asyncProperty(fc.array(histories(), { minLength: 3, maxLength: 3 }), async (told) => {
      const { service, clickhouse, toClickHouse, toPostgres } = open;
      const websites = await addWebsites(
        service,
        told.map(({ zone }) => zone.name),
      );
      const hits = told.flatMap(({ hits: own }, index) =>
        own.map((hit) => ({ ...hit, websiteId: websites[index] ?? '' })),
      );
      if (hits.length > 0) await addHits(service, hits);
      const before = await readAll(service.statistics, websites);

      await moveStatistics(toClickHouse, undefined, nothing);
      expect(await readAll(clickhouse.statistics, websites)).toStrictEqual(before);
      await toClickHouse.source.store.clear();

      await moveStatistics(toPostgres, undefined, nothing);
      expect(await readAll(service.statistics, websites)).toStrictEqual(before);
      await toPostgres.source.store.clear();
    });
    await fc.assert(property, { numRuns: runs(2, 50) });
  }, 600_000);

  it('moves summaries of days whose hits are deleted', async () => {
    const { service, clickhouse, toClickHouse, toPostgres } = open;
    const [websiteId = ''] = await addWebsites(service, [null]);
    const days = Array.from({ length: 40 }, (_, index) => addDays('2026-11-20', -index));
    const onDay = (day: string, visitor: bigint, page: string) =>
      at('12:00', { websiteId, day, visitor, page, time: new Date(`${day}T12:00:00.000Z`) });
    await addHits(
      service,
      days.flatMap((day, index) => [onDay(day, 1n, '/é'), onDay(day, 2n, `/${index}`)]),
    );
    await untilDone(() => service.maintenance.deleteHitsBefore('2026-11-05'));
    const before = await readAll(service.statistics, [websiteId]);

    await moveStatistics(toClickHouse, undefined, nothing);
    await toClickHouse.source.store.clear();
    const there = await readAll(clickhouse.statistics, [websiteId]);
    await moveStatistics(toPostgres, undefined, nothing);
    const back = await readAll(service.statistics, [websiteId]);

    expect(before[0]?.days).toHaveLength(40);
    expect(there).toStrictEqual(before);
    expect(back).toStrictEqual(before);
  });

  it('moves sums of imported days, with what they do not say', async () => {
    const { service, clickhouse, toClickHouse, toPostgres } = open;
    const website = await addWebsite(service);
    const { websiteId } = website;
    await addHits(service, [at('12:00', { websiteId })]);
    const id = await importSums(service, website, [
      aSum('2025-03-01', 'total', null, { visitors: 3, pageviews: 9, events: 4, gaps: GAPS.visits }),
      aSum('2025-03-01', 'page', '/é 🦊\\\t\n', { visitors: 2, pageviews: 9, gaps: GAPS.visits | GAPS.visitorsAtMost }),
      aSum('2025-03-01', 'country', null, {
        visitors: 3,
        visits: 5,
        bounces: 1,
        visitsWithPageviews: 5,
        duration: 70_000,
      }),
      aSum('2025-03-01', 'event', 'Signup', { visitors: 2, events: 4, gaps: GAPS.visits }),
    ]);
    const before = await readAll(service.statistics, [websiteId]);

    await moveStatistics(toClickHouse, undefined, nothing);
    await toClickHouse.source.store.clear();
    const there = await readAll(clickhouse.statistics, [websiteId]);
    await moveStatistics(toPostgres, undefined, nothing);
    const back = await readAll(service.statistics, [websiteId]);

    expect(before[0]?.days).toMatchObject([
      { start: '2025-03-01', visitors: 3, pageviews: 9, gaps: GAPS.visits },
      { start: '2026-11-20', visitors: 1 },
    ]);
    expect(there).toStrictEqual(before);
    expect(back).toStrictEqual(before);
    await service.history.remove(id, NOW);
    expect((await readAll(service.statistics, [websiteId]))[0]?.days).toHaveLength(1);
  });

  it.each([
    ['ClickHouse', 'toClickHouse'],
    ['PostgreSQL', 'toPostgres'],
  ] as const)('to %s, hits that arrive meanwhile are moved too, by any writer', async (_, direction) => {
    const { service, clickhouse, toClickHouse } = open;
    const deps = open[direction];
    const [websiteId = ''] = await addWebsites(service, [null]);
    if (direction === 'toPostgres') await moveStatistics(toClickHouse, undefined, nothing);
    let sent = 0;
    let isDone = false;
    const aHit = (): CountedHit => {
      sent += 1;
      return at('12:00', { websiteId, visitor: BigInt(sent % 50), time: new Date(NOW.getTime() - sent * 60) });
    };
    await addHits(service, Array.from({ length: 100 }, aHit));
    const send = async () => {
      while (!isDone) {
        await addHits(service, [aHit(), aHit()]);
        const [key, hits] = [`key ${sent}`, [aHit()]];
        // While collecting stops, a batch with a key may have to be sent again.
        const isAdded = () =>
          addHitsOnce(service, key, hits).then(
            () => true,
            (error) => {
              if (isUnavailable(error)) return false;
              throw error;
            },
          );
        while (!(await isAdded())) await sleep(10);
        await sleep(5);
      }
    };

    const sending = [send(), send()];
    const moved = moveStatistics(deps, undefined, nothing);
    await moved.finally(() => {
      isDone = true;
    });
    await Promise.all(sending);

    const { statistics } = direction === 'toClickHouse' ? clickhouse : service;
    const totals = await statistics.totals({ websiteId, from: '2026-11-01', to: '2026-11-30', filters: [] });
    expect(sent).toBeGreaterThan(100);
    expect(totals.pageviews).toBe(sent);
    const left = direction === 'toClickHouse' ? service : clickhouse;
    await expect(left.statistics.firstDay(websiteId)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('goes on where it ended, and copies no day again that is there', async () => {
    const { service, clickhouse, toClickHouse } = open;
    const websites = await addWebsites(service, [null, null]);
    // Days of different months are copied one after the other.
    await addHits(
      service,
      websites.flatMap((websiteId, index) => {
        const day = addDays('2026-11-20', -40 * index);
        const onDay = (visitor: bigint) =>
          at('12:00', { websiteId, visitor, day, time: new Date(`${day}T12:00:00.000Z`) });
        return [onDay(1n), onDay(2n)];
      }),
    );
    const copied: string[] = [];
    const { store } = toClickHouse.target;
    const failing = (until: number): MoveDependencies => ({
      ...toClickHouse,
      target: {
        ...toClickHouse.target,
        store: {
          ...store,
          async replaceDays(days, hits) {
            if (copied.length === until) throw unavailable('away');
            await store.replaceDays(days, hits);
            copied.push(...days.map(({ website, day }) => `${website} ${day}`));
          },
        },
      },
    });

    await expect(moveStatistics(failing(1), undefined, nothing)).rejects.toThrow('away');
    await expect(clickhouse.statistics.firstDay(websites[0] ?? '')).rejects.toMatchObject({ code: 'unavailable' });
    await moveStatistics(failing(9), undefined, nothing);

    expect(copied).toHaveLength(2);
    expect(new Set(copied).size).toBe(2);
    expect((await readAll(clickhouse.statistics, websites)).map(({ days }) => days[0]?.pageviews)).toEqual([2, 2]);
  });

  it('copies the days of a month at once', async () => {
    const { service, toClickHouse } = open;
    const websites = await addWebsites(service, [null, null]);
    const days = ['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-20'];
    await addHits(
      service,
      websites.flatMap((websiteId) =>
        days.map((day) => at('12:00', { websiteId, day, time: new Date(`${day}T12:00:00.000Z`) })),
      ),
    );
    const { store } = toClickHouse.target;
    const copied: string[][] = [];
    const watched: MoveDependencies = {
      ...toClickHouse,
      target: {
        ...toClickHouse.target,
        store: {
          ...store,
          async replaceDays(some, hits) {
            copied.push(some.map(({ day }) => day));
            await store.replaceDays(some, hits);
          },
        },
      },
    };

    await moveStatistics(watched, undefined, nothing);

    expect(copied).toEqual([
      ['2026-10-30', '2026-10-30', '2026-10-31', '2026-10-31'],
      ['2026-11-01', '2026-11-01', '2026-11-20', '2026-11-20'],
    ]);
  });

  it.each([
    ['ClickHouse', 'target'],
    ['PostgreSQL', 'source'],
  ] as const)('in %s, days are replaced as a whole, and one of them without hits has none left', async (_, side) => {
    const { service, toClickHouse } = open;
    const [websiteId = ''] = await addWebsites(service, [null]);
    const onDay = (day: string, visitor: bigint) =>
      at('12:00', { websiteId, visitor, day, time: new Date(`${day}T12:00:00.000Z`) });
    await addHits(service, [onDay('2026-11-01', 1n), onDay('2026-11-01', 2n), onDay('2026-11-02', 1n)]);
    const [[website = 0n] = []] = await toClickHouse.findWebsites();
    const [first, second] = [
      { website, day: '2026-11-01' },
      { website, day: '2026-11-02' },
    ];
    const hits: MovedHit[] = [];
    for await (const piece of toClickHouse.source.store.hitsOf([first, second])) hits.push(...piece);
    const { store } = toClickHouse[side];
    const pieces = async function* (some: readonly MovedHit[]) {
      yield some;
    };

    await store.replaceDays([first, second], pieces(hits));
    const before = await store.days();
    await store.replaceDays([first, second], pieces(hits.filter(({ day }) => day === first.day)));

    expect(before).toEqual([
      expect.objectContaining({ ...first, hits: 2 }),
      expect.objectContaining({ ...second, hits: 1 }),
    ]);
    expect(await store.days()).toEqual([expect.objectContaining({ ...first, hits: 2 })]);
  });

  it('copies a single website without a switch', async () => {
    const { service, clickhouse, toClickHouse } = open;
    const websites = await addWebsites(service, [null, null]);
    await addHits(
      service,
      websites.map((websiteId) => at('12:00', { websiteId })),
    );

    expect(await moveStatistics(toClickHouse, websites[1], nothing)).toBe(1);

    expect(await toClickHouse.target.store.days()).toHaveLength(1);
    expect(await service.statistics.firstDay(websites[1] ?? '')).toBe('2026-11-20');
    await expect(clickhouse.statistics.firstDay(websites[1] ?? '')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('copies a day again whose numbers differ, and does not switch while one does', async () => {
    const { service, toClickHouse } = open;
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [at('12:00', { websiteId })]);
    const { store } = toClickHouse.target;
    let times = 0;
    const damaging = (until: number): MoveDependencies => ({
      ...toClickHouse,
      target: {
        ...toClickHouse.target,
        store: {
          ...store,
          // As many hits, but of an event.
          replaceDays: (days, hits) =>
            store.replaceDays(
              days,
              (async function* () {
                times += 1;
                for await (const piece of hits)
                  yield times > until ? piece : piece.map((hit) => ({ ...hit, name: 'é' }));
              })(),
            ),
        },
      },
    });

    await expect(moveStatistics(damaging(9), undefined, nothing)).rejects.toThrow('differ after the move');
    expect(await rowsOf(open.database.url, 'select is_outside from statistics_engine')).toEqual([
      { is_outside: false },
    ]);
    await store.clear();
    times = 0;
    await moveStatistics(damaging(1), undefined, nothing);

    expect(times).toBe(2);
    expect(await rowsOf(open.database.url, 'select is_outside from statistics_engine')).toEqual([{ is_outside: true }]);
  });

  it('waits again for a table that others use for longer than one attempt waits', async () => {
    const { service, clickhouse, toClickHouse, database } = open;
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [at('12:00', { websiteId })]);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    let released: Promise<unknown> | undefined;
    const { arriving } = toClickHouse;
    const unwatch = async () => {
      if (released === undefined) {
        await other.query('begin');
        await other.query('lock table hit in row exclusive mode');
        released = sleep(6_000).then(() => other.end());
      }
      await arriving.unwatch();
    };

    await moveStatistics({ ...toClickHouse, arriving: { ...arriving, unwatch } }, undefined, nothing);
    await released;

    expect(released).toBeDefined();
    expect(await clickhouse.statistics.firstDay(websiteId)).toBe('2026-11-20');
    expect(await rowsOf(database.url, "select tgname from pg_trigger where tgname like 'note_arriving%'")).toEqual([]);
  });

  it('waits for a job that changes visits, and lets hits in meanwhile', async () => {
    const { service, clickhouse, toClickHouse, database } = open;
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [at('12:00', { websiteId })]);
    const job = new pg.Client({ connectionString: database.url });
    await job.connect();
    const { arriving } = toClickHouse;
    let ended: Promise<unknown> | undefined;
    let tries = 0;
    const switchOver: typeof arriving.switchOver = async (work) => {
      tries += 1;
      if (ended === undefined) {
        await job.query('begin');
        await job.query(`select pg_advisory_xact_lock(${LOCK_ID})`);
        await job.query('lock table changed_visitor in row exclusive mode');
        ended = sleep(500)
          .then(() => service.hits.add([at('12:01', { websiteId })]))
          .then(() => sleep(6_000))
          .then(() => job.end());
      }
      await arriving.switchOver(work);
    };

    await moveStatistics({ ...toClickHouse, arriving: { ...arriving, switchOver } }, undefined, nothing);
    await ended;

    expect(tries).toBe(1);
    const query = { websiteId, from: '2026-11-20', to: '2026-11-20', filters: [] };
    expect((await clickhouse.statistics.totals(query)).pageviews).toBe(2);
  });

  it('deletes days at the target that retention has deleted since', async () => {
    const { service, clickhouse, toClickHouse } = open;
    const [websiteId = ''] = await addWebsites(service, [null]);
    const day = '2026-10-01';
    await addHits(service, [at('12:00', { websiteId, day, time: new Date(`${day}T12:00:00.000Z`) })]);
    await moveStatistics(toClickHouse, websiteId, nothing);
    await untilDone(() => service.maintenance.deleteHitsBefore('2026-11-01'));

    await moveStatistics(toClickHouse, undefined, nothing);

    const query = { websiteId, from: day, to: day, filters: [] };
    expect((await clickhouse.statistics.totals(query)).pageviews).toBe(1);
    expect(await toClickHouse.target.store.days()).toEqual([]);
  });
});
