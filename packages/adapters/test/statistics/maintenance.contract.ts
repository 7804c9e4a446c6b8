import { beforeEach, describe, expect, it } from 'vitest';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  at,
  type MakePorts,
  type StatisticsPorts,
  summariseAll,
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

      await summariseAll(ports);
      await ports.maintenance.rebuild({});

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
      expect(await filtered()).toMatchObject({ visits: 1 });
    });

    it('never brings back what an earlier call deleted', async () => {
      await deleteBefore('2026-11-20');
      await deleteBefore('2026-10-31');

      expect(await filtered()).toMatchObject({ visits: 1 });
    });

    it('deletes whole months once their partitions are made', async () => {
      await ports.maintenance.prepare('2026-10-31');
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

      expect(await ports.maintenance.rebuild({})).toBe(5);
      expect(await ports.maintenance.rebuild({ websiteId })).toBe(4);
      expect(await ports.maintenance.rebuild({ websiteId, from: '2026-10-31', to: '2026-11-19' })).toBe(2);
      expect(await ports.maintenance.rebuild({ websiteId: 'nobody' })).toBe(0);
    });

    it('changes no number, summarised before or not', async () => {
      const read = async () => [
        await ports.statistics.totals(whole()),
        await ports.statistics.series(whole(), 'hour'),
        await ports.statistics.values(whole(), 'exit_page', 10),
        await filtered(),
      ];
      const before = await read();

      await ports.maintenance.rebuild({});
      expect(await read()).toStrictEqual(before);

      await summariseAll(ports);
      await ports.maintenance.rebuild({});
      expect(await read()).toStrictEqual(before);
    });
  });

  describe('purge', () => {
    it('keeps the statistics of existing websites', async () => {
      const other = await addWebsite(ports);
      await addHits(ports, [at('12:00', { websiteId: other.websiteId })]);
      await ports.websites.delete(accountId, websiteId);

      await untilDone(() => ports.maintenance.purge());

      expect((await ports.statistics.totals(whole(other.websiteId))).pageviews).toBe(1);
      expect((await ports.statistics.totals(whole())).pageviews).toBe(0);
    });
  });

  describe('hits of a day that has been summarised', () => {
    it('count at once', async () => {
      await summariseAll(ports);

      await addHits(ports, [hitOf('2026-11-19', '12:30', 2n), hitOf('2026-11-19', '12:00', 3n)]);

      expect(await ports.statistics.totals(aQuery(websiteId, { from: '2026-11-19', to: '2026-11-19' }))).toMatchObject({
        visitors: 2,
        visits: 2,
        pageviews: 3,
        bounces: 1,
      });
    });

    it('count at once under a filter', async () => {
      await summariseAll(ports);

      await addHits(ports, [hitOf('2026-11-19', '12:30', 2n), hitOf('2026-11-19', '12:00', 3n)]);

      const filters = all({ dimension: 'device', value: hitOf('2026-11-19').device });
      expect(
        await ports.statistics.totals(aQuery(websiteId, { from: '2026-11-19', to: '2026-11-19', filters })),
      ).toMatchObject({ visitors: 2, visits: 2, pageviews: 3, bounces: 1 });
    });
  });

  it('prepare changes no number, however often it is called', async () => {
    const before = await ports.statistics.totals(whole());

    for (const day of ['2026-10-31', '2026-11-20', '2026-11-20', '2026-12-31']) await ports.maintenance.prepare(day);

    expect(await ports.statistics.totals(whole())).toStrictEqual(before);
  });
}
