import type { ChangedNumber, StatisticsQuery, ValueChanges, ValuePosition } from '@hitherto/domain/engine';
import { type CountedHit, DIMENSIONS, type Dimension, MAX_VALUES_PER_DAY } from '@hitherto/domain/hits';
import { newId } from '@hitherto/outside/system';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addHits, addWebsite, all, aQuery, at, type MakePorts, type StatisticsPorts } from './support.ts';

/**
 * The contract of lists of values.
 *
 * @param settle what the background work does before numbers are read: it changes none
 */
export function valueListsContract(makePorts: MakePorts, settle: (ports: StatisticsPorts) => Promise<void>): void {
  let ports: StatisticsPorts;
  let websiteId: string;

  const begin = async () => {
    ports = await makePorts();
    ({ websiteId } = await addWebsite(ports));
  };

  const list = async (dimension: Dimension) => (await ports.statistics.values(aQuery(websiteId), dimension, 100)).rows;
  const valuesOf = async (dimension: Dimension) => (await list(dimension)).map(({ value }) => value);

  describe('values', () => {
    beforeEach(begin);

    it('are sorted by visitors, then in byte order, with no value last among equals', async () => {
      const sources = ['b', 'a', 'B', 'é', '🦊', '\uff5e', null, 'x'];
      await addHits(ports, [
        ...sources.map((source, index) => at('12:00', { websiteId, visitor: BigInt(index), source })),
        at('12:00', { websiteId, visitor: 100n, source: 'x' }),
      ]);
      await settle(ports);

      expect(await valuesOf('source')).toStrictEqual(['x', 'B', 'a', 'b', 'é', '\uff5e', '🦊', null]);
    });

    it('of a dimension are those of a visit’s first hit, with the numbers of whole visits', async () => {
      await addHits(ports, [
        at('12:00', { websiteId, visitor: 1n, country: 'DE', name: 'Signup' }),
        at('12:01', { websiteId, visitor: 1n, country: 'FR' }),
        at('13:00', { websiteId, visitor: 1n, country: 'DE' }),
      ]);
      await settle(ports);

      expect(await list('country')).toStrictEqual([
        {
          value: 'DE',
          visitors: 1,
          visits: 2,
          pageviews: 2,
          events: 1,
          bounces: 1,
          visitsWithPageviews: 2,
          duration: 60_000,
        },
      ]);
    });

    it('of pages count pageviews, and of events events', async () => {
      await addHits(ports, [
        at('12:00', { websiteId, visitor: 1n, page: '/a' }),
        at('12:01', { websiteId, visitor: 1n, page: '/a' }),
        at('12:02', { websiteId, visitor: 1n, page: '/only-an-event', name: 'Signup' }),
        at('12:03', { websiteId, visitor: 1n, page: '/a', name: 'Signup' }),
        at('12:00', { websiteId, visitor: 2n, page: '/b' }),
      ]);
      await settle(ports);

      expect(await list('page')).toMatchObject([
        { value: '/a', visitors: 1, visits: 1, pageviews: 2, events: 0 },
        { value: '/b', visitors: 1, visits: 1, pageviews: 1, events: 0 },
      ]);
      expect(await list('event')).toMatchObject([{ value: 'Signup', visitors: 1, visits: 1, pageviews: 0, events: 2 }]);
    });

    it('of entry and exit pages are empty for a visit of events only', async () => {
      await addHits(ports, [at('12:00', { websiteId, page: '/a', name: 'Signup' })]);
      await settle(ports);

      expect([await valuesOf('entry_page'), await valuesOf('exit_page')]).toStrictEqual([[null], [null]]);
    });

    it('of entry and exit pages are ordered by page if hits have the same time', async () => {
      await addHits(ports, [
        at('12:00', { websiteId, page: '/é' }),
        at('12:00', { websiteId, page: '/a', name: 'Signup' }),
        at('12:00', { websiteId, page: '/b' }),
      ]);
      await settle(ports);

      expect([await valuesOf('entry_page'), await valuesOf('exit_page')]).toStrictEqual([['/b'], ['/é']]);
    });

    it('of hosts are those of first hits, and break only the ties that all other dimensions leave', async () => {
      await addHits(ports, [
        at('12:00', { websiteId, visitor: 1n, device: 'tv', host: 'a.example' }),
        at('12:00', { websiteId, visitor: 1n, device: 'mobile', host: 'shop.example' }),
        at('12:00', { websiteId, visitor: 1n, device: 'mobile', host: 'xn--bcher-kva.example' }),
        at('12:05', { websiteId, visitor: 1n, host: 'b.example' }),
        at('12:00', { websiteId, visitor: 2n, host: 'b.example', page: '/b' }),
      ]);
      const ofHosts = [
        { value: 'b.example', visitors: 1, visits: 1, pageviews: 1, bounces: 1, duration: 0 },
        { value: 'shop.example', visitors: 1, visits: 1, pageviews: 4, bounces: 0, duration: 300_000 },
      ];

      const open = await list('host');
      await settle(ports);

      expect(open).toMatchObject(ofHosts);
      expect(await list('host')).toMatchObject(ofHosts);
      expect(await valuesOf('device')).toStrictEqual(['desktop', 'mobile']);
    });

    it('add up over days', async () => {
      const hits = ['2026-11-19', '2026-11-20', '2026-11-21'].map((day) =>
        at('12:00', { websiteId, day, time: new Date(`${day}T12:00Z`) }),
      );
      await addHits(ports, hits);
      await settle(ports);

      expect(await list('device')).toMatchObject([{ value: 'desktop', visitors: 3, visits: 3, pageviews: 3 }]);
    });
  });

  describe('values of many dimensions', () => {
    beforeAll(async () => {
      await begin();
      await addHits(ports, [
        at('12:00', { websiteId, visitor: 1n, country: 'DE', source: 'é', page: '/a' }),
        at('12:01', { websiteId, visitor: 1n, country: 'DE', name: 'Signup', page: '/b' }),
        at('12:00', { websiteId, visitor: 2n, country: 'FR', source: null, page: '/a' }),
        at('12:00', { websiteId, visitor: 3n, country: 'DE', source: 'x', page: '/🦊' }),
      ]);
      await settle(ports);
    });

    it.each([
      ['without a filter', []],
      ['with a filter', all({ dimension: 'country', value: 'DE' })],
    ])('are the same at once as one by one, %s', async (_, filters) => {
      const query = { ...aQuery(websiteId), filters };

      const { days, values: found } = await ports.statistics.overview(query, DIMENSIONS, 2);

      expect(days).toStrictEqual(await ports.statistics.series(query, 'day'));
      expect([...found.keys()]).toStrictEqual([...DIMENSIONS]);
      for (const dimension of ['entry_page', 'exit_page', 'page', 'source', 'country', 'event', 'host'] as const) {
        const { rows, total } = found.get(dimension) ?? { rows: [], total: -1 };
        const list = await ports.statistics.values(query, dimension, 2);
        const withEvents = dimension === 'event';
        expect(total, dimension).toBe(list.total);
        expect(rows, dimension).toStrictEqual(
          list.rows.map(({ value, visitors, events }) => ({
            value,
            visitors,
            events: withEvents ? events : undefined,
          })),
        );
      }
    });
  });

  describe('values that are compared', () => {
    const on = (day: string, time: string, hit: Partial<CountedHit>) =>
      at(time, { websiteId, day, time: new Date(`${day}T${time}:00Z`), ...hit });
    const visitorsFrom = (day: string, time: string, source: string | null, ids: readonly bigint[]) =>
      ids.map((visitor) => on(day, time, { visitor, source, country: 'DE' }));
    const now = () => aQuery(websiteId, { from: '2026-11-20', to: '2026-11-20' });
    const before = (until: string): StatisticsQuery => ({
      ...aQuery(websiteId, { from: '2026-11-19', to: '2026-11-19' }),
      until: new Date(`2026-11-19T${until}:00Z`),
    });

    beforeAll(async () => {
      await begin();
      await addHits(ports, [
        ...visitorsFrom('2026-11-20', '12:00', 'a', [1n, 2n, 3n]),
        ...visitorsFrom('2026-11-20', '12:00', 'b', [4n]),
        ...visitorsFrom('2026-11-20', '12:00', null, [5n, 6n]),
        ...visitorsFrom('2026-11-19', '08:00', 'a', [1n]),
        ...visitorsFrom('2026-11-19', '18:00', 'a', [2n, 3n, 4n, 5n]),
        ...visitorsFrom('2026-11-19', '08:00', 'gone', [7n, 8n]),
        ...visitorsFrom('2026-11-19', '08:00', null, [9n, 10n, 11n]),
      ]);
      await settle(ports);
    });

    it.each([
      ['without a filter', []],
      ['with a filter', all({ dimension: 'country', value: 'DE' })],
    ])(
      'have their visitors of the other days until the moment, and name the largest changes, %s',
      async (_, filters) => {
        const dimensions = ['source', 'country'] as const;
        const compared = { query: { ...before('12:00'), filters }, dimensions, changed: ['source'] as const };

        const { days, values } = await ports.statistics.overview(
          { ...now(), filters },
          ['source', 'country', 'page'],
          2,
          compared,
        );

        expect(days).toMatchObject([{ start: '2026-11-20', visitors: 6 }]);
        expect(values.get('source')).toStrictEqual({
          rows: [
            { value: 'a', visitors: 3, before: 1, events: undefined },
            { value: null, visitors: 2, before: 3, events: undefined },
          ],
          total: 3,
          changed: {
            rises: [
              { value: 'a', visitors: 3, before: 1 },
              { value: 'b', visitors: 1, before: 0 },
            ],
            falls: [
              { value: 'gone', visitors: 0, before: 2 },
              { value: null, visitors: 2, before: 3 },
            ],
          },
        });
        expect(values.get('country')).toStrictEqual({
          rows: [{ value: 'DE', visitors: 6, before: 6, events: undefined }],
          total: 1,
        });
        expect(values.get('page')?.rows[0]).not.toHaveProperty('before');
      },
    );

    it('have those of the whole day without a moment', async () => {
      const { until: _, ...whole } = before('12:00');

      const { values } = await ports.statistics.overview(now(), ['source'], 1, {
        query: whole,
        dimensions: ['source'],
        changed: [],
      });

      expect(values.get('source')).toMatchObject({ rows: [{ value: 'a', visitors: 3, before: 5 }], total: 3 });
    });
  });

  describe('changes of values', () => {
    const on = (day: string, id: number, hit: Partial<CountedHit>) =>
      at('12:00', { websiteId, day, time: new Date(`${day}T12:00:00Z`), visitor: BigInt(id), country: 'DE', ...hit });
    const sourcesOn = (day: string, sources: readonly (string | null)[]) =>
      sources.map((source, index) => on(day, index, { source }));
    const [compared, query] = [
      () => ({ ...aQuery(websiteId, { from: '2026-11-18', to: '2026-11-19' }), onlyHits: true }),
      () => ({ ...aQuery(websiteId, { from: '2026-11-20', to: '2026-11-20' }), onlyHits: true }),
    ];
    const numbersOf = ({ before, after }: ValueChanges) =>
      Array.from(before, (number, place) => `${number} ${after[place]}`).sort();

    beforeAll(async () => {
      await begin();
      await addHits(ports, [
        ...sourcesOn('2026-11-18', ['fell', 'fell', 'same']),
        ...sourcesOn('2026-11-19', ['fell', null]),
        ...sourcesOn('2026-11-20', ['é', 'rose', 'rose', 'same', null, null, null, 'B']),
        on('2026-11-20', 1, { source: 'rose', page: '/second' }),
        on('2026-11-20', 9, { source: 'events', name: 'Signup', country: 'FR' }),
      ]);
      await settle(ports);
    });

    it.each([
      ['without a filter', []],
      ['with a filter', all({ dimension: 'device', value: 'desktop' })],
    ])('are the largest first, equal ones in byte order and none last, %s', async (_, filters) => {
      const changes = await ports.statistics.changes(
        { ...query(), filters },
        { ...compared(), filters },
        'visitors',
        ['source', 'country'],
        5,
      );

      expect([...changes.keys()]).toStrictEqual(['source', 'country']);
      const ofSources = changes.get('source');
      expect(ofSources).toMatchObject({
        largest: [
          { value: 'fell', before: 3, after: 0 },
          { value: 'rose', before: 0, after: 2 },
          { value: null, before: 1, after: 3 },
          { value: 'B', before: 0, after: 1 },
          { value: 'events', before: 0, after: 1 },
        ],
        total: 7,
      });
      expect(ofSources && numbersOf(ofSources)).toStrictEqual(['0 1', '0 1', '0 1', '0 2', '1 1', '3 0']);
      expect(changes.get('country')?.largest).toStrictEqual([
        { value: 'DE', before: 5, after: 8 },
        { value: 'FR', before: 0, after: 1 },
      ]);
    });

    it('are of the number that is asked for, and of the values that have it', async () => {
      const read = (number: ChangedNumber) =>
        ports.statistics.changes(query(), compared(), number, ['source', 'event'], 2);

      expect((await read('pageviews')).get('source')?.largest).toStrictEqual([
        { value: 'fell', before: 3, after: 0 },
        { value: 'rose', before: 0, after: 3 },
      ]);
      const ofEvents = await read('events');
      expect(ofEvents.get('source')).toMatchObject({ largest: [{ value: 'events', before: 0, after: 1 }], total: 1 });
      expect(ofEvents.get('event')).toMatchObject({ largest: [{ value: 'Signup', before: 0, after: 1 }], total: 1 });
      expect((await read('visits')).get('event')).toMatchObject({ total: 1 });
    });

    it('are none of a website that does not exist', async () => {
      const unknown = { ...query(), websiteId: newId() };

      const changes = await ports.statistics.changes(
        unknown,
        { ...compared(), websiteId: unknown.websiteId },
        'visitors',
        ['source'],
        2,
      );

      expect(changes.get('source')).toMatchObject({ largest: [], total: 0 });
    });
  });

  describe('pages of a list', () => {
    const page = (limit: number, position?: ValuePosition) =>
      ports.statistics.values(aQuery(websiteId), 'source', limit, position);
    const sources = ['a', 'b', 'c', 'd', null];

    beforeAll(async () => {
      await begin();
      await addHits(
        ports,
        sources.map((source, index) => at('12:00', { websiteId, visitor: BigInt(index), source })),
      );
      await settle(ports);
    });

    it('lead from the first to the last and back', async () => {
      const first = await page(2);
      const second = await page(2, first.next);
      const third = await page(2, second.next);
      const secondAgain = await page(2, third.previous);

      expect([first, second, third].map(({ rows }) => rows.map(({ value }) => value))).toStrictEqual([
        ['a', 'b'],
        ['c', 'd'],
        [null],
      ]);
      expect(secondAgain).toStrictEqual(second);
      expect(first).toMatchObject({ previous: undefined, total: 5, next: { side: 'after', number: 1, value: 'b' } });
      expect(third).toMatchObject({ previous: { side: 'up_to', number: 1, value: 'd' }, total: 5, next: undefined });
    });

    it('continue from the position of a missing value', async () => {
      expect((await page(2, { side: 'after', number: 1, value: 'bb' })).rows[0]?.value).toBe('c');
      expect((await page(2, { side: 'up_to', number: 1, value: 'bb' })).rows.map(({ value }) => value)).toStrictEqual([
        'a',
        'b',
      ]);
      expect((await page(2, { side: 'after', number: 1, value: '\0' })).rows[0]?.value).toBeNull();
    });

    it('are empty beyond the end and before the beginning', async () => {
      expect(await page(2, { side: 'after', number: 0, value: 'a' })).toMatchObject({ rows: [], total: 5 });
      expect(await page(2, { side: 'up_to', number: 9, value: 'a' })).toMatchObject({ rows: [], total: 5 });
    });
  });

  describe('a day with very many values', () => longListsContract(makePorts, settle));
}

