import { addHits, addWebsite, aQuery, at, runJob, settle } from '@hitherto/contracts/statistics/support';
import type { CountedGoal, GoalNumbers } from '@hitherto/domain/engine';
import { type DimensionFilter, FILTER_LIMITS, type FilterSet } from '@hitherto/domain/visits';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DATABASE_TIMEOUTS } from '../../src/connection/timeouts.ts';
import { openPostgres } from '../../src/index.ts';
import { PART_LIMITS } from '../../src/statistics/part-limits.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {}, parts: { ...PART_LIMITS, hits: 80_000 } });

afterAll(async () => {
  await ports.close();
  await database.drop();
});

/** Pages in which hostile patterns find much to match, up to their last characters. */
const hostilePage = (number: number) => `/${'a'.repeat(190)}\\*${number}`;

describe.each(['columns', 'hits'] as const)('a hostile pattern, read from %s,', (source) => {
  const VISITORS = 2_000;
  /** What may be added to the time of a plain pattern by chance, and by other processes on the machine. */
  const HEADROOM = 20;
  const TRIES = 5;
  let websiteId: string;

  beforeAll(async () => {
    ({ websiteId } = await addWebsite(ports));
    const hits = Array.from({ length: VISITORS }, (_, visitor) =>
      at('12:00', { websiteId, visitor: BigInt(visitor), page: hostilePage(visitor % 500) }),
    );
    await addHits(ports, hits);
    if (source === 'columns') await settle(ports);
    else await runJob(ports, 'hand over hits');
  });

  const like = (values: readonly string[]): readonly FilterSet[] => {
    const filter: DimensionFilter = {
      kind: 'dimension',
      dimension: 'page',
      comparator: 'like',
      isNegated: true,
      values,
    };
    return [{ match: 'all', filters: [filter] }];
  };

  /** The shortest time of some reads, and the visits that have no matching page. */
  const timed = async (values: readonly string[]) => {
    const query = aQuery(websiteId, { filters: like(values) });
    let [least, visits] = [Number.POSITIVE_INFINITY, Number.NaN];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const start = performance.now();
      ({ visits } = await ports.statistics.totals(query));
      least = Math.min(least, performance.now() - start);
    }
    return { least, visits };
  };

  const { valueLength, values: most } = FILTER_LIMITS;
  const twenty = (patternOf: (length: number) => string) =>
    Array.from({ length: most }, (_, number) => `${patternOf(valueLength - 3)}${number}z`);

  it.each<[string, readonly string[], number]>([
    ['2,000 asterisks', ['*'.repeat(valueLength)], 0],
    [
      '20 of 2,000 characters with a part each second',
      twenty((length) => '*a'.repeat(length).slice(0, length)),
      VISITORS,
    ],
    [
      '20 of 2,000 characters that overlap themselves',
      twenty((length) => '*aab'.repeat(length).slice(0, length)),
      VISITORS,
    ],
    ['20 of nested escapes', twenty((length) => `*${'\\'.repeat(length)}`.slice(0, length)), VISITORS],
    ['escapes of asterisks and backslashes', [`*${'\\\\\\*'.repeat(490)}*`], VISITORS],
    ['an escape that matches', ['*\\\\\\*7'], VISITORS - 4],
  ])('costs no more than a plain one: %s', async (_, values, visits) => {
    const plain = await timed(Array.from({ length: most }, (__, number) => `*a*z${number}`));

    const hostile = await timed(values);

    expect([plain.visits, hostile.visits]).toEqual([VISITORS, visits]);
    expect(hostile.least).toBeLessThan(HEADROOM * plain.least);
  });
});

describe('a long literal that nearly occurs at each place of a value', () => {
  const VISITORS = 300;
  /** What may be added to the time of a literal that occurs nowhere. */
  const HEADROOM = 10;
  const TRIES = 5;
  let websiteId: string;

  beforeAll(async () => {
    ({ websiteId } = await addWebsite(ports));
    const hits = Array.from({ length: VISITORS }, (_, visitor) =>
      at('12:00', { websiteId, visitor: BigInt(visitor), page: `/${'a'.repeat(1_980)}${visitor}` }),
    );
    await addHits(ports, hits);
  });

  /** The shortest time of some reads. */
  const timed = async (comparator: 'contains' | 'like', value: string) => {
    const filter = { kind: 'dimension', dimension: 'page', comparator, isNegated: false, values: [value] } as const;
    const query = aQuery(websiteId, { filters: [{ match: 'all', filters: [filter] }] });
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const start = performance.now();
      expect((await ports.statistics.totals(query)).visits).toBe(0);
      least = Math.min(least, performance.now() - start);
    }
    return least;
  };

  it.each<['contains' | 'like', (letter: string) => string]>([
    ['contains', (letter) => `${letter.repeat(1_000)}b`],
    ['contains', (letter) => `b${letter.repeat(1_000)}`],
    ['like', (letter) => `*${letter.repeat(1_000)}b`],
    ['like', (letter) => `*${letter.repeat(500)}*${letter.repeat(500)}b*`],
  ])('costs no more than one that occurs nowhere: %s, %#', async (comparator, literal) => {
    const plain = await timed(comparator, literal('c'));

    const hostile = await timed(comparator, literal('a'));

    expect(hostile).toBeLessThan(HEADROOM * plain);
  });
});

