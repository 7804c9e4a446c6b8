import { timeZone } from '@hitherto/domain/calendar';
import { previewCleanup, settleCleanup } from '@hitherto/domain/cleanups';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { hidingSet, NO_TOTALS, valueFilter } from '@hitherto/domain/visits';
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
  settle,
  undoCleanup,
  untilDone,
} from './support.ts';

const FROM_SPAM = { match: 'all', filters: [valueFilter('source', 'Spam')], from: null, to: null } as const;

/** The contract of cleanups: what they hide is in no number, until they are undone. */
export function cleanupsContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let websiteId: string;
  const read = (asked: Partial<StatisticsQuery> = {}) => ports.statistics.totals(aQuery(websiteId, asked));
  const spam = { source: 'Spam', referrer: 'spam.example/' } as const;

  beforeEach(async () => {
    ports = await makePorts();
    ({ websiteId } = await addWebsite(ports));
    await addHits(ports, [
      at('10:00', { websiteId, visitor: 1n, page: '/a' }),
      at('12:00', { websiteId, visitor: 1n, page: '/b', ...spam }),
      at('10:00', { websiteId, visitor: 2n, page: '/a', ...spam }),
      at('10:01', { websiteId, visitor: 2n, page: '/b', name: 'Signup' }),
    ]);
  });

  describe.each<readonly [string, () => Promise<void>]>([
    ['just added', async () => {}],
    ['settled', () => settle(ports)],
  ])('on days that are %s', (_, settled) => {
    it('hides visits whole, and a visitor stays whose other visit does', async () => {
      await settled();
      const before = await read();

      await applyCleanup(ports, websiteId, FROM_SPAM);

      expect(before).toMatchObject({ visitors: 2, visits: 3, pageviews: 3, events: 1 });
      expect(await read()).toMatchObject({ visitors: 1, visits: 1, pageviews: 1, events: 0 });
      expect(await read({ hidden: 'only' })).toMatchObject({ visitors: 2, visits: 2, pageviews: 2, events: 1 });
      expect(await read({ hidden: 'include' })).toStrictEqual(before);
      await settle(ports);
      expect(await read()).toMatchObject({ visitors: 1, visits: 1 });
      expect(await read({ hidden: 'include' })).toStrictEqual(before);
      const { rows } = await ports.statistics.values(aQuery(websiteId), 'page', 10);
      expect(rows.map(({ value }) => value)).toStrictEqual(['/a']);
    });

    it('brings every number back when it is undone', async () => {
      await settled();
      const before = await read();
      await applyCleanup(ports, websiteId, FROM_SPAM);
      await settle(ports);

      await undoCleanup(ports, websiteId, FROM_SPAM);

      expect(await read()).toStrictEqual(before);
      await settle(ports);
      expect(await read()).toStrictEqual(before);
    });
  });

  it('counts what it hides when it is applied', async () => {
    await applyCleanup(ports, websiteId, FROM_SPAM);

    const { accountId } = (await ports.directory.findById(websiteId)) ?? { accountId: '' };
    const [cleanup] = (await ports.cleanups.list({ accountId, websiteId })) ?? [];
    expect(cleanup).toMatchObject({ status: 'active', hidden: { visits: 2, hits: 3 } });
  });

  it('hides hits that come later, of its days alone', async () => {
    await applyCleanup(ports, websiteId, { ...FROM_SPAM, to: '2026-11-20' });
    await settle(ports);

    await addHits(ports, [at('11:00', { websiteId, visitor: 3n, ...spam })]);
    const next = { websiteId, day: '2026-11-21', time: new Date('2026-11-21T10:00:00.000Z') };
    await addHits(ports, [at('10:00', { ...next, visitor: 4n, ...spam })]);

    expect(await read()).toMatchObject({ visits: 2 });
    await settle(ports);
    expect(await ports.statistics.series(aQuery(websiteId), 'day')).toMatchObject([
      { start: '2026-11-20', visits: 1 },
      { start: '2026-11-21', visits: 1 },
    ]);
  });

  it('hides visitors from those of the last minutes', async () => {
    const [since, until] = ['09:59', '10:05'].map((time) => at(time).time);
    const current = () =>
      since === undefined || until === undefined ? 0 : ports.statistics.visitorsBetween(websiteId, since, until);
    expect(await current()).toBe(2);

    await applyCleanup(ports, websiteId, FROM_SPAM);

    expect(await current()).toBe(1);
    await settle(ports);
    expect(await current()).toBe(1);
  });

  it('hides visitors from glances', async () => {
    await applyCleanup(ports, websiteId, FROM_SPAM);
    const cut = { day: '2026-11-20', until: at('11:00').time };
    const of = { websiteId, from: '2026-11-01', to: '2026-11-30', cut };

    const [glance] = await ports.statistics.glances([{ ...of, since: at('09:59').time, now: at('10:05').time }]);

    expect(glance).toMatchObject({ days: [{ day: '2026-11-20', visitors: 1 }], cut: 1, current: 1 });
  });

  it('stays as it is in the numbers of days whose hits are deleted', async () => {
    await applyCleanup(ports, websiteId, FROM_SPAM);
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-21'));

    await undoCleanup(ports, websiteId, FROM_SPAM);
    await rebuild(ports);

    expect(await read()).toMatchObject({ visitors: 1, visits: 1, pageviews: 1 });
  });

  it('is previewed: before less hidden is after, and nothing is stored', async () => {
    const deps = { ...ports, now: () => new Date('2026-11-22T12:00:00.000Z'), zone: timeZone('UTC') };

    const { before, hidden, after, days, top, ...period } = await previewCleanup(deps, websiteId, FROM_SPAM);

    expect(before).toStrictEqual(await read());
    expect(hidden).toStrictEqual(await read({ filters: [hidingSet([{ id: '', ...FROM_SPAM }], false)] }));
    expect(after).toMatchObject({ visitors: 1, visits: 1, pageviews: 1, events: 0 });
    expect(days).toMatchObject([{ day: '2026-11-20', before: { visits: 3 }, after: { visits: 1 } }]);
    expect(top.get('source')).toMatchObject([{ value: 'Spam', visitors: 2 }]);
    expect(period).toStrictEqual({ from: '2026-11-20', to: '2026-11-22', keptSince: '2026-11-20', without: [] });
    expect(await settleCleanup(ports)).toBe(false);
  });

  it('can hide everything', async () => {
    await settle(ports);

    await applyCleanup(ports, websiteId, { ...FROM_SPAM, filters: [valueFilter('device', 'desktop')] });
    await settle(ports);

    expect(await read()).toStrictEqual(NO_TOTALS);
    expect(await ports.statistics.series(aQuery(websiteId), 'day')).toStrictEqual([]);
    expect(await ports.statistics.series(aQuery(websiteId), 'hour')).toStrictEqual([]);
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-21'));
    expect(await read()).toStrictEqual(NO_TOTALS);
  });
}
