import { createHash } from 'node:crypto';
import {
  addDays,
  type CountedGoal,
  type CountedHit,
  type CrawlerHits,
  type DaySum,
  type EventOfWebsite,
  GAPS,
  IMPORT_LEASE_MS,
  type Import,
  type LogCheckpoint,
  MAX_CRAWLER_VALUES,
  MAX_VALUES_PER_IMPORTED_DAY,
  NO_IMPORT_COUNTS,
  NO_TOTALS,
  OTHER_VALUES,
  type StatisticsQuery,
  type WebsiteKey,
} from '@hitherto/domain';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/system.ts';
import { aWebhook } from '../webhooks.ts';
import {
  addHits,
  addWebsite,
  all,
  aQuery,
  aSum,
  at,
  BEFORE,
  importSums as importSumsOf,
  type MakePorts,
  rebuild,
  type StatisticsPorts,
  settle,
  stageSums,
  untilDone,
} from './support.ts';

const NOW = new Date('2027-02-01T12:00:00.000Z');
const PROBLEM = { code: 'invalid_file', detail: 'line 3: é' } as const;

/** The contract of `ImportRepository` and of `StatisticsHistory`. */
export function importsContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let website: WebsiteKey;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    website = await addWebsite(ports);
    websiteId = website.websiteId;
  });

  const anImport = (overrides: Partial<Import> = {}): Import => ({
    ...NO_IMPORT_COUNTS,
    id: newId(),
    websiteId,
    format: 'hitherto',
    sha256: createHash('sha256').update(newId()).digest('hex'),
    status: 'running',
    problem: null,
    createdAt: NOW,
    ...overrides,
  });

  const hitOf = (day: string, visitor: bigint, overrides: Partial<CountedHit> = {}): CountedHit =>
    at('12:00', { websiteId, day, visitor, time: new Date(`${day}T12:00:00.123Z`), ...overrides });

  /** Three visits on two days, one with an event. */
  const someHits = (): CountedHit[] => [
    hitOf('2026-10-30', 11n),
    hitOf('2026-10-30', 11n, { time: new Date('2026-10-30T12:10:00.000Z'), page: '/é 🦊' }),
    hitOf('2026-10-30', 12n, { name: 'Signup', props: { plan: 'pro' }, country: 'FR' }),
    hitOf('2026-11-20', 13n, { source: 'Google' }),
  ];

  async function begin(): Promise<Import> {
    const imported = anImport();
    expect(await ports.imports.insert(website, imported)).toBeUndefined();
    expect(await ports.imports.begin(imported.id, NOW)).toBe('begun');
    return imported;
  }

  async function importHits(hits: readonly CountedHit[]): Promise<Import> {
    const imported = await begin();
    await ports.history.stage(imported.id, hits.slice(0, 2));
    await ports.history.stage(imported.id, hits.slice(2));
    const counts = { ...NO_IMPORT_COUNTS, hits: hits.length, rows: hits.length, share: 1 };
    expect(await ports.history.publish(imported.id, counts, NOW)).toBe(true);
    return imported;
  }

  /** The event that an import has ended. */
  const endOf = ({ id }: Import): EventOfWebsite<'import.finished'> => {
    const { sha256: _, websiteId: __, createdAt, ...ended } = anImport({ id });
    const imported = { ...ended, createdAt: createdAt.toISOString() };
    const data = { website: { id: websiteId, url: 'https://é.example' }, import: imported };
    return { type: 'import.finished', at: NOW, data, ...website };
  };

  /** Adds a webhook, and returns what it is told. */
  const listen = async () => {
    const webhook = aWebhook({ id: newId(), events: ['import.finished'] });
    await ports.webhooks.insert(website.accountId, webhook);
    return async () =>
      (await ports.webhookOutbox.list(website.accountId, webhook.id, 10)).map(({ event }) => event.data);
  };

  const whole = (overrides: Partial<StatisticsQuery> = {}) =>
    aQuery(websiteId, { from: '2026-01-01', to: '2027-12-31', ...overrides });

  /** What the website's pages show. */
  const numbers = async (id = websiteId) => {
    const query = whole({ websiteId: id });
    const filtered = { ...query, filters: all({ dimension: 'device', value: at('12:00').device }) };
    const signup: CountedGoal = { id: 'goal', rule: { event: 'Signup', props: {} }, sum: null };
    return {
      totals: await ports.statistics.totals(query),
      days: await ports.statistics.series(query, 'day'),
      hours: await ports.statistics.series(query, 'hour'),
      pages: await ports.statistics.values(query, 'page', 10),
      overview: await ports.statistics.overview(query, ['country', 'event', 'exit_page'], 5),
      filtered: await ports.statistics.totals(filtered),
      goals: await ports.statistics.goals(query, [signup]),
      firstDay: await ports.statistics.firstDay(id),
      visitors: await ports.statistics.currentVisitors(id, new Date('2026-10-01'), new Date('2026-12-01')),
    };
  };

  const deleteBefore = (day: string) => untilDone(() => ports.maintenance.deleteHitsBefore(day));

  describe('a running import', () => {
    it('changes no number, whatever jobs run', async () => {
      await addHits(ports, [hitOf('2026-11-20', 1n)]);
      const before = await numbers();

      const { id } = await begin();
      await ports.history.stage(id, someHits());

      expect(await numbers()).toStrictEqual(before);
      await settle(ports);
      await rebuild(ports);
      expect(await numbers()).toStrictEqual(before);
      expect(await ports.imports.importedDays(websiteId)).toStrictEqual([]);
    });

    it('that fails leaves nothing behind', async () => {
      const before = await numbers();
      const { id } = await begin();
      await ports.history.stage(id, someHits());

      expect(await ports.imports.fail(id, PROBLEM, { ...NO_IMPORT_COUNTS, rows: 4 })).toBe(true);
      await ports.history.discard(id);

      expect(await ports.history.publish(id, NO_IMPORT_COUNTS, NOW)).toBe(false);
      expect(await numbers()).toStrictEqual(before);
      expect(await ports.imports.find(website, id)).toMatchObject({ status: 'failed', problem: PROBLEM, rows: 4 });
      expect(await ports.imports.fail(id, PROBLEM, NO_IMPORT_COUNTS)).toBe(false);
    });
  });

  describe('an import that is done', () => {
    it('counts as hits do that were collected', async () => {
      const other = await addWebsite(ports);
      await addHits(
        ports,
        someHits().map((hit) => ({ ...hit, websiteId: other.websiteId })),
      );
      await settle(ports);

      await importHits(someHits());

      const expected = await numbers(other.websiteId);
      expect(expected.totals).toMatchObject({ visitors: 3, visits: 3, pageviews: 3, events: 1 });
      expect(await numbers()).toStrictEqual(expected);
      await settle(ports);
      expect(await numbers()).toStrictEqual(expected);
      await rebuild(ports);
      expect(await numbers()).toStrictEqual(expected);
    });

    it('covers its days', async () => {
      const { id } = await importHits(someHits());

      expect(await ports.imports.importedDays(websiteId)).toStrictEqual([
        { day: '2026-10-30', importId: id, format: 'hitherto' },
        { day: '2026-11-20', importId: id, format: 'hitherto' },
      ]);
      const november = { from: '2026-11-01', to: '2026-11-30' };
      expect(await ports.imports.importedDays(websiteId, november)).toMatchObject([{ day: '2026-11-20' }]);
      expect(await ports.imports.find(website, id)).toMatchObject({ status: 'done', hits: 4, rows: 4, share: 1 });
    });

    it('adds to a day that has collected hits, before and after', async () => {
      await addHits(ports, [hitOf('2026-11-20', 1n)]);
      await settle(ports);

      await importHits(someHits());
      await addHits(ports, [hitOf('2026-11-20', 2n)]);

      expect(await ports.statistics.totals(whole())).toMatchObject({ visitors: 5, visits: 5, pageviews: 5 });
      await settle(ports);
      expect(await ports.statistics.totals(whole())).toMatchObject({ visitors: 5, visits: 5, pageviews: 5 });
    });

    it('counts hits of a day that the file comes back to after many others', async () => {
      const { id } = await begin();
      const many = Array.from({ length: 20_000 }, (_, hit) => hitOf('2026-10-30', BigInt(hit % 1_000)));
      await ports.history.stage(id, many);
      await ports.history.stage(id, [hitOf('2026-11-20', 1n)]);
      const late = { time: new Date('2026-10-30T12:10:00.000Z'), page: '/é 🦊' };
      await ports.history.stage(id, [hitOf('2026-10-30', 1n, late)]);

      expect(await ports.history.publish(id, NO_IMPORT_COUNTS, NOW)).toBe(true);

      const { totals, pages } = await numbers();
      expect(totals).toMatchObject({ visitors: 1_001, visits: 1_001, pageviews: 20_002, bounces: 1 });
      expect(pages.rows).toMatchObject([{ visitors: 1_001 }, { value: '/é 🦊', visitors: 1 }]);
      const exits = await ports.statistics.values(whole(), 'exit_page', 10);
      expect(exits.rows).toMatchObject([{ visits: 1_000 }, { value: '/é 🦊', visits: 1 }]);
    });

    it('counts in summaries alone on days whose hits are no longer kept', async () => {
      const other = await addWebsite(ports);
      await addHits(
        ports,
        someHits().map((hit) => ({ ...hit, websiteId: other.websiteId })),
      );
      await deleteBefore('2026-11-01');

      await importHits(someHits());

      const expected = { ...(await numbers(other.websiteId)), visitors: expect.any(Number) };
      expect(expected.totals).toMatchObject({ visitors: 3, events: 1 });
      expect(expected.filtered).toMatchObject({ visitors: 1 });
      expect(await numbers()).toStrictEqual(expected);
      await deleteBefore('2026-11-01');
      expect(await numbers()).toStrictEqual(expected);
    });

    it('loses its hits, not its numbers, to retention', async () => {
      await importHits(someHits());
      const before = await ports.statistics.totals(whole());

      await deleteBefore('2026-12-01');

      expect(await ports.statistics.totals(whole())).toStrictEqual(before);
    });

    it('rejects another one that covers one of its days', async () => {
      const { id } = await importHits(someHits());
      const before = await numbers();
      const other = await begin();
      await ports.history.stage(other.id, [hitOf('2026-11-20', 99n), hitOf('2026-11-21', 99n)]);

      const publishing = ports.history.publish(other.id, NO_IMPORT_COUNTS, NOW);

      await expect(publishing).rejects.toMatchObject({ code: 'import_overlap', existingId: id });
      expect(await numbers()).toStrictEqual(before);
    });
  });

  describe('remove', () => {
    const whens: readonly [string, () => Promise<unknown>][] = [
      ['at once', async () => {}],
      ['after its days were settled', () => settle(ports)],
      ['after days that are not over were settled', () => settle(ports, BEFORE)],
      ['after a rebuild', () => rebuild(ports)],
    ];

    it.each(whens)('puts every number back, %s', async (_, then) => {
      await addHits(ports, [hitOf('2026-11-19', 1n), hitOf('2026-11-20', 1n), hitOf('2026-11-20', 2n)]);
      await settle(ports);
      const before = await numbers();
      const { id } = await importHits(someHits());
      await then();
      expect(await numbers()).not.toStrictEqual(before);

      expect(await ports.history.remove(id, NOW)).toBe(true);

      expect(await numbers()).toStrictEqual(before);
      await settle(ports);
      expect(await numbers()).toStrictEqual(before);
      expect(await ports.imports.list(website)).toStrictEqual([]);
      expect(await ports.history.remove(id, NOW)).toBe(false);
    });

    it('puts numbers back whose hits are no longer kept', async () => {
      const before = await numbers();
      const { id } = await importHits(someHits());
      await deleteBefore('2026-12-01');

      await ports.history.remove(id, NOW);

      expect(await numbers()).toStrictEqual(before);
    });

    it('lets other hits of the same days count afterwards, also as many', async () => {
      const { id } = await importHits(someHits());
      await settle(ports);
      await ports.history.remove(id, NOW);

      await importHits(someHits().map((hit) => ({ ...hit, page: '/other' })));

      const { rows } = await ports.statistics.values(whole(), 'page', 10);
      expect(rows.map(({ value }) => value)).toStrictEqual(['/other']);
    });

    it('ends one that runs', async () => {
      const { id } = await begin();
      await ports.history.stage(id, someHits());

      expect(await ports.history.remove(id, NOW)).toBe(true);

      expect(await ports.history.publish(id, NO_IMPORT_COUNTS, NOW)).toBe(false);
      expect(await ports.imports.report(id, NO_IMPORT_COUNTS, NOW)).toBe(false);
    });

    it('accepts ids of imports that are unknown', async () => {
      for (const id of ['', 'nobody', '\0', newId()]) expect(await ports.history.remove(id, NOW)).toBe(false);
    });
  });

  describe('sums of days', () => {
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
      whole({ from: '2023-01-01', to: '2026-12-31', ...overrides });

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

    it('are lists, in pages', async () => {
      await importSums();

      const first = await ports.statistics.values(period(), 'page', 1);
      const second = await ports.statistics.values(period(), 'page', 1, first.next);

      const none = { events: 0, bounces: 0, visitsWithPageviews: 0, duration: 0 };
      expect(first).toMatchObject({ total: 2 });
      expect(first.rows).toStrictEqual([{ value: '/é 🦊', visitors: 5, visits: 9, pageviews: 15, ...none }]);
      expect(second.rows).toStrictEqual([{ value: '/b\\\t\n', visitors: 1, visits: 1, pageviews: 3, ...none }]);
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
      await addHits(ports, someHits());
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
      await deleteBefore('2026-12-01');
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
      const imported = anImport();
      await ports.imports.insert(website, imported);
      await ports.imports.begin(imported.id, NOW);
      await ports.history.stageSums(imported.id, someSums());
      const nothing = await ports.statistics.totals(period());
      await ports.imports.fail(imported.id, PROBLEM, NO_IMPORT_COUNTS);
      await ports.history.discard(imported.id);

      expect(nothing).toStrictEqual(NO_TOTALS);
      expect(await ports.statistics.totals(period())).toStrictEqual(NO_TOTALS);
      expect(await ports.statistics.firstDay(websiteId)).toBeUndefined();
    });

    it('go when their import is removed, and hits of the same days stay', async () => {
      await addHits(ports, [hitOf('2023-01-03', 1n)]);
      const before = await ports.statistics.series(period(), 'day');
      const id = await importSums();
      expect(await ports.statistics.totals(period())).toMatchObject({ visitors: 6 });
      await settle(ports);

      expect(await ports.history.remove(id, NOW)).toBe(true);

      expect(await ports.statistics.series(period(), 'day')).toStrictEqual(before);
      expect(await ports.imports.importedDays(websiteId)).toStrictEqual([]);
    });

    it('of a killed import go with it, and can be imported again', async () => {
      const id = await stageSums(ports, website, someSums());

      const abandoned = await ports.imports.findAbandoned(new Date(NOW.getTime() + 2 * IMPORT_LEASE_MS));
      expect(abandoned?.imported.id).toBe(id);
      await ports.imports.fail(id, PROBLEM, NO_IMPORT_COUNTS);
      await ports.history.discard(id);
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
        days.map((day) => hitOf(day, 1n, { page: '/é 🦊', country: 'DE' })),
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
      const other = await begin();
      await ports.history.stage(other.id, [hitOf('2023-01-03', 9n)]);
      await expect(ports.history.publish(other.id, NO_IMPORT_COUNTS, NOW)).rejects.toMatchObject({ existingId: id });
      await ports.imports.fail(other.id, PROBLEM, NO_IMPORT_COUNTS);

      const again = await begin();
      await ports.history.stageSums(again.id, [aSum('2023-01-02', 'total', null, OF_DAY)]);
      await expect(ports.history.publish(again.id, NO_IMPORT_COUNTS, NOW)).rejects.toMatchObject({ existingId: id });
      await ports.imports.fail(again.id, PROBLEM, NO_IMPORT_COUNTS);
      await ports.history.discard(again.id);

      expect(await ports.statistics.totals(period())).toMatchObject({ visitors: 5 });
    });
  });

  it('reads all hits that are kept, by day', async () => {
    const hits = [...someHits(), hitOf('2026-11-19', 5n), hitOf('2026-09-01', 6n)];
    await addHits(ports, hits.slice(3));
    await importHits(hits.slice(0, 3));
    await deleteBefore('2026-10-01');

    const found: CountedHit[] = [];
    for await (const hit of ports.history.hits(websiteId)) found.push(hit);

    expect(found.map(({ day }) => day)).toStrictEqual([
      '2026-10-30',
      '2026-10-30',
      '2026-10-30',
      '2026-11-19',
      '2026-11-20',
    ]);
    expect(found).toContainEqual(hits[1]);
    expect(found).toContainEqual(hits[2]);
    expect(found).toContainEqual(hits[3]);
  });

  describe('the event of its end', () => {
    it('is recorded with an import that is done, or not at all', async () => {
      const told = await listen();
      const { id } = await begin();
      await ports.history.stage(id, someHits());
      const imported = { ...anImport(), id };

      expect(await ports.history.publish(id, NO_IMPORT_COUNTS, NOW, endOf(imported))).toBe(true);
      expect(await ports.history.publish(id, NO_IMPORT_COUNTS, NOW, endOf(imported))).toBe(false);

      expect(await told()).toStrictEqual([endOf(imported).data]);
    });

    it('is not recorded with an import of days that another one covers', async () => {
      await importHits(someHits());
      const told = await listen();
      const imported = await begin();
      await ports.history.stage(imported.id, someHits());

      const publishing = ports.history.publish(imported.id, NO_IMPORT_COUNTS, NOW, endOf(imported));

      await expect(publishing).rejects.toMatchObject({ name: 'ImportOverlap' });
      expect(await told()).toStrictEqual([]);
    });

    it('is recorded with an import that fails, or not at all', async () => {
      const told = await listen();
      const imported = await begin();

      expect(await ports.imports.fail(imported.id, PROBLEM, NO_IMPORT_COUNTS, endOf(imported))).toBe(true);
      expect(await ports.imports.fail(imported.id, PROBLEM, NO_IMPORT_COUNTS, endOf(imported))).toBe(false);

      expect(await told()).toStrictEqual([endOf(imported).data]);
    });
  });

  describe('of access logs', () => {
    const aPlace = (offset: number): LogCheckpoint => ({
      beginning: { bytes: 3, sha256: 'é' },
      offset,
      second: 1_795_175_970,
      linesOfSecond: 2,
    });
    const crawled = (day: string, page: string, hits = 1): CrawlerHits => ({
      websiteId,
      day,
      operator: 'Google',
      purpose: 'search',
      page,
      hits,
      hits4xx: 1,
    });
    const crawlers = async () => ({
      days: await ports.crawlers.byDay(websiteId, '2026-01-01', '2026-12-31'),
      pages: await ports.crawlers.values(websiteId, '2026-01-01', '2026-12-31', 'page', 3),
    });
    const checkpoint = () => ports.logs.checkpoint(websiteId, 'access.log');

    /** Imports a part of the log `access.log`. */
    async function importLog(
      hits: readonly CountedHit[],
      [from, to]: [LogCheckpoint | undefined, LogCheckpoint] = [undefined, aPlace(10)],
      { also = false, of = [] as CrawlerHits[] } = {},
    ): Promise<Import> {
      const imported = anImport({ format: 'access-log' });
      await ports.imports.insert(website, imported);
      await ports.history.stage(imported.id, hits);
      for (const one of of) await ports.imports.stageCrawlers(imported.id, [one]);
      const counts = { ...NO_IMPORT_COUNTS, hits: hits.length };
      const read = { logs: [{ log: 'access.log', from, to }], also };
      expect(await ports.history.publish(imported.id, counts, NOW, undefined, read)).toBe(true);
      return imported;
    }

    it('may cover the same days as others of them, but not as files', async () => {
      await importLog([hitOf('2026-10-30', 1n)]);
      await importLog([hitOf('2026-10-30', 2n), hitOf('2026-10-31', 3n)], [aPlace(10), aPlace(20)]);

      expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 3, visitors: 3 });
      await expect(importHits([hitOf('2026-10-31', 4n)])).rejects.toMatchObject({ code: 'import_overlap' });
    });

    it('may cover the days of files only if both may count', async () => {
      await importHits([hitOf('2026-10-31', 4n)]);

      await expect(importLog([hitOf('2026-10-31', 1n)])).rejects.toMatchObject({ code: 'import_overlap' });
      expect(await checkpoint()).toBeUndefined();
      await importLog([hitOf('2026-10-31', 1n)], undefined, { also: true });

      expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 2 });
    });

    it('moves the place of the log, and does not count if that has changed', async () => {
      await importLog([hitOf('2026-10-30', 1n)]);
      expect(await checkpoint()).toStrictEqual(aPlace(10));

      await expect(importLog([hitOf('2026-10-30', 2n)])).rejects.toMatchObject({ name: 'LogConflict' });

      expect(await checkpoint()).toStrictEqual(aPlace(10));
      expect(await ports.statistics.totals(whole())).toMatchObject({ pageviews: 1 });
    });

    it('deleted from the last on, takes the place back each time', async () => {
      const first = await importLog([hitOf('2026-10-30', 1n)]);
      const second = await importLog([hitOf('2026-10-30', 2n)], [aPlace(10), aPlace(20)]);

      await ports.history.remove(second.id, NOW);
      expect(await checkpoint()).toStrictEqual(aPlace(10));
      await ports.history.remove(first.id, NOW);
      expect(await checkpoint()).toBeUndefined();
    });

    it('deleted before a later one, takes the place back with that one', async () => {
      const first = await importLog([hitOf('2026-10-30', 1n)]);
      const second = await importLog([hitOf('2026-10-30', 2n)], [aPlace(10), aPlace(20)]);

      await ports.history.remove(first.id, NOW);
      expect(await checkpoint()).toStrictEqual(aPlace(20));
      await ports.history.remove(second.id, NOW);
      expect(await checkpoint()).toBeUndefined();
    });

    it('counts crawlers once it is done, and no longer when it is deleted', async () => {
      ports.crawlers.add(crawled('2026-10-30', '/', 5));
      await expect.poll(async () => (await crawlers()).days.length).toBe(1);
      const before = await crawlers();
      const failing = anImport({ format: 'access-log' });
      await ports.imports.insert(website, failing);
      await ports.imports.stageCrawlers(failing.id, [crawled('2026-10-30', '/')]);

      expect(await crawlers()).toStrictEqual(before);
      await ports.imports.fail(failing.id, PROBLEM, NO_IMPORT_COUNTS);
      const of = [crawled('2026-10-30', '/'), crawled('2026-10-30', '/'), crawled('2026-10-31', '/é')];
      const { id } = await importLog([], undefined, { of });

      expect((await crawlers()).days).toStrictEqual([
        { day: '2026-10-30', hits: 7, hits4xx: 3 },
        { day: '2026-10-31', hits: 1, hits4xx: 1 },
      ]);
      await ports.history.remove(id, NOW);
      expect(await crawlers()).toStrictEqual(before);
    });

    it('keeps the pages that crawlers ask for most', async () => {
      const of = Array.from({ length: MAX_CRAWLER_VALUES + 2 }, (_, n) => crawled('2026-10-30', `/${n}`, n + 1));

      await importLog([], undefined, { of: [] });
      const { id } = anImport();
      const imported = anImport({ id, format: 'access-log' });
      await ports.imports.insert(website, imported);
      await ports.imports.stageCrawlers(id, of);
      await ports.history.publish(id, NO_IMPORT_COUNTS, NOW, undefined, { logs: [], also: false });

      const { pages } = await crawlers();
      expect(pages.total).toBe(MAX_CRAWLER_VALUES + 1);
      expect(await ports.crawlers.values(websiteId, '2026-10-30', '2026-10-30', 'page', 2_000)).toMatchObject({
        rows: expect.arrayContaining([{ value: '(other)', hits: 3, hits4xx: 2 }]),
      });
    });
  });

  describe('the record', () => {
    const waiting = (imported: Import): Import => ({ ...imported, waits: true });

    it('is found, and listed in the order of insertion', async () => {
      const [one, other] = [anImport(), anImport({ createdAt: new Date('2026-01-01T00:00:00.001Z') })];
      for (const imported of [one, other]) await ports.imports.insert(website, imported);

      expect(await ports.imports.list(website)).toStrictEqual([one, other].map(waiting));
      expect(await ports.imports.find(website, other.id)).toStrictEqual(waiting(other));
    });

    it('of a file is one, unless it has failed', async () => {
      const first = anImport();
      await ports.imports.insert(website, first);
      const again = anImport({ sha256: first.sha256 });

      expect(await ports.imports.insert(website, again)).toStrictEqual(waiting(first));
      await ports.imports.fail(first.id, PROBLEM, NO_IMPORT_COUNTS);
      expect(await ports.imports.insert(website, again)).toBeUndefined();
    });

    it('is listed with those of other websites once it is done', async () => {
      const other = await addWebsite(ports);
      const first = await importHits(someHits());
      const failed = await begin();
      await ports.imports.fail(failed.id, PROBLEM, NO_IMPORT_COUNTS);
      const second = anImport({ websiteId: other.websiteId });
      await ports.imports.insert(other, second);
      await ports.imports.begin(second.id, NOW);
      const ids = async (limit: number) => (await ports.imports.listDone(limit)).map(({ imported }) => imported.id);

      expect(await ids(9)).toEqual([first.id]);
      await ports.history.publish(second.id, NO_IMPORT_COUNTS, NOW);
      expect(await ids(9)).toEqual([first.id, second.id]);
      expect(await ids(1)).toEqual([first.id]);
      const { url } = (await ports.websites.find(website.accountId, websiteId)) ?? {};
      expect(await ports.imports.listDone(1)).toStrictEqual([
        { url, imported: await ports.imports.find(website, first.id) },
      ]);
    });

    it("of another account's website is absent", async () => {
      const imported = anImport();
      await ports.imports.insert(website, imported);
      const stranger = { ...website, accountId: newId() };

      expect(await ports.imports.find(stranger, imported.id)).toBeUndefined();
      expect(await ports.imports.list(stranger)).toBeUndefined();
      await expect(ports.imports.insert(stranger, anImport())).rejects.toMatchObject({ code: 'not_found' });
    });

    it('accepts any string as an id', async () => {
      for (const id of ['', 'nobody', '\0', newId()]) {
        expect(await ports.imports.find(website, id)).toBeUndefined();
        expect(await ports.imports.list({ ...website, websiteId: id })).toBeUndefined();
        expect(await ports.imports.begin(id, NOW)).toBe('gone');
        expect(await ports.imports.report(id, NO_IMPORT_COUNTS, NOW)).toBe(false);
        expect(await ports.imports.importedDays(id)).toStrictEqual([]);
      }
    });

    it('lets two imports read at the same time, one of each website', async () => {
      const others = [await addWebsite(ports), await addWebsite(ports)];
      const keys = [website, website, ...others];
      const added = keys.map((key) => anImport({ websiteId: key.websiteId }));
      for (const [index, imported] of added.entries()) await ports.imports.insert(keys[index] ?? website, imported);
      const begun = (index: number) => ports.imports.begin(added[index]?.id ?? '', NOW);

      expect(await begun(0)).toBe('begun');
      expect(await begun(1)).toBe('waits');
      expect(await begun(2)).toBe('begun');
      expect(await begun(3)).toBe('waits');
      expect((await ports.imports.list(website))?.map(({ waits }) => waits)).toEqual([undefined, true]);
      await ports.imports.fail(added[0]?.id ?? '', PROBLEM, NO_IMPORT_COUNTS);
      expect(await begun(1)).toBe('begun');
      expect((await ports.imports.list(website))?.map(({ waits }) => waits)).toEqual([undefined, undefined]);
    });

    it('is abandoned once its process has not reported for a while', async () => {
      const { id } = await begin();
      const later = (ms: number) => new Date(NOW.getTime() + ms);
      await ports.imports.report(id, { ...NO_IMPORT_COUNTS, rows: 7 }, later(1_000));

      expect(await ports.imports.findAbandoned(later(IMPORT_LEASE_MS))).toBeUndefined();
      expect(await ports.imports.findAbandoned(later(IMPORT_LEASE_MS + 1_000))).toMatchObject({
        imported: { id, rows: 7 },
        accountId: website.accountId,
      });
    });
  });
}

