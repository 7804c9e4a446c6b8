import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { CLEANUP, deleteCleanup, previewCleanup, settleCleanup } from '@hitherto/domain/cleanups';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { bareDetails } from '@hitherto/domain/hits';
import { createResource } from '@hitherto/domain/resources';
import { hidingSet, NO_TOTALS, valueFilter } from '@hitherto/domain/visits';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { aWebhook, deliveredEvents } from '../support/webhooks.ts';
import {
  addHits,
  addWebsite,
  applyCleanup,
  aQuery,
  at,
  eraseCleanup,
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

    it('keeps the numbers when the hidden hits are deleted, and undoing brings none of them back', async () => {
      await settled();
      await applyCleanup(ports, websiteId, FROM_SPAM);
      const numbers = await read();

      await eraseCleanup(ports, websiteId, FROM_SPAM);

      expect(await read()).toStrictEqual(numbers);
      expect(await read({ hidden: 'only' })).toStrictEqual(NO_TOTALS);
      await settle(ports);
      expect(await read()).toStrictEqual(numbers);
      const hits: string[] = [];
      for await (const { page } of ports.staging.hits(websiteId)) hits.push(page);
      expect(hits).toStrictEqual(['/a']);
      await undoCleanup(ports, websiteId, FROM_SPAM);
      await rebuild(ports);
      expect(await read()).toStrictEqual(numbers);
    });

    it('deletes measured pageviews with their measures, and no others', async () => {
      const view = { websiteId, visitor: 2n, page: '/c', view: 7 } as const;
      const measure = { ...bareDetails('', ''), measure: { seconds: 9, scroll: 50 } };
      await addHits(ports, [
        at('10:02', { ...view, ...spam }),
        { ...at('10:05', { websiteId, visitor: 2n, view: 7 }), ...measure },
        at('15:00', { ...view, view: 8 }),
        // At the very time of a hit that is deleted.
        { ...at('10:01', { websiteId, visitor: 2n, view: 8 }), ...measure },
        { ...at('15:01', { websiteId, visitor: 2n, view: 9 }), ...measure },
      ]);
      await settled();
      await applyCleanup(ports, websiteId, FROM_SPAM);
      const numbers = await read();

      await eraseCleanup(ports, websiteId, FROM_SPAM);

      expect(numbers).toMatchObject({ visits: 2, engagement: { measured: 1, seconds: 9 } });
      expect(await read({ hidden: 'include' })).toStrictEqual(numbers);
      await addHits(ports, [at('15:05', { ...view, ...spam })]);
      expect(await read({ hidden: 'include' })).toMatchObject({ pageviews: 3, engagement: { measured: 1 } });
    });

    it('deletes the increments of its pageviews, and no others', async () => {
      const increment = (time: string, page: string) => ({
        ...at(time, { websiteId, visitor: 2n }),
        ...bareDetails('', page),
        measure: { seconds: 9, scroll: 50 },
      });
      await addHits(ports, [
        at('10:02', { websiteId, visitor: 2n, page: '/c', ...spam }),
        at('15:00', { websiteId, visitor: 2n, page: '/c' }),
        at('15:01', { websiteId, visitor: 2n, page: '/d' }),
        ...[increment('10:05', '/c'), increment('15:02', '/c'), increment('15:02', '/d'), increment('15:02', '/a')],
      ]);
      await settled();
      await applyCleanup(ports, websiteId, FROM_SPAM);
      const numbers = await read();

      await eraseCleanup(ports, websiteId, FROM_SPAM);

      expect(numbers).toMatchObject({ engagement: { measured: 2, seconds: 18 } });
      expect(await read({ hidden: 'include' })).toStrictEqual(numbers);
      // Nothing is left that belonged to a deleted pageview.
      await addHits(ports, [at('10:00', { websiteId, visitor: 2n, page: '/c' })]);
      expect(await read({ hidden: 'include' })).toMatchObject({ engagement: { measured: 2, seconds: 18 } });
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

  it('tells webhooks that it is created and deleted', async () => {
    const { accountId } = (await ports.directory.findById(websiteId)) ?? { accountId: '' };
    const webhook = aWebhook({ id: newId(), events: ['cleanup.created', 'cleanup.deleted'] });
    await ports.webhooks.insert({ accountId }, webhook, UNRECORDED);
    const deps = { ...ports, author: COMMAND_LINE, now: () => new Date(), newId };
    const key = { accountId, websiteId };

    const { id } = await createResource(deps, CLEANUP, key, { name: 'Spam <b>', ...FROM_SPAM });
    await deleteCleanup(deps, key, id);

    const events = await deliveredEvents(ports.webhookOutbox, accountId, new Date());
    expect(events).toMatchObject([
      { type: 'cleanup.created', data: { website: { id: websiteId }, cleanup: { id, name: 'Spam <b>', to: null } } },
      { type: 'cleanup.deleted', data: { cleanup: { id, filters: { source: ['Spam'] } } } },
    ]);
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
    expect(await settleCleanup(deps)).toBe(false);
  });

  it('deletes all hits of a day, and counts later ones', async () => {
    await settle(ports);
    const everything = { ...FROM_SPAM, filters: [valueFilter('device', 'desktop')] };
    await applyCleanup(ports, websiteId, everything);

    await eraseCleanup(ports, websiteId, everything);
    await undoCleanup(ports, websiteId, everything);
    await settle(ports);

    expect(await read()).toStrictEqual(NO_TOTALS);
    await addHits(ports, [at('11:00', { websiteId, visitor: 3n })]);
    expect(await read()).toMatchObject({ visits: 1 });
    await settle(ports);
    expect(await read()).toMatchObject({ visits: 1 });
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
