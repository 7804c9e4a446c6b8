import { setTimeout as sleep } from 'node:timers/promises';
import { addHits, addWebsites, at, untilDone } from '@hitherto/contracts/statistics/support';
import { unavailable } from '@hitherto/domain/base';
import { addDays } from '@hitherto/domain/calendar';
import { type EngineHit, endMove, type MoveDependencies } from '@hitherto/domain/engine';
import { bareDetails } from '@hitherto/domain/hits';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { rowsOf } from '@hitherto/testing/databases';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { LOCK_ID } from '../../postgres/src/statistics/jobs/work-lock.ts';
import { move, NOW, onDay, readAll, useBothEngines } from './moving.ts';

type ReplaceDays = MoveDependencies['to']['store']['replaceDays'];

/** A move whose target stores days in this way. */
function withReplaceDays(deps: MoveDependencies, replaceDays: ReplaceDays): MoveDependencies {
  return { ...deps, to: { ...deps.to, store: { ...deps.to.store, replaceDays } } };
}

describe.skipIf(skipsClickHouse)('moving statistics', () => {
  const open = useBothEngines();

  it('goes on where it ended, and copies no day again that is there', async () => {
    const { service, clickhouse, toClickHouse } = open();
    const websites = await addWebsites(service, [null, null]);
    // Days of different months are copied one after the other.
    const hits = websites.flatMap((websiteId, index) => {
      const day = addDays('2026-11-20', -40 * index);
      return [onDay(websiteId, day, 1n), onDay(websiteId, day, 2n)];
    });
    await addHits(service, hits);
    const copied: string[] = [];
    const { store } = toClickHouse.to;
    const failing = (until: number) =>
      withReplaceDays(toClickHouse, async (days, pieces) => {
        if (copied.length === until) throw unavailable('away');
        await store.replaceDays(days, pieces);
        copied.push(...days.map(({ website, day }) => `${website} ${day}`));
      });

    await expect(move(failing(1))).rejects.toThrow('away');
    await expect(clickhouse.statistics.firstDay(websites[0] ?? '')).rejects.toMatchObject({ code: 'unavailable' });
    await move(failing(9));

    expect(copied).toHaveLength(2);
    expect(new Set(copied).size).toBe(2);
    expect((await readAll(clickhouse.statistics, websites)).map(({ days }) => days[0]?.pageviews)).toEqual([2, 2]);
  });

  it('copies the days of a month at once', async () => {
    const { service, toClickHouse } = open();
    const websites = await addWebsites(service, [null, null]);
    const days = ['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-20'];
    const hits = websites.flatMap((websiteId) => days.map((day) => onDay(websiteId, day)));
    await addHits(service, hits);
    const { store } = toClickHouse.to;
    const copied: string[][] = [];
    const watched = withReplaceDays(toClickHouse, async (some, pieces) => {
      copied.push(some.map(({ day }) => day));
      await store.replaceDays(some, pieces);
    });

    await move(watched);

    expect(copied).toEqual([
      ['2026-10-30', '2026-10-30', '2026-10-31', '2026-10-31'],
      ['2026-11-01', '2026-11-01', '2026-11-20', '2026-11-20'],
    ]);
  });

  it.each([
    ['ClickHouse', 'to'],
    ['PostgreSQL', 'from'],
  ] as const)('in %s, days are replaced as a whole, and one of them without hits has none left', async (_, side) => {
    const { service, toClickHouse } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    const [day, next] = ['2026-11-01', '2026-11-02'] as const;
    await addHits(service, [onDay(websiteId, day, 1n), onDay(websiteId, day, 2n), onDay(websiteId, next)]);
    const [[website = 0n] = []] = await toClickHouse.findWebsites();
    const first = { website, day };
    const second = { website, day: next };
    const hits: EngineHit[] = [];
    for await (const piece of toClickHouse.from.store.hitsOf([first, second])) hits.push(...piece);
    const { store } = toClickHouse[side];
    const pieces = async function* (some: readonly EngineHit[]) {
      yield some;
    };

    await store.replaceDays([first, second], pieces(hits));
    const before = await store.days();
    await store.replaceDays([first, second], pieces(hits.filter((hit) => hit.day === day)));

    expect(before).toEqual([
      expect.objectContaining({ ...first, hits: 2 }),
      expect.objectContaining({ ...second, hits: 1 }),
    ]);
    expect(await store.days()).toEqual([expect.objectContaining({ ...first, hits: 2 })]);
  });

  it('copies a single website without a switch', async () => {
    const { service, clickhouse, toClickHouse } = open();
    const websites = await addWebsites(service, [null, null]);
    const hits = websites.map((websiteId) => at('12:00', { websiteId }));
    await addHits(service, hits);

    expect(await move(toClickHouse, websites[1])).toBe(1);

    expect(await toClickHouse.to.store.days()).toHaveLength(1);
    expect(await service.statistics.firstDay(websites[1] ?? '')).toBe('2026-11-20');
    await expect(clickhouse.statistics.firstDay(websites[1] ?? '')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('doubles no hit of a visitor who is copied again after a measure has found its pageview', async () => {
    const { service, toClickHouse } = open();
    const { from, to, findWebsites } = toClickHouse;
    const [websiteId = ''] = await addWebsites(service, [null]);
    const [[website = 0n] = []] = await findWebsites();
    const measure = { seconds: 9, scroll: 50 };
    const measured = at('12:00', { websiteId, ...bareDetails('', ''), view: 7, measure });
    const { visitor, day } = measured;
    const visitors = [{ website, day, visitor }];
    const copy = async () => to.store.replaceVisitors(visitors, await from.store.hitsOfVisitors(visitors));
    await addHits(service, [at('12:00', { websiteId }), measured]);
    await service.maintenance.settle(NOW);
    await copy();

    await addHits(service, [at('11:00', { websiteId, view: 7 })]);
    await service.maintenance.settle(NOW);
    await copy();

    const query = { websiteId, from: day, to: day, filters: [] };
    expect(await to.statistics.totals(query)).toMatchObject({ pageviews: 2, engagement: { measured: 1, seconds: 9 } });
  });

  it('copies a day again whose numbers differ, and does not switch while one does', async () => {
    const { service, toClickHouse, database } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [at('12:00', { websiteId })]);
    const { store } = toClickHouse.to;
    let times = 0;
    const damaging = (until: number) =>
      withReplaceDays(toClickHouse, (days, pieces) => {
        // As many hits, but of an event.
        const damaged = async function* () {
          times += 1;
          for await (const piece of pieces) yield times > until ? piece : piece.map((hit) => ({ ...hit, name: 'é' }));
        };
        return store.replaceDays(days, damaged());
      });

    await expect(move(damaging(9))).rejects.toThrow(
      `The numbers of 1 day differ, first on 2026-11-20 of website ${websiteId}. Nothing was switched; run the command again.`,
    );
    expect(await rowsOf(database.url, 'select is_outside from statistics_engine')).toEqual([{ is_outside: false }]);
    await store.clear();
    times = 0;
    await move(damaging(1));

    expect(times).toBe(2);
    expect(await rowsOf(database.url, 'select is_outside from statistics_engine')).toEqual([{ is_outside: true }]);
  });

  it('waits again for a table that others use for longer than one attempt waits', async () => {
    const { service, clickhouse, toClickHouse, database } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [at('12:00', { websiteId })]);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    let released: Promise<unknown> | undefined;
    const { arriving } = toClickHouse;
    const unwatch = async () => {
      if (released === undefined) {
        await other.query('begin');
        await other.query('lock table journal_batch in row exclusive mode');
        released = sleep(6_000).then(() => other.end());
      }
      await arriving.unwatch();
    };

    await move(toClickHouse);
    await endMove({ ...toClickHouse, arriving: { ...arriving, unwatch } });
    await released;

    expect(released).toBeDefined();
    expect(await clickhouse.statistics.firstDay(websiteId)).toBe('2026-11-20');
    expect(await rowsOf(database.url, "select tgname from pg_trigger where tgname like 'copy_arriving%'")).toEqual([]);
  });

  it('waits for a job that adds hits up, and lets hits in meanwhile', async () => {
    const { service, clickhouse, toClickHouse, database } = open();
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
        await job.query('lock table journal_batch in row exclusive mode');
        ended = sleep(500)
          .then(() => service.hits.add([at('12:01', { websiteId })]))
          .then(() => sleep(6_000))
          .then(() => job.end());
      }
      await arriving.switchOver(work);
    };

    await move({ ...toClickHouse, arriving: { ...arriving, switchOver } });
    await ended;

    expect(tries).toBe(1);
    const query = { websiteId, from: '2026-11-20', to: '2026-11-20', filters: [] };
    expect((await clickhouse.statistics.totals(query)).pageviews).toBe(2);
  });

  it('lets hits in while it waits to delete the other copy, which others read', async () => {
    const { service, toClickHouse, database } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [at('12:00', { websiteId })]);
    await move(toClickHouse);
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select from book limit 1');
    const read = sleep(11_000).then(() => reader.end());
    const end = endMove(toClickHouse);
    await sleep(500);

    const start = performance.now();
    await service.hits.add([at('12:01', { websiteId })]);
    expect(performance.now() - start).toBeLessThan(7_000);

    await Promise.all([end, read]);
    expect(await rowsOf(database.url, 'select from added_hits')).toEqual([]);
  });

  it('asks to run the command again if others use the other copy in five tries', async () => {
    const { toClickHouse } = open();
    let tries = 0;
    const clear = async () => {
      tries += 1;
      throw unavailable('locked');
    };
    const { from: source } = toClickHouse;
    const end = endMove({ ...toClickHouse, from: { ...source, store: { ...source.store, clear } } });
    await expect(end).rejects.toThrow('is not deleted yet: run the command again.');
    expect(tries).toBe(5);
  });

  it('lets hits in while the first days of a month are copied back', async () => {
    const { service, toClickHouse, toPostgres, database } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    await addHits(service, [onDay(websiteId, '2025-03-01'), at('12:00', { websiteId })]);
    await move(toClickHouse);
    await endMove(toClickHouse);
    const { store } = toPostgres.from;
    const hitsOf: typeof store.hitsOf = async function* (days) {
      for await (const hits of store.hitsOf(days)) {
        await service.hits.add([at('12:01', { websiteId })]);
        yield hits;
      }
    };

    await move({ ...toPostgres, from: { ...toPostgres.from, store: { ...store, hitsOf } } });

    const counted = await rowsOf(database.url, 'select hits::integer as hits from website_day order by day');
    expect(counted[0]).toEqual({ hits: 1 });
  });

  it('deletes days at the target that retention has deleted since', async () => {
    const { service, clickhouse, toClickHouse } = open();
    const [websiteId = ''] = await addWebsites(service, [null]);
    const day = '2026-10-01';
    await addHits(service, [onDay(websiteId, day)]);
    await move(toClickHouse, websiteId);
    await untilDone(() => service.maintenance.deleteHitsBefore('2026-11-01'));

    await move(toClickHouse);

    const query = { websiteId, from: day, to: day, filters: [] };
    expect((await clickhouse.statistics.totals(query)).pageviews).toBe(1);
    expect(await toClickHouse.to.store.days()).toEqual([]);
  });
});