/** The contract of lists of a day with more values than a day keeps. */
export function longListsContract(makePorts: MakePorts, settle: (ports: StatisticsPorts) => Promise<void>): void {
  let ports: StatisticsPorts;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    ({ websiteId } = await addWebsite(ports));
  });

  it('keeps those with the most visitors, ties in byte order, and counts the rest as one value', async () => {
    const page = (index: number) => `/${String(index).padStart(5, '0')}`;
    const visitor = 1n;
    await addHits(ports, [
      ...Array.from({ length: MAX_VALUES_PER_DAY + 3 }, (_, index) =>
        at('12:00', { websiteId, visitor, page: page(index) }),
      ),
      at('12:00', { websiteId, visitor: 2n, page: '/zz' }),
      at('12:01', { websiteId, visitor: 2n, page: page(MAX_VALUES_PER_DAY) }),
      at('12:00', { websiteId, visitor: 3n, page: '/zz' }),
    ]);
    await settle(ports);

    const { rows, total } = await ports.statistics.values(aQuery(websiteId), 'page', 5_001);

    expect(total).toBe(MAX_VALUES_PER_DAY + 1);
    expect(rows.slice(0, 3).map(({ value }) => value)).toStrictEqual([page(MAX_VALUES_PER_DAY), '/zz', '(other)']);
    expect(rows.at(-1)?.value).toBe(page(MAX_VALUES_PER_DAY - 3));
    expect(rows.find(({ value }) => value === '(other)')).toMatchObject({ visitors: 1, visits: 1, pageviews: 4 });
  });

  it('still filters by each of its values', async () => {
    const source = (index: number) => `s${String(index).padStart(5, '0')}`;
    const last = MAX_VALUES_PER_DAY + 1;
    await addHits(ports, [
      ...Array.from({ length: last + 1 }, (_, index) =>
        at('12:00', { websiteId, visitor: BigInt(index), source: source(index) }),
      ),
      at('12:00', { websiteId, visitor: BigInt(last + 1), source: '(other)' }),
    ]);
    await settle(ports);

    const found = [source(0), source(last), '(other)', 'none of them'].map(async (value) => {
      const query = aQuery(websiteId, { filters: all({ dimension: 'source', value }) });
      return (await ports.statistics.totals(query)).visitors;
    });

    expect(await Promise.all(found)).toEqual([1, 1, 1, 0]);
  });

  it('counts a value named (other) as part of the rest', async () => {
    await addHits(ports, [at('12:00', { websiteId, source: '(other)' })]);
    await settle(ports);

    const { rows } = await ports.statistics.values(aQuery(websiteId), 'source', 10);
    expect(rows).toMatchObject([{ value: '(other)', visitors: 1, visits: 1 }]);
  });
}
