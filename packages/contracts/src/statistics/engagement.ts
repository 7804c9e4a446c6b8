import type { ValuePosition } from '@hitherto/domain/engine';
import { bareDetails, type CountedHit } from '@hitherto/domain/hits';
import { expect, it } from 'vitest';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  at,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  settle,
  untilDone,
} from './support.ts';

/** How pageviews are looked at. The random histories compare it in all states. */
export function engagementContract(makePorts: MakePorts): void {
  const setUp = async () => {
    const ports = await makePorts();
    const { websiteId } = await addWebsite(ports);
    return { ports, websiteId };
  };
  const of = (websiteId: string) => ({
    pageview: (view: number, page: string, overrides: Partial<CountedHit> = {}) =>
      at('12:00', { websiteId, visitor: BigInt(view), page, view, ...overrides }),
    measure: (view: number, seconds: number, scroll: number): CountedHit => {
      const { time, day, visitor } = at('12:01', { visitor: BigInt(view) });
      return { ...bareDetails('', ''), websiteId, time, day, visitor, view, measure: { seconds, scroll } };
    },
  });
  const totalsOf = (ports: StatisticsPorts, websiteId: string) => ports.statistics.totals(aQuery(websiteId));
  const measured = { measured: 2, seconds: 15, scroll: 130, measuredVisits: 2, engagedVisits: 1 };

  /** Two measured pageviews, one that is not, and a measure without a pageview. */
  const addSome = async (ports: StatisticsPorts, websiteId: string) => {
    const { pageview, measure } = of(websiteId);
    await addHits(ports, [pageview(1, '/a'), pageview(2, '/b'), pageview(3, '/a')]);
    await addHits(ports, [measure(1, 10, 20), measure(2, 5, 100), measure(1, 2, 30), measure(9, 60, 60)]);
  };

  it('counts the greatest numbers of each view, and nothing without its pageview', async () => {
    const { ports, websiteId } = await setUp();

    await addSome(ports, websiteId);

    expect(await totalsOf(ports, websiteId)).toMatchObject({ visitors: 3, pageviews: 3, engagement: measured });
    const pages = await ports.statistics.values(aQuery(websiteId), 'page', 10);
    expect(pages.rows.map(({ value, engagement }) => [value, engagement])).toEqual([
      ['/a', { measured: 1, seconds: 10, scroll: 30, measuredVisits: 1, engagedVisits: 1 }],
      ['/b', { measured: 1, seconds: 5, scroll: 100, measuredVisits: 1, engagedVisits: 0 }],
    ]);
  });

  it('adds increments to the last pageview of their page until then, in any order and whatever comes late', async () => {
    const { ports, websiteId } = await setUp();
    const pageview = (time: string, page: string, overrides: Partial<CountedHit> = {}) =>
      at(time, { websiteId, visitor: 1n, page, ...overrides });
    const increment = (time: string, page: string, seconds: number, scroll: number): CountedHit => {
      const { time: of, day, visitor } = at(time, { visitor: 1n });
      return { ...bareDetails('', page), websiteId, time: of, day, visitor, measure: { seconds, scroll } };
    };
    const pagesOf = async (until?: string) => {
      const cut = until === undefined ? {} : { to: at(until).day, until: at(until).time };
      const { rows } = await ports.statistics.values(aQuery(websiteId, cut), 'page', 10);
      return rows.flatMap(({ value, engagement }) =>
        engagement?.measured ? [[value, engagement.measured, engagement.seconds, engagement.scroll]] : [],
      );
    };

    // Without a pageview until then, of the page, or with one that has a view, an increment is in no number.
    await addHits(ports, [increment('12:10', '/a', 1_000, 70), increment('12:10', '/a', 1_000, 80)]);
    await addHits(ports, [pageview('12:00', '/a'), pageview('12:01', '/b'), pageview('12:05', '/c', { view: 7 })]);
    await addHits(ports, [
      increment('11:59', '/a', 5, 100),
      increment('12:20', '/c', 5, 5),
      increment('12:20', '/d', 5, 5),
    ]);
    expect(await pagesOf()).toEqual([['/a', 1, 1_800, 80]]);

    await settle(ports);
    await addHits(ports, [increment('12:00', '/a', 3, 90)]);
    expect(await pagesOf()).toEqual([['/a', 1, 1_800, 90]]);
    // A late pageview takes the increments after it from the one before.
    await addHits(ports, [pageview('12:09', '/a')]);
    const expected = [['/a', 2, 1_803, 170]];
    expect(await pagesOf()).toEqual(expected);
    expect(await pagesOf('12:09')).toEqual([['/a', 1, 3, 90]]);
    await settle(ports);
    expect(await pagesOf()).toEqual(expected);
    expect(await pagesOf('12:09')).toEqual([['/a', 1, 3, 90]]);
    await rebuild(ports);
    expect(await pagesOf()).toEqual(expected);
  });

  it('counts those of chosen visits', async () => {
    const { ports, websiteId } = await setUp();
    await addSome(ports, websiteId);

    const filters = all({ dimension: 'page', value: '/b' });

    const { engagement } = await ports.statistics.totals(aQuery(websiteId, { filters }));
    expect(engagement).toEqual({ measured: 1, seconds: 5, scroll: 100, measuredVisits: 1, engagedVisits: 0 });
  });

  it('counts measures that come after the day is stored, again and again', async () => {
    const { ports, websiteId } = await setUp();
    const { measure } = of(websiteId);
    await addSome(ports, websiteId);
    await settle(ports);
    expect(await totalsOf(ports, websiteId)).toMatchObject({ engagement: measured });

    await addHits(ports, [measure(2, 6, 10)]);
    expect(await totalsOf(ports, websiteId)).toMatchObject({ engagement: { ...measured, seconds: 16 } });

    await settle(ports);
    await addHits(ports, [measure(2, 7, 10)]);
    await settle(ports);
    expect(await totalsOf(ports, websiteId)).toMatchObject({ engagement: { ...measured, seconds: 17 } });
    await rebuild(ports);
    expect(await totalsOf(ports, websiteId)).toMatchObject({ engagement: { ...measured, seconds: 17 } });
  });

  it('keeps the numbers of days whose hits are deleted, and has none where nothing is measured', async () => {
    const { ports, websiteId } = await setUp();
    const { websiteId: other } = await addWebsite(ports);
    await addSome(ports, websiteId);
    await addHits(ports, [of(other).pageview(1, '/')]);

    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-12-01'));

    expect(await totalsOf(ports, websiteId)).toMatchObject({ engagement: measured });
    expect(await totalsOf(ports, other)).not.toHaveProperty('engagement');
  });

  it('lists pages by engaged seconds, none last, equal means by value, page by page', async () => {
    const { ports, websiteId } = await setUp();
    const { pageview, measure } = of(websiteId);
    const seconds = { '/unseen': [], '/b': [10], '/a': [10], '/é': [0], '/long': [900, 30], '/none': [] };
    const views = Object.entries(seconds).flatMap(([page, of], place) =>
      (of.length === 0 ? [undefined] : of).map((second, at) => ({ view: 10 * place + at + 1, page, second })),
    );
    await addHits(
      ports,
      views.map(({ view, page }) => pageview(view, page)),
    );
    await addHits(
      ports,
      views.flatMap(({ view, second }) => (second === undefined ? [] : [measure(view, second, 50)])),
    );
    const order = ['/long', '/a', '/b', '/é', '/none', '/unseen'];
    const chosen = all({ dimension: 'event', value: null });

    const expectInOrder = async (query = aQuery(websiteId)) => {
      const page = (position?: ValuePosition) => ports.statistics.values(query, 'page', 2, position, 'engaged_seconds');
      const first = await page();
      const second = await page(first.next);
      const third = await page(second.next);
      expect([first, second, third].flatMap(({ rows }) => rows.map(({ value }) => value))).toStrictEqual(order);
      expect(third).toMatchObject({ next: undefined, total: 6 });
      expect(await page(third.previous)).toStrictEqual(second);
    };
    await expectInOrder();
    await settle(ports);
    await expectInOrder();
    await expectInOrder(aQuery(websiteId, { filters: chosen }));
  });

  it('has no visitor of a measure alone', async () => {
    const { ports, websiteId } = await setUp();
    const { pageview, measure } = of(websiteId);
    await addHits(ports, [pageview(1, '/'), measure(9, 60, 60)]);

    const [since, until] = [at('12:00').time, at('12:30').time];

    expect(await ports.statistics.visitorsBetween(websiteId, since, until)).toBe(1);
    expect(await ports.statistics.series(aQuery(websiteId), 'hour')).toMatchObject([{ visitors: 1, pageviews: 1 }]);
  });
}
