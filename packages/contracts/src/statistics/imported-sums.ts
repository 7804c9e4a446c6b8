import { addDays } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { CountedGoal, StatisticsQuery } from '@hitherto/domain/engine';
import { OTHER_VALUES } from '@hitherto/domain/hits';
import { IMPORT_LEASE_MS, NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { type DaySum, GAPS, MAX_VALUES_PER_IMPORTED_DAY, NO_TOTALS } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { beforeEach, expect, it } from 'vitest';
import {
  anImport,
  aSum,
  beginImport,
  hitOf,
  importSums as importSumsOf,
  NOW,
  PROBLEM,
  someHits,
  stageSums,
} from './imports-support.ts';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  settle,
  untilDone,
} from './support.ts';

/** The contract of sums of days that imports bring (imports.md). */
export function importedSumsContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let website: WebsiteKey;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    website = await addWebsite(ports);
    websiteId = website.websiteId;
  });

  const OF_DAY = { visitors: 3, visits: 5, pageviews: 9, bounces: 1, visitsWithPageviews: 5, duration: 70_000 };
  const AT_MOST = GAPS.visitorsAtMost;

  /** Two days, with pages, countries that are added up, and events whose visits are not known. */
  const someSums = (): DaySum[] => [
    aSum('2023-01-02', 'total', null, OF_DAY),
    aSum('2023-01-02', 'total', null, { events: 4 }),
    aSum('2023-01-03', 'total', null, { ...OF_DAY, visitors: 2 }),
    aSum('2023-01-02', 'page', '/é 🦊', { visitors: 3, visits: 4, pageviews: 6 }),
    aSum('2023-01-02', 'page', '/b\\\t\n', { visitors: 1, visits: 1, pageviews: 3 }),
    aSum('2023-01-03', 'page', '/é 🦊', { visitors: 2, visits: 5, pageviews: 9 }),
    aSum('2023-01-02', 'country', 'DE', { ...OF_DAY, gaps: AT_MOST }),
    aSum('2023-01-03', 'country', 'DE', { ...OF_DAY, visitors: 1 }),
    aSum('2023-01-03', 'country', null, { ...OF_DAY, visitors: 1 }),
    aSum('2023-01-02', 'event', 'Signup', { visitors: 2, events: 4, gaps: GAPS.visits }),
  ];

  const importSums = (sums = someSums()) => importSumsOf(ports, website, sums);

  const period = (overrides: Partial<StatisticsQuery> = {}) =>
    aQuery(websiteId, { from: '2023-01-01', to: '2026-12-31', ...overrides });

  it('are the numbers of their days, and cover them', async () => {
    const id = await importSums();

    expect(await ports.statistics.totals(period())).toStrictEqual({
      ...{ visitors: 5, visits: 10, pageviews: 18, events: 4 },
      ...{ bounces: 2, visitsWithPageviews: 10, duration: 140_000 },
    });
    expect(await ports.statistics.series(period(), 'day')).toStrictEqual([
      { ...OF_DAY, events: 4, start: '2023-01-02' },
      { ...OF_DAY, events: 0, visitors: 2, start: '2023-01-03' },
    ]);
    expect(await ports.statistics.firstDay(websiteId)).toBe('2023-01-02');
    const sums = ['page', 'country', 'event'];
    expect(await ports.imports.importedDays(websiteId)).toStrictEqual([
      { day: '2023-01-02', importId: id, format: 'plausible', sums },
      { day: '2023-01-03', importId: id, format: 'plausible', sums },
    ]);
    expect(await ports.imports.find(website, id)).toMatchObject({ sums });
  });

  it('are known to be of their days, hits or none, until their import is removed', async () => {
    const days = ['2023-01-02', '2023-01-03', '2023-01-04'];
    const find = () => Promise.all(days.map((day) => ports.statistics.hasSums(websiteId, day)));
    await addHits(ports, [hitOf(websiteId, '2023-01-03', 1n), hitOf(websiteId, '2023-01-04', 1n)]);
    await settle(ports);
    const before = await find();
    const staged = await stageSums(ports, website, someSums());
    const running = await find();
    await ports.imports.fail(staged, PROBLEM, NO_IMPORT_COUNTS, undefined);
    await ports.staging.discard(staged);
    const id = await importSums();
    const done = await find();
    const ofOther = await ports.statistics.hasSums((await addWebsite(ports)).websiteId, '2023-01-02');
    await ports.staging.remove(id, NOW, UNRECORDED);

    expect([before, running, done, await find()]).toStrictEqual([
      [false, false, false],
      [false, false, false],
      [true, true, false],
      [false, false, false],
    ]);
    expect(ofOther).toBe(false);
  });

  it('are left out of a day that counts until a moment', async () => {
    await importSums();
    const until = new Date('2023-01-03T23:00:00.000Z');

    const cut = period({ to: '2023-01-03', until });

    expect(await ports.statistics.series(cut, 'day')).toStrictEqual([{ ...OF_DAY, events: 4, start: '2023-01-02' }]);
    expect((await ports.statistics.totals(cut)).visitors).toBe(3);
    expect((await ports.statistics.values(cut, 'country', 10)).rows).toMatchObject([{ value: 'DE', visitors: 3 }]);
    expect((await ports.statistics.overview(cut, ['page'], 10)).values.get('page')).toMatchObject({
      rows: [
        { value: '/é 🦊', visitors: 3 },
        { value: '/b\\\t\n', visitors: 1 },
      ],
    });
  });

  it('are lists, in pages', async () => {
    await importSums();

    const first = await ports.statistics.values(period(), 'page', 1);
    const second = await ports.statistics.values(period(), 'page', 1, first.next);

    const none = { events: 0, bounces: 0, visitsWithPageviews: 0, duration: 0 };
    expect(first).toMatchObject({ total: 2 });
    expect(first.rows).toStrictEqual([{ value: '/é 🦊', visitors: 5, visits: 9, pageviews: 15, ...none }]);
    expect(second.rows).toStrictEqual([{ value: '/b\\\t\n', visitors: 1, visits: 1, pageviews: 3, ...none }]);
  });

  it('are lists of all values in the file, also of those without visitors', async () => {
    await importSums([
      ...someSums(),
      aSum('2023-01-03', 'page', '/ü', { pageviews: 2 }),
      aSum('2023-01-03', 'page', '/z', {}),
      aSum('2023-01-03', 'event', 'Ping', { events: 7, gaps: GAPS.visits }),
      aSum('2023-01-04', 'total', null, { events: 1 }),
    ]);

    const first = await ports.statistics.values(period(), 'page', 3);
    const second = await ports.statistics.values(period(), 'page', 3, first.next);
    const { days, values } = await ports.statistics.overview(period(), ['page', 'event'], 5);

    expect(first.total).toBe(4);
    expect([...first.rows, ...second.rows].map((row) => [row.value, row.visitors, row.pageviews])).toStrictEqual([
      ['/é 🦊', 5, 15],
      ['/b\\\t\n', 1, 3],
      ['/z', 0, 0],
      ['/ü', 0, 2],
    ]);
    expect(values.get('page')).toMatchObject({ total: 4, rows: [{}, {}, { value: '/z' }, { value: '/ü' }] });
    expect(values.get('event')?.rows).toMatchObject([
      { value: 'Signup', visitors: 2, events: 4 },
      { value: 'Ping', visitors: 0, events: 7 },
    ]);
    expect(days.at(-1)).toMatchObject({ start: '2023-01-04', visitors: 0, events: 1 });
    expect((await ports.statistics.series(period(), 'day')).at(-1)).toStrictEqual(days.at(-1));
  });

  it('say what is not exact, also of several days', async () => {
    await importSums();

    const gapsOf = async (dimension: 'country' | 'event' | 'page') =>
      (await ports.statistics.values(period(), dimension, 5)).rows.map(({ value, gaps }) => [value, gaps]);

    expect(await gapsOf('country')).toStrictEqual([
      ['DE', AT_MOST],
      [null, undefined],
    ]);
    expect(await gapsOf('event')).toStrictEqual([['Signup', GAPS.visits]]);
    expect(await gapsOf('page')).toMatchObject([['/é 🦊', undefined], { length: 2 }]);
    const { days, values } = await ports.statistics.overview(period(), ['country', 'event'], 5);
    expect(days.map(({ gaps }) => gaps)).toStrictEqual([undefined, undefined]);
    expect(values.get('country')).toStrictEqual({
      rows: [
        { value: 'DE', visitors: 4, events: undefined, gaps: AT_MOST },
        { value: null, visitors: 1, events: undefined },
      ],
      total: 2,
    });
    expect(values.get('event')?.rows).toStrictEqual([{ value: 'Signup', visitors: 2, events: 4, gaps: GAPS.visits }]);
  });

  it('add to what was collected on other days, in every state', async () => {
    await addHits(ports, someHits(websiteId));
    await importSums();

    const expectSums = async () => {
      expect(await ports.statistics.totals(period())).toMatchObject({ visitors: 8, visits: 13, events: 5 });
      const { rows } = await ports.statistics.values(period(), 'country', 5);
      expect(rows.map(({ value, visitors }) => [value, visitors])).toContainEqual(['FR', 1]);
      const { values } = await ports.statistics.overview(period(), ['event'], 5);
      expect(values.get('event')?.rows).toMatchObject([{ value: 'Signup', visitors: 3, events: 5 }]);
    };
    await expectSums();
    await settle(ports);
    await expectSums();
    await rebuild(ports);
    await expectSums();
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-12-01'));
    await expectSums();
  });

  it('are left out where they cannot answer', async () => {
    await importSums();
    const filtered = period({ filters: all({ dimension: 'country', value: 'DE' }) });
    const signup: CountedGoal = { id: 'goal', rule: { event: 'Signup', props: {} }, sum: null };

    expect(await ports.statistics.totals(filtered)).toStrictEqual(NO_TOTALS);
    expect(await ports.statistics.series(filtered, 'day')).toStrictEqual([]);
    expect((await ports.statistics.values(filtered, 'page', 5)).total).toBe(0);
    expect((await ports.statistics.overview(filtered, ['page'], 5)).days).toStrictEqual([]);
    expect(await ports.statistics.totals(period({ onlyHits: true }))).toStrictEqual(NO_TOTALS);
    expect(await ports.statistics.series(period(), 'hour')).toStrictEqual([]);
    expect((await ports.statistics.values(period(), 'language', 5)).total).toBe(0);
    expect(await ports.statistics.goals(period(), [signup])).toMatchObject([{ visitors: 0, conversions: 0 }]);
    expect(await ports.statistics.conversions(period(), signup, 'event')).toStrictEqual([]);
  });

  it('do not count while their import runs, nor after it has failed', async () => {
    const imported = anImport(websiteId);
    await ports.imports.insert(website, imported, UNRECORDED);
    await ports.imports.begin(imported.id, NOW);
    await ports.staging.stageSums(imported.id, someSums());
    const nothing = await ports.statistics.totals(period());
    await ports.imports.fail(imported.id, PROBLEM, NO_IMPORT_COUNTS, undefined);
    await ports.staging.discard(imported.id);

    expect(nothing).toStrictEqual(NO_TOTALS);
    expect(await ports.statistics.totals(period())).toStrictEqual(NO_TOTALS);
    expect(await ports.statistics.firstDay(websiteId)).toBeUndefined();
  });

  it('go when their import is removed, and hits of the same days stay', async () => {
    await addHits(ports, [hitOf(websiteId, '2023-01-03', 1n)]);
    const before = await ports.statistics.series(period(), 'day');
    const id = await importSums();
    expect(await ports.statistics.totals(period())).toMatchObject({ visitors: 6 });
    await settle(ports);

    expect(await ports.staging.remove(id, NOW, UNRECORDED)).toBe(true);

    expect(await ports.statistics.series(period(), 'day')).toStrictEqual(before);
    expect(await ports.imports.importedDays(websiteId)).toStrictEqual([]);
  });

  it('of a killed import go with it, and can be imported again', async () => {
    const id = await stageSums(ports, website, someSums());

    const abandoned = await ports.imports.findAbandoned(new Date(NOW.getTime() + 2 * IMPORT_LEASE_MS));
    expect(abandoned?.imported.id).toBe(id);
    await ports.imports.fail(id, PROBLEM, NO_IMPORT_COUNTS, undefined);
    await ports.staging.discard(id);
    expect(await ports.statistics.totals(period())).toStrictEqual(NO_TOTALS);

    await importSums();
    expect(await ports.statistics.totals(period())).toMatchObject({ visitors: 5, visits: 10, events: 4 });
  });

  it('have 50,000 values of a day and (other), also after the days were settled and rebuilt', async () => {
    const pages = Array.from({ length: MAX_VALUES_PER_IMPORTED_DAY }, (_, n) =>
      aSum('2023-01-02', 'page', `/${n}`, { visitors: 1, pageviews: 2 }),
    );
    const other = aSum('2023-01-02', 'page', OTHER_VALUES, { visitors: 2, pageviews: 7, gaps: AT_MOST });
    await importSums([aSum('2023-01-02', 'total', null, OF_DAY), ...pages, other]);

    for (const prepare of [async () => {}, () => settle(ports), () => rebuild(ports)]) {
      await prepare();
      const { rows, total } = await ports.statistics.values(period(), 'page', 2);
      expect(total).toBe(MAX_VALUES_PER_IMPORTED_DAY + 1);
      expect(rows).toMatchObject([
        { value: OTHER_VALUES, visitors: 2, pageviews: 7, gaps: AT_MOST },
        { value: '/0', visitors: 1, pageviews: 2 },
      ]);
    }
  });

  it('are exact in a long period, whose other days are read by the week', async () => {
    const monday = '2022-12-05';
    const days = Array.from({ length: 28 }, (_, n) => addDays(monday, n));
    await addHits(
      ports,
      days.map((day) => hitOf(websiteId, day, 1n, { page: '/é 🦊', country: 'DE' })),
    );
    await settle(ports);
    await importSums();
    await settle(ports);

    const query = period({ from: monday, to: '2023-12-31' });
    const { days: points, values } = await ports.statistics.overview(query, ['page', 'country'], 3);

    expect(points).toHaveLength(30);
    expect(values.get('page')).toStrictEqual({
      rows: [
        { value: '/é 🦊', visitors: 33, events: undefined },
        { value: '/b\\\t\n', visitors: 1, events: undefined },
      ],
      total: 2,
    });
    expect(values.get('country')?.rows[0]).toMatchObject({ value: 'DE', visitors: 32, gaps: AT_MOST });
    const whole = await ports.statistics.values(query, 'page', 3);
    expect(whole.rows.map(({ visitors, pageviews }) => [visitors, pageviews])).toStrictEqual([
      [33, 43],
      [1, 3],
    ]);
  });

  it('may not be of a day of another import, nor hits of theirs', async () => {
    const id = await importSums();
    const other = await beginImport(ports, website);
    await ports.staging.stage(other.id, [hitOf(websiteId, '2023-01-03', 9n)]);
    await expect(ports.staging.publish(other.id, NO_IMPORT_COUNTS, NOW, undefined, undefined)).rejects.toMatchObject({
      existingId: id,
    });
    await ports.imports.fail(other.id, PROBLEM, NO_IMPORT_COUNTS, undefined);

    const again = await beginImport(ports, website);
    await ports.staging.stageSums(again.id, [aSum('2023-01-02', 'total', null, OF_DAY)]);
    await expect(ports.staging.publish(again.id, NO_IMPORT_COUNTS, NOW, undefined, undefined)).rejects.toMatchObject({
      existingId: id,
    });
    await ports.imports.fail(again.id, PROBLEM, NO_IMPORT_COUNTS, undefined);
    await ports.staging.discard(again.id);

    expect(await ports.statistics.totals(period())).toMatchObject({ visitors: 5 });
  });
}
