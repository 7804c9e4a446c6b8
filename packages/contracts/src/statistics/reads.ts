import { UNRECORDED } from '@hitherto/domain/changes';
import { type GlanceQuery, NO_GLANCE, type StatisticsQuery } from '@hitherto/domain/engine';
import { NO_TOTALS } from '@hitherto/domain/visits';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  at,
  type MakePorts,
  type StatisticsPorts,
  type ValueFilter,
} from './support.ts';

const ADA = 1n;
const BOB = 2n;
const MINUTE = 60_000;

/**
 * The contract of totals, series and filters.
 *
 * @param settle what the background work does before numbers are read: it changes none
 */
export function readsContract(makePorts: MakePorts, settle: (ports: StatisticsPorts) => Promise<void>): void {
  let ports: StatisticsPorts;
  let accountId: string;
  let websiteId: string;

  /** Adds two visits of Ada, 31 minutes apart, and one of Bob with an event. */
  const addVisits = async () => {
    ports = await makePorts();
    ({ accountId, websiteId } = await addWebsite(ports));
    const ada = { websiteId, visitor: ADA, source: 'nl' };
    const bob = { websiteId, visitor: BOB, source: null, country: null };
    await addHits(ports, [
      at('12:10', { ...ada, page: '/b', source: 'later' }),
      at('12:00', { ...ada, page: '/a' }),
      at('12:41:00', { ...ada, page: '/a' }),
      at('12:05', { ...bob, page: '/a' }),
      at('12:06', { ...bob, page: '/c', name: 'Signup', props: { plan: 'pro' } }),
      at('12:07', { ...bob, page: '/b' }),
    ]);
    await settle(ports);
  };

  const totals = (filters: readonly ValueFilter[] = []) =>
    ports.statistics.totals(aQuery(websiteId, { filters: all(...filters) }));

  describe('of the same visits', () => {
    beforeAll(addVisits);

    describe('totals', () => {
      it('count visitors, visits, pageviews, events, bounces and durations', async () => {
        expect(await totals()).toStrictEqual({
          visitors: 2,
          visits: 3,
          pageviews: 5,
          events: 1,
          bounces: 1,
          visitsWithPageviews: 3,
          duration: 12 * MINUTE,
        });
      });

      it('cover the days of the period, both ends included', async () => {
        const of = (from: string, to: string) => ports.statistics.totals(aQuery(websiteId, { from, to }));

        expect((await of('2026-11-20', '2026-11-20')).visits).toBe(3);
        expect((await of('2026-11-01', '2026-11-19')).visits).toBe(0);
        expect((await of('2026-11-21', '2026-11-30')).visits).toBe(0);
      });
    });

    describe('of a day until a moment', () => {
      const until = (time: string, overrides: Partial<StatisticsQuery> = {}) =>
        aQuery(websiteId, { to: '2026-11-20', until: new Date(`2026-11-20T${time}.123Z`), ...overrides });

      it('count only the hits before it, and their visits as they were then', async () => {
        expect(await ports.statistics.totals(until('12:06:00'))).toStrictEqual({
          ...{ visitors: 2, visits: 2, pageviews: 2, events: 0, bounces: 2, visitsWithPageviews: 2, duration: 0 },
        });
        expect(await ports.statistics.totals(until('12:41:00'))).toStrictEqual({
          ...{ visitors: 2, visits: 2, pageviews: 4, events: 1, bounces: 0, visitsWithPageviews: 2 },
          duration: 12 * MINUTE,
        });
        expect(await ports.statistics.totals(until('12:00:00'))).toStrictEqual(NO_TOTALS);
      });

      it('choose visits by what was true of them then', async () => {
        const ofPage = all({ dimension: 'page', value: '/b' });
        const ofExit = all({ dimension: 'exit_page', value: '/a' });
        const visits = async (filters: StatisticsQuery['filters'], time: string) =>
          (await ports.statistics.totals(until(time, { filters }))).visits;

        expect([await visits(ofPage, '12:07:00'), await visits(ofPage, '12:10:00')]).toEqual([0, 1]);
        expect([await visits(ofExit, '12:07:00'), await visits(ofExit, '12:41:00')]).toEqual([2, 0]);
      });

      it('leave the days before whole', async () => {
        const next = { to: '2026-11-21', until: new Date('2026-11-20T12:01:00.000Z') };

        expect(await ports.statistics.totals(aQuery(websiteId, next))).toStrictEqual(await totals());
      });
    });

    describe('series', () => {
      it('has a point for each day with hits', async () => {
        expect(await ports.statistics.series(aQuery(websiteId), 'day')).toStrictEqual([
          { start: '2026-11-20', ...(await totals()) },
        ]);
      });
    });

    describe('filters', () => {
      it.each<[string, ValueFilter[], number]>([
        ['of the first hit', [{ dimension: 'source', value: 'nl' }], 2],
        ['not of a later hit', [{ dimension: 'source', value: 'later' }], 0],
        ['of no value', [{ dimension: 'country', value: null }], 1],
        ['of an entry page', [{ dimension: 'entry_page', value: '/a' }], 3],
        ['of an exit page', [{ dimension: 'exit_page', value: '/b' }], 2],
        ['of a page that any pageview has', [{ dimension: 'page', value: '/b' }], 2],
        ['of a page that only an event has', [{ dimension: 'page', value: '/c' }], 0],
        ['of an event', [{ dimension: 'event', value: 'Signup' }], 1],
        ['of no event', [{ dimension: 'event', value: null }], 2],
        ['of no page', [{ dimension: 'page', value: null }], 0],
        [
          'of two dimensions',
          [
            { dimension: 'page', value: '/b' },
            { dimension: 'event', value: 'Signup' },
          ],
          1,
        ],
        ['of another letter case', [{ dimension: 'event', value: 'signup' }], 0],
        ['of an impossible value', [{ dimension: 'source', value: '\0' }], 0],
      ])('%s choose whole visits', async (_, filters, visits) => {
        expect((await totals(filters)).visits).toBe(visits);
      });

      it('keep the numbers of the chosen visits whole', async () => {
        expect(await totals([{ dimension: 'event', value: 'Signup' }])).toStrictEqual({
          visitors: 1,
          visits: 1,
          pageviews: 2,
          events: 1,
          bounces: 0,
          visitsWithPageviews: 1,
          duration: 2 * MINUTE,
        });
      });

      it('apply to series and lists', async () => {
        const query = aQuery(websiteId, { filters: all({ dimension: 'page', value: '/b' }) });

        expect(await ports.statistics.series(query, 'day')).toMatchObject([{ visits: 2, pageviews: 4 }]);
        expect(await ports.statistics.series(query, 'hour')).toMatchObject([{ visits: 2, pageviews: 4, events: 1 }]);
        expect((await ports.statistics.values(query, 'page', 10)).rows).toMatchObject([
          { value: '/a', visitors: 2, visits: 2, pageviews: 2 },
          { value: '/b', visitors: 2, visits: 2, pageviews: 2 },
        ]);
      });
    });

    describe('visitorsBetween', () => {
      it('counts visitors with a hit between two instants, both included', async () => {
        const current = (since: string, until: string) =>
          ports.statistics.visitorsBetween(
            websiteId,
            new Date(`2026-11-20T${since}Z`),
            new Date(`2026-11-20T${until}Z`),
          );

        expect(await current('12:07:00.123', '12:41:00.123')).toBe(2);
        expect(await current('12:10:00.124', '12:41:00.123')).toBe(1);
        expect(await current('12:10:00.124', '12:41:00.122')).toBe(0);
        expect(await current('12:41:00.124', '23:59:00.000')).toBe(0);
      });
    });

    describe('live', () => {
      const live = (since: string, until: string, limit = 10) =>
        ports.statistics.live(websiteId, new Date(`2026-11-20T${since}Z`), new Date(`2026-11-20T${until}Z`), limit);
      const minute = (time: string) => Date.parse(`2026-11-20T${time}:00.000Z`);
      const listOf = (...rows: readonly (readonly [string | null, number])[]) => ({
        rows: rows.map(([value, visitors]) => ({ value, visitors, events: undefined })),
        total: rows.length,
      });

      it('has visitors between two instants by minute, and the pages that they viewed then', async () => {
        const found = await live('12:05:00.124', '12:35:00.123');

        expect(found.visitors).toBe(2);
        expect([...found.minutes].sort()).toStrictEqual([
          [minute('12:06'), 1],
          [minute('12:07'), 1],
          [minute('12:10'), 1],
        ]);
        expect(found.values.get('page')).toStrictEqual(listOf(['/b', 2]));
      });

      it('has the sources and countries of visits, which may have begun before', async () => {
        const { values } = await live('12:06:00.000', '12:10:00.123');

        expect(values.get('source')).toStrictEqual(listOf(['nl', 1], [null, 1]));
        expect(values.get('country')).toStrictEqual(listOf(['DE', 1], [null, 1]));
      });

      it('has the first values of a list, and how many there are', async () => {
        const { values } = await live('12:00:00.000', '12:10:00.123', 1);

        expect(values.get('page')).toStrictEqual({ ...listOf(['/a', 2]), total: 2 });
      });

      it('is empty without visitors', async () => {
        const found = await live('13:00:00.000', '13:30:00.000');

        expect([found.visitors, found.minutes.size, found.values.get('page')]).toStrictEqual([0, 0, listOf()]);
      });
    });

    describe('glances', () => {
      const glance = (overrides: Partial<GlanceQuery> = {}): GlanceQuery => ({
        websiteId,
        from: '2026-11-01',
        to: '2026-11-30',
        cut: { day: '2026-11-20', until: new Date('2026-11-20T12:05:00.123Z') },
        since: new Date('2026-11-20T12:10:00.124Z'),
        now: new Date('2026-11-20T12:41:00.123Z'),
        ...overrides,
      });

      it('have the visitors of days, of a part of a day, and of now, and the last hit', async () => {
        expect(await ports.statistics.glances([glance()])).toStrictEqual([
          {
            days: [{ day: '2026-11-20', visitors: 2 }],
            cut: 1,
            current: 1,
            lastHit: new Date('2026-11-20T12:41:00.123Z'),
            firstDay: '2026-11-20',
          },
        ]);
      });

      it('are in the order of the queries, and empty of unknown websites', async () => {
        const { websiteId: empty } = await addWebsite(ports);
        const later = { from: '2026-11-21', cut: { day: '2026-11-21', until: new Date('2026-11-21T12:00:00Z') } };

        const found = await ports.statistics.glances([
          glance({ websiteId: 'nobody' }),
          glance(),
          glance({ websiteId: empty }),
        ]);

        expect(await ports.statistics.glances([])).toStrictEqual([]);
        expect(found[0]).toStrictEqual(NO_GLANCE);
        expect(found[1]?.days).toHaveLength(1);
        expect(found[2]).toStrictEqual(NO_GLANCE);
        expect(await ports.statistics.glances([glance(later)])).toStrictEqual([
          { ...NO_GLANCE, current: 1, firstDay: '2026-11-20' },
        ]);
      });
    });

    describe('firstDay', () => {
      it('is the first day with a hit', async () => {
        expect(await ports.statistics.firstDay(websiteId)).toBe('2026-11-20');
      });

      it('is absent without hits', async () => {
        const { websiteId: other } = await addWebsite(ports);

        expect(await ports.statistics.firstDay(other)).toBeUndefined();
      });
    });
  });

  describe('after a change', () => {
    beforeEach(addVisits);

    it('totals count a visitor of two days twice', async () => {
      await addHits(ports, [
        at('12:00', { websiteId, visitor: ADA, day: '2026-11-21', time: new Date('2026-11-21T12:00Z') }),
      ]);
      await settle(ports);

      expect(await totals()).toMatchObject({ visitors: 3, visits: 4 });
    });

    it('glances count a late hit of the cut day, before and after it is stored', async () => {
      const query = { websiteId, from: '2026-11-01', to: '2026-11-30', since: new Date(0), now: new Date(1) };
      const cut = { day: '2026-11-20', until: new Date('2026-11-20T12:05:00.123Z') };
      const visitors = async () => (await ports.statistics.glances([{ ...query, cut }])).map((glance) => glance.cut);
      expect(await visitors()).toEqual([1]);

      await addHits(ports, [at('12:01', { websiteId, visitor: 7n })]);

      expect(await visitors()).toEqual([2]);
      await settle(ports);
      expect(await visitors()).toEqual([2]);
      expect(await visitors()).toEqual([2]);
    });

    it('numbers are zero for a deleted or unknown website', async () => {
      await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

      expect((await totals()).visits).toBe(0);
      expect((await ports.statistics.totals(aQuery('nobody'))).visits).toBe(0);
      expect(await ports.statistics.series(aQuery(websiteId), 'day')).toStrictEqual([]);
      expect(await ports.statistics.values(aQuery(websiteId), 'page', 10)).toMatchObject({ rows: [], total: 0 });
      expect(await ports.statistics.visitorsBetween(websiteId, new Date(0), new Date())).toBe(0);
      expect((await ports.statistics.live('nobody', new Date(0), new Date(1), 1)).visitors).toBe(0);
      expect(await ports.statistics.firstDay(websiteId)).toBeUndefined();
      expect(await ports.statistics.hasSums(websiteId, '2026-11-20')).toBe(false);
      expect(await ports.statistics.hasSums('nobody', '2026-11-20')).toBe(false);
    });

    it('totals count a late hit that joins two visits', async () => {
      await addHits(ports, [at('12:30', { websiteId, visitor: ADA, page: '/d' })]);
      await settle(ports);

      expect(await totals()).toMatchObject({ visitors: 2, visits: 2, bounces: 0, duration: 43 * MINUTE });
    });

    it('a series counts a visit in the hour in which it begins, and hits in theirs', async () => {
      await addHits(ports, [at('13:05', { websiteId, visitor: ADA, page: '/a' })]);
      await settle(ports);

      expect(await ports.statistics.series(aQuery(websiteId), 'hour')).toStrictEqual([
        {
          start: new Date('2026-11-20T12:00:00.000Z'),
          visitors: 2,
          visits: 3,
          pageviews: 5,
          events: 1,
          bounces: 0,
          visitsWithPageviews: 3,
          duration: 36 * MINUTE,
        },
        {
          start: new Date('2026-11-20T13:00:00.000Z'),
          visitors: 1,
          visits: 0,
          pageviews: 1,
          events: 0,
          bounces: 0,
          visitsWithPageviews: 0,
          duration: 0,
        },
      ]);
    });

    it('the first day is that of the earliest hit, whenever it is added', async () => {
      expect(await ports.statistics.firstDay(websiteId)).toBe('2026-11-20');

      await addHits(ports, [at('12:00', { websiteId, day: '2026-11-03', time: new Date('2026-11-03T12:00Z') })]);
      await settle(ports);

      expect(await ports.statistics.firstDay(websiteId)).toBe('2026-11-03');
    });
  });
}
