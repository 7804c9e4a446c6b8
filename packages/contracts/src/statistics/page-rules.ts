import type { StatisticsQuery } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import { allOf, type Filter, valueFilter } from '@hitherto/domain/visits';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addHits,
  addWebsite,
  applyCleanup,
  aQuery,
  at,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  setPageRules,
  settle,
  untilDone,
} from './support.ts';

const USERS = '/user/* => /user/:id';

/** The contract of page rules: they show pages in another way, and change nothing else. */
export function pageRulesContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let websiteId: string;
  const query = (asked: Partial<StatisticsQuery> = {}) => aQuery(websiteId, asked);
  const list = async (dimension: 'page' | 'entry_page' | 'exit_page', asked: Partial<StatisticsQuery> = {}) => {
    const { rows } = await ports.statistics.values(query(asked), dimension, 10);
    return rows.map(({ value, visitors, pageviews }) => [value, visitors, pageviews]);
  };

  beforeEach(async () => {
    ports = await makePorts();
    ({ websiteId } = await addWebsite(ports));
    await addHits(ports, [
      at('10:00', { websiteId, visitor: 1n, page: '/user/1' }),
      at('10:01', { websiteId, visitor: 1n, page: '/user/2?filter=a' }),
      at('10:02', { websiteId, visitor: 1n, page: '/user/2', name: 'Signup' }),
      at('10:00', { websiteId, visitor: 2n, page: '/list?filter=a&b=1' }),
      at('10:01', { websiteId, visitor: 2n, page: '/list?Filter=c' }),
      at('10:02', { websiteId, visitor: 2n, page: '/app#/list?filter=d' }),
    ]);
  });

  describe.each<readonly [string, () => Promise<void>]>([
    ['just added', async () => {}],
    ['settled', () => settle(ports)],
  ])('on days that are %s', (_, settled) => {
    it('shows the pages of past hits by the first rule that fits, and brings them back', async () => {
      await settled();
      const before = [await list('page'), await list('entry_page'), await list('exit_page')];

      await setPageRules(ports, websiteId, ['?filter', USERS]);

      const shown = [
        ['/user/2', 1, 1],
        ['/user/:id', 1, 1],
        ['/app#/list', 1, 1],
        ['/list', 1, 1],
        ['/list?b=1', 1, 1],
      ].sort();
      expect((await list('page')).sort()).toStrictEqual(shown);
      await settle(ports);
      expect((await list('page')).sort()).toStrictEqual(shown);
      await setPageRules(ports, websiteId, []);
      expect([await list('page'), await list('entry_page'), await list('exit_page')]).toStrictEqual(before);
      await settle(ports);
      expect([await list('page'), await list('entry_page'), await list('exit_page')]).toStrictEqual(before);
    });

    it('counts a visitor of several pages that are one once', async () => {
      await settled();

      await setPageRules(ports, websiteId, [USERS, '?f*&b']);

      const pages = [
        ['/list', 1, 2],
        ['/app#/list', 1, 1],
        ['/user/:id', 1, 2],
      ].sort();
      expect((await list('page')).sort()).toStrictEqual(pages);
      expect((await list('entry_page')).map(([value]) => value)).toStrictEqual(['/list', '/user/:id']);
      expect((await list('exit_page')).map(([value]) => value)).toStrictEqual(['/app#/list', '/user/:id']);
      const { values } = await ports.statistics.overview(query(), ['page'], 10);
      expect(values.get('page')?.total).toBe(3);
      await settle(ports);
      expect((await list('page')).sort()).toStrictEqual(pages);
    });

    it('changes no visit, visitor, duration, bounce and pageview', async () => {
      await settled();
      const read = async () => [
        await ports.statistics.totals(query()),
        await ports.statistics.series(query(), 'hour'),
        await ports.statistics.values(query(), 'source', 10),
      ];
      const before = await read();

      await setPageRules(ports, websiteId, ['* => /:all']);

      expect(await read()).toStrictEqual(before);
      await settle(ports);
      expect(await read()).toStrictEqual(before);
    });

    it('lets filters, goals and funnels match the shown page', async () => {
      await settled();
      await setPageRules(ports, websiteId, [USERS]);
      const totals = async (filter: Filter) => {
        const { visits } = await ports.statistics.totals(query({ filters: allOf([filter]) }));
        return visits;
      };

      expect(await totals(valueFilter('page', '/user/:id'))).toBe(1);
      expect(await totals(valueFilter('entry_page', '/user/:id'))).toBe(1);
      expect(await totals(valueFilter('page', '/user/1'))).toBe(0);
      const goals = ['/user/:id', '/user/1'].map((page) => ({ id: page, rule: { page }, sum: null }));
      expect(await ports.statistics.goals(query(), goals)).toMatchObject([{ conversions: 2 }, { conversions: 0 }]);
      const steps = [{ page: '/user/:id' }, { page: '/user/:id' }];
      const [, second] = await ports.statistics.funnel(query(), { steps, isStrict: false });
      expect(second).toMatchObject({ visits: 1 });
    });
  });

  it('shows the pages of later hits, and of the last minutes', async () => {
    await setPageRules(ports, websiteId, [USERS]);
    await addHits(ports, [at('10:03', { websiteId, visitor: 3n, page: '/user/3' })]);

    const { values } = await ports.statistics.live(websiteId, at('09:55').time, at('10:05').time, 10);

    expect(values.get('page')?.rows).toMatchObject([{ value: '/user/:id', visitors: 2 }, {}, {}, {}]);
  });

  it('does not change what cleanups hide', async () => {
    await applyCleanup(ports, websiteId, {
      match: 'all',
      filters: [valueFilter('page', '/user/1')],
      from: null,
      to: null,
    });

    await setPageRules(ports, websiteId, [USERS]);

    expect(await ports.statistics.totals(query())).toMatchObject({ visits: 1 });
    await settle(ports);
    expect(await ports.statistics.totals(query())).toMatchObject({ visits: 1 });
    expect(await list('page', { hidden: 'only' })).toStrictEqual([['/user/:id', 1, 2]]);
  });

  it('reads stored pages where they are asked for, and leaves stored hits as they are', async () => {
    await setPageRules(ports, websiteId, ['* => /:all']);
    await settle(ports);

    const pages = (await list('page', { storedPages: true })).map(([page]) => page);
    const hits: CountedHit[] = [];
    for await (const hit of ports.staging.hits(websiteId)) hits.push(hit);

    expect(pages).toContain('/user/2?filter=a');
    expect(hits.map(({ page }) => page)).toContain('/user/2?filter=a');
  });

  it('leaves the numbers of days whose hits are deleted as they were', async () => {
    await setPageRules(ports, websiteId, [USERS]);
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-21'));

    await setPageRules(ports, websiteId, []);
    await rebuild(ports);

    expect((await list('page')).map(([page]) => page)).toContain('/user/:id');
  });
}