/** Engines whose visits can have hits of several imports. The others count a visitor of several imports in each. */
export function sharedVisitorsContract(makePorts: MakePorts): void {
  const DAY = '2026-11-19';

  describe.each(['over', 'not over'])(
    'imports of logs with the visitors of other hits, on a day that is %s',
    (which) => {
      const now = new Date(which === 'over' ? '2026-11-25T12:00:00Z' : `${DAY}T12:00:00Z`);

      it('count the visits of all hits together, also once one of them is deleted', async () => {
        const ports = await makePorts();
        const website = await addWebsite(ports);
        const { websiteId } = website;
        const hitOf = (visitor: bigint, minute: number, page: string): CountedHit =>
          at('12:00', {
            websiteId,
            day: DAY,
            visitor,
            page,
            time: new Date(Date.parse(`${DAY}T10:00:00Z`) + minute * 60_000),
          });
        const numbers = async () => ({
          totals: await ports.statistics.totals(aQuery(websiteId, { from: DAY, to: DAY })),
          pages: await ports.statistics.values(aQuery(websiteId, { from: DAY, to: DAY }), 'entry_page', 10),
        });
        const importLog = async (hits: readonly CountedHit[], log: string) => {
          const id = newId();
          const sha256 = createHash('sha256').update(id).digest('hex');
          const imported: Import = {
            ...NO_IMPORT_COUNTS,
            id,
            websiteId,
            format: 'access-log',
            sha256,
            status: 'running',
            problem: null,
            createdAt: now,
          };
          await ports.imports.insert(website, imported);
          await ports.history.stage(id, hits);
          const to = { beginning: { bytes: 1, sha256: '' }, offset: 1, second: 1, linesOfSecond: 1 };
          const read = { logs: [{ log, from: undefined, to }], also: true };
          expect(
            await ports.history.publish(id, { ...NO_IMPORT_COUNTS, hits: hits.length }, now, undefined, read),
          ).toBe(true);
          return id;
        };
        await addHits(ports, [hitOf(1n, 0, '/collected'), hitOf(2n, 0, '/alone')]);
        await settle(ports);
        const collected = await numbers();

        const first = await importLog([hitOf(1n, 10, '/first'), hitOf(3n, 0, '/other')], 'one.log');
        const withFirst = await numbers();
        await settle(ports);
        expect(await numbers()).toStrictEqual(withFirst);
        expect(withFirst.totals).toMatchObject({ visitors: 3, visits: 3, pageviews: 4 });

        const second = await importLog([hitOf(3n, 5, '/second'), hitOf(1n, 60, '/late')], 'two.log');
        expect((await numbers()).totals).toMatchObject({ visitors: 3, visits: 4, pageviews: 6 });

        await ports.history.remove(second, now);
        expect(await numbers()).toStrictEqual(withFirst);
        await settle(ports);
        expect(await numbers()).toStrictEqual(withFirst);
        await ports.history.remove(first, now);
        expect(await numbers()).toStrictEqual(collected);
        await settle(ports);
        await rebuild(ports);
        expect(await numbers()).toStrictEqual(collected);
      });
    },
  );
}