describe('50 goals of visits that 10 filters choose', () => {
  const VISITORS = 20_000;
  const CLOSED = 20;
  let websiteId: string;

  const goals = Array.from(
    { length: 50 },
    (_, number): CountedGoal =>
      number % 2 === 0
        ? { id: `${number}`, rule: { event: 'Signup', props: { plan: `${number % 10}` } }, sum: 'amount' }
        : { id: `${number}`, rule: { page: `/articles/${number % 5}*` }, sum: null },
  );
  const filter = (dimension: DimensionFilter['dimension'], values: readonly string[], isNegated = true) =>
    ({ kind: 'dimension', dimension, comparator: 'like', isNegated, values }) as const;
  const filters: readonly FilterSet[] = [
    {
      match: 'all',
      filters: [
        filter('page', ['/articles/*', '/blog/*'], false),
        ...(['entry_page', 'exit_page', 'event', 'source', 'country', 'os', 'device', 'language'] as const).map(
          (dimension) =>
            filter(
              dimension,
              Array.from({ length: 20 }, (_, number) => `*nothing${number}*`),
            ),
        ),
        { kind: 'property', property: 'plan', comparator: 'is', isNegated: true, values: ['none'] },
      ],
    },
  ];

  beforeAll(async () => {
    ({ websiteId } = await addWebsite(ports));
    const hitsOf = (day: string) =>
      Array.from({ length: VISITORS }, (_, visitor) => {
        const hit = { websiteId, day, visitor: BigInt(visitor) * 2n ** 40n, country: 'DE' };
        const seconds = (visitor % 60).toString().padStart(2, '0');
        const time = (minute: string) => new Date(`${day}T12:${minute}:${seconds}.000Z`);
        return [
          at('12:00', { ...hit, time: time('00'), page: `/articles/${visitor % 1_000}` }),
          at('12:01', { ...hit, time: time('01'), name: 'Signup', props: { plan: `${visitor % 10}`, amount: 1 } }),
        ];
      }).flat();
    await addHits(ports, hitsOf('2026-11-01'));
    await settle(ports, '2026-11-02');
    await addHits(ports, hitsOf('2026-11-30'));
    for (const table of ['book', 'website_day']) await copyDays(table);
  });

  /** Makes the next days as the first one is. */
  async function copyDays(table: string): Promise<void> {
    const [{ columns } = { columns: '' }] = await rowsOf<{ columns: string }>(
      database.url,
      `select string_agg(attname, ', ' order by attnum) as columns from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attname <> 'day'`,
    );
    await run(
      database.url,
      `insert into ${table} (day, ${columns}) select day + later, ${columns} from ${table}, generate_series(1, ${CLOSED - 1}) later
       where day = '2026-11-01' and website_number = (select number from website where id = '${websiteId}')`,
    );
  }

  it('end within the time of a statement, or are rejected with a sentence and go on from there', async () => {
    const query = aQuery(websiteId, { filters });
    const times: number[] = [];
    const rejections = new Set<string>();
    const read = async (): Promise<readonly GoalNumbers[]> => {
      const before = process.cpuUsage();
      try {
        return await ports.statistics.goals(query, goals);
      } catch (error) {
        rejections.add(error instanceof Error ? error.message : '');
        return times.length < 10 ? await read() : [];
      } finally {
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / 1_000);
      }
    };

    const numbers = await read();

    expect(numbers).toHaveLength(goals.length);
    expect(numbers[0]).toMatchObject({ visitors: 42_000, visits: 42_000, conversions: 42_000, sum: '42000.00' });
    expect(numbers[1]?.conversions).toBe((CLOSED + 1) * 20 * 111);
    expect(Math.min(...times)).toBeLessThan(DATABASE_TIMEOUTS.statisticsStatement);
    expect([...rejections].filter((message) => !/^Counting these visits takes too long\./.test(message))).toEqual([]);
  }, 120_000);
});
