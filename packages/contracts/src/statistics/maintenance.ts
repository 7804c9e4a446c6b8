import { UNRECORDED } from '@hitherto/domain/changes';
import type { RebuildProgress } from '@hitherto/domain/engine';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { aSum, importSums } from './imports-support.ts';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  at,
  BEFORE,
  forgetDeletedWebsites,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  settle,
  untilDone,
} from './support.ts';

/** The contract of `StatisticsMaintenance` and its effect on what is read. */
export function maintenanceContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let accountId: string;
  let websiteId: string;

  const hitOf = (day: string, time = '12:00', visitor = 1n) =>
    at(time, { websiteId, day, visitor, time: new Date(`${day}T${time}:00.000Z`) });

  beforeEach(async () => {
    ports = await makePorts();
    ({ accountId, websiteId } = await addWebsite(ports));
    await addHits(ports, [
      hitOf('2026-10-30'),
      hitOf('2026-10-31'),
      hitOf('2026-11-19', '12:00', 2n),
      hitOf('2026-11-20'),
      hitOf('2026-11-20', '12:10'),
    ]);
  });

  const whole = (id = websiteId) => aQuery(id, { from: '2026-01-01', to: '2027-12-31' });
  const days = async () => (await ports.statistics.series(whole(), 'day')).map(({ start }) => start);
  const filtered = () => ports.statistics.totals({ ...whole(), filters: all({ dimension: 'country', value: 'DE' }) });
  const deleteBefore = (day: string) => untilDone(() => ports.maintenance.deleteHitsBefore(day));

  describe('deleteHitsBefore', () => {
    it('keeps the summaries of days whose hits it deletes, summarised before or not', async () => {
      const before = {
        totals: await ports.statistics.totals(whole()),
        hours: await ports.statistics.series(whole(), 'hour'),
        pages: await ports.statistics.values(whole(), 'page', 10),
      };

      await deleteBefore('2026-11-20');

      expect({
        totals: await ports.statistics.totals(whole()),
        hours: await ports.statistics.series(whole(), 'hour'),
        pages: await ports.statistics.values(whole(), 'page', 10),
      }).toStrictEqual(before);
      expect(await ports.statistics.firstDay(websiteId)).toBe('2026-10-30');
    });

    it('leaves nothing to filter in these days', async () => {
      await deleteBefore('2026-11-20');

      expect(await filtered()).toMatchObject({ visits: 1, pageviews: 2 });
    });

    it('leaves nothing in these days to set against numbers of visits', async () => {
      const onlyHits = { ...whole(), onlyHits: true };
      await deleteBefore('2026-11-20');

      expect(await ports.statistics.totals(onlyHits)).toMatchObject({ visits: 1, pageviews: 2 });
      expect((await ports.statistics.series(onlyHits, 'day')).map(({ start }) => start)).toStrictEqual(['2026-11-20']);
      const { days: listed, values } = await ports.statistics.overview(onlyHits, ['page'], 10);
      expect(listed.map(({ start }) => start)).toStrictEqual(['2026-11-20']);
      expect(values.get('page')).toMatchObject({ rows: [{ visitors: 1 }], total: 1 });
    });

    it('leaves nothing in these days to count until a moment', async () => {
      const cut = { ...whole(), to: '2026-11-19', until: new Date('2026-11-20T00:00:00.000Z') };
      const { days: before } = await ports.statistics.overview(cut, ['page'], 10);
      await deleteBefore('2026-11-20');

      const left = before.filter(({ start }) => start !== '2026-11-19');
      expect(await ports.statistics.series(cut, 'day')).toStrictEqual(left);
      expect((await ports.statistics.overview(cut, ['page'], 10)).days).toStrictEqual(left);
      expect([before.length, left.length]).toEqual([3, 2]);
    });

    it('leaves sums of these days', async () => {
      await deleteBefore('2026-11-20');

      const hasSums = (day: string) => ports.statistics.hasSums(websiteId, day);
      expect([await hasSums('2026-11-19'), await hasSums('2026-11-20')]).toStrictEqual([true, false]);
      // Nothing was counted.
      expect(await hasSums('2026-11-18')).toBe(false);
    });

    it('leaves later days unchanged', async () => {
      await deleteBefore('2026-10-31');

      expect(await filtered()).toMatchObject({ visits: 3 });
      expect(await days()).toStrictEqual(['2026-10-30', '2026-10-31', '2026-11-19', '2026-11-20']);
    });

    it('counts no later hit of such a day, and keeps its summary', async () => {
      await deleteBefore('2026-11-20');
      const before = await ports.statistics.totals(whole());

      await addHits(ports, [hitOf('2026-11-19', '13:00', 9n)]);

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
      expect(await filtered()).toMatchObject({ visits: 1 });

      await settle(ports);
      await rebuild(ports);

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
      expect(await filtered()).toMatchObject({ visits: 1 });
    });

    it('never brings back what an earlier call deleted', async () => {
      await deleteBefore('2026-11-20');
      await deleteBefore('2026-10-31');

      expect(await filtered()).toMatchObject({ visits: 1 });
      expect(await ports.maintenance.keptFrom()).toBe('2026-11-20');
    });

    it('deletes whole months that are settled', async () => {
      await settle(ports);
      const before = await ports.statistics.totals(whole());

      await deleteBefore('2026-11-01');

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
      expect(await filtered()).toMatchObject({ visits: 2 });
    });
  });

  describe('rebuild', () => {
    it('returns how many days it rebuilt', async () => {
      const other = await addWebsite(ports);
      await addHits(ports, [at('12:00', { websiteId: other.websiteId })]);

      expect(await rebuild(ports)).toBe(5);
      expect(await rebuild(ports, { websiteId })).toBe(4);
      expect(await rebuild(ports, { websiteId, from: '2026-10-31', to: '2026-11-19' })).toBe(2);
      expect(await rebuild(ports, { websiteId: 'nobody' })).toBe(0);
    });

    it('tells how far it is, from none to all of the days', async () => {
      const told: RebuildProgress[] = [];

      await ports.maintenance.rebuild({ websiteId }, new Date('2027-02-01T12:00:00.000Z'), (progress) => {
        told.push(progress);
      });

      expect(told.map(({ total }) => total)).toStrictEqual(told.map(() => 4));
      expect(told.map(({ done }) => done)).toStrictEqual(told.map(({ done }) => done).sort());
      expect(told.at(-1)).toStrictEqual({ done: 4, total: 4 });
    });

    it('changes no number, settled before or not', async () => {
      const read = async () => [
        await ports.statistics.totals(whole()),
        await ports.statistics.series(whole(), 'hour'),
        await ports.statistics.values(whole(), 'exit_page', 10),
        await filtered(),
      ];
      const before = await read();

      await rebuild(ports);
      expect(await read()).toStrictEqual(before);

      await settle(ports);
      await rebuild(ports, {}, BEFORE);
      expect(await read()).toStrictEqual(before);

      await settle(ports);
      await rebuild(ports);
      expect(await read()).toStrictEqual(before);
    });
  });

  describe('forget', () => {
    it('keeps the statistics of existing websites', async () => {
      const other = await addWebsite(ports);
      await addHits(ports, [at('12:00', { websiteId: other.websiteId })]);
      await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

      await forgetDeletedWebsites(ports);

      expect((await ports.statistics.totals(whole(other.websiteId))).pageviews).toBe(1);
      expect((await ports.statistics.totals(whole())).pageviews).toBe(0);
      expect(await ports.deletedWebsites.findDue()).toBeUndefined();
    });

    it('forgets sums of imported days, and keeps those of other websites', async () => {
      const other = await addWebsite(ports);
      const sums = [aSum('2023-01-02', 'total', null, { visitors: 3, visits: 5, pageviews: 9 })];
      await importSums(ports, { accountId, websiteId }, sums);
      await importSums(ports, other, sums);
      await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

      await forgetDeletedWebsites(ports);

      const of2023 = (id: string) => aQuery(id, { from: '2023-01-01', to: '2023-12-31' });
      expect(await ports.statistics.totals(of2023(websiteId))).toMatchObject({ visitors: 0, pageviews: 0 });
      expect(await ports.statistics.totals(of2023(other.websiteId))).toMatchObject({ visitors: 3, pageviews: 9 });
    });

    it('forgets the websites of a deleted account', async () => {
      await ports.hits.add([], [{ websiteId, day: '2026-11-20', reason: 'bot', hits: 1 }]);
      await ports.access.deleteAccount(accountId);

      expect(await ports.deletedWebsites.findDue()).toBe(websiteId);
      await forgetDeletedWebsites(ports);
      expect(await ports.deletedWebsites.findDue()).toBeUndefined();
    });

    it('accepts ids of websites that are unknown', async () => {
      for (const id of ['', 'nobody', '\0', newId()]) expect(await ports.maintenance.forget(id)).toBe(false);
    });
  });

  describe('hits of a day that has been summarised', () => {
    it('count at once', async () => {
      await settle(ports);

      await addHits(ports, [hitOf('2026-11-19', '12:30', 2n), hitOf('2026-11-19', '12:00', 3n)]);

      expect(await ports.statistics.totals(aQuery(websiteId, { from: '2026-11-19', to: '2026-11-19' }))).toMatchObject({
        visitors: 2,
        visits: 2,
        pageviews: 3,
        bounces: 1,
      });
    });

    it('count at once under a filter', async () => {
      await settle(ports);

      await addHits(ports, [hitOf('2026-11-19', '12:30', 2n), hitOf('2026-11-19', '12:00', 3n)]);

      const filters = all({ dimension: 'device', value: hitOf('2026-11-19').device });
      expect(
        await ports.statistics.totals(aQuery(websiteId, { from: '2026-11-19', to: '2026-11-19', filters })),
      ).toMatchObject({ visitors: 2, visits: 2, pageviews: 3, bounces: 1 });
    });
  });

  it('jobs change no number, on whatever day they run', async () => {
    const before = await ports.statistics.totals(whole());

    for (const day of ['2026-10-31', '2026-11-20', '2026-11-20', '2026-12-31']) {
      const jobs = ports.maintenance.jobs(() => new Date(`${day}T12:00:00.000Z`));
      for (const { work } of jobs) await untilDone(() => work(new AbortController().signal));

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
    }
  });
}
