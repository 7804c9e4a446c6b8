import {
  type CountedHit,
  DIMENSIONS,
  type Dimension,
  type Filter,
  type StatisticsQuery,
  type StatisticsRepository,
  valuesOf,
  visitsOf,
} from '@hitherto/domain';
import { histories } from '@hitherto/domain/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newId } from '../../src/system.ts';
import { addWebsites, type StatisticsPorts, summariseAll } from './support.ts';

/** What happens between two batches. */
type Work = 'updateVisits' | 'summarise' | 'summarise open days' | 'rebuild' | 'nothing';

/** How hits arrive. */
interface Arrival {
  /** The hits are sorted by these ranks, used in turn. */
  readonly order: readonly number[];
  /** How many hits a batch has, and what runs after it, used in turn. */
  readonly batches: readonly { readonly size: number; readonly work: Work; readonly isRepeated: boolean }[];
}

/** What is read about a website. */
interface Reading {
  /** Which values of its visits are used as filters. */
  readonly picks: readonly { readonly dimension: number; readonly value: number }[];
  /** Names of {@link READS}. */
  readonly reads: readonly string[];
}

/** How many websites have their hits at the same time. */
const WEBSITES = 10;

const works: readonly Work[] = [
  'updateVisits',
  'summarise',
  'summarise open days',
  'rebuild',
  'nothing',
  'nothing',
  'nothing',
];
const arrivals: fc.Arbitrary<Arrival> = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 }),
  batches: fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 80 }), work: fc.constantFrom(...works), isRepeated: fc.boolean() }),
    { minLength: 1, maxLength: 8 },
  ),
});
const readings = (): fc.Arbitrary<Reading> =>
  fc.record({
    picks: fc.array(fc.record({ dimension: fc.nat(DIMENSIONS.length - 1), value: fc.nat(1_000) }), { maxLength: 3 }),
    reads: fc.uniqueArray(fc.constantFrom(...Object.keys(READS)), { minLength: 2, maxLength: 2 }),
  });

/**
 * Adds random histories, in any order and batching and with background work in between, and compares every read with that
 * of `expected`, which gets all hits in one batch.
 *
 * @param count how many histories
 */
export function historiesContract(
  makeActual: () => Promise<StatisticsPorts>,
  makeExpected: () => Promise<StatisticsPorts>,
  count: number,
): void {
  const told = fc.array(fc.record({ history: histories(), reading: readings() }), {
    minLength: WEBSITES,
    maxLength: WEBSITES,
  });

  it('all numbers are as defined, however hits arrive and whatever background work has run', async () => {
    const actual = await makeActual();
    const property = fc.asyncProperty(told, arrivals, async (websites, arrival) => {
      const expected = await makeExpected();
      const [there, here] = [await addWebsites(actual, WEBSITES), await addWebsites(expected, WEBSITES)];
      const hitsOf = (ids: readonly string[]) =>
        websites.flatMap(({ history: { hits } }, index) =>
          hits.map((hit) => ({ ...hit, websiteId: ids[index] ?? hit.websiteId })),
        );

      await arrive(actual, hitsOf(there), arrival);
      await expected.hits.add(newId(), hitsOf(here));

      for (const [index, { history, reading }] of websites.entries()) {
        const filters = filtersOf(history.hits, reading);
        const read = await readSome(actual.statistics, there[index] ?? '', filters, reading.reads);
        expect(read).toStrictEqual(await readSome(expected.statistics, here[index] ?? '', filters, reading.reads));
      }
    });
    await fc.assert(property, { numRuns: count / WEBSITES });
  }, 600_000);
}

async function arrive(ports: StatisticsPorts, hits: readonly CountedHit[], { order, batches }: Arrival): Promise<void> {
  const shuffled = hits
    .map((hit, index) => ({ hit, rank: order[index % order.length] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ hit }) => hit);
  const work: Record<Work, () => Promise<unknown>> = {
    updateVisits: () => ports.maintenance.updateVisits(),
    summarise: () => summariseAll(ports),
    'summarise open days': () => summariseAll(ports, '2026-01-01'),
    rebuild: () => ports.maintenance.rebuild({ ...(hits[0] && { websiteId: hits[0].websiteId }) }),
    nothing: async () => {},
  };
  for (let start = 0, turn = 0; start < shuffled.length; turn += 1) {
    const batch = batches[turn % batches.length];
    if (batch === undefined) break;
    const id = newId();
    const part = shuffled.slice(start, start + batch.size);
    await ports.hits.add(id, part);
    if (batch.isRepeated) await ports.hits.add(id, part);
    await work[batch.work]();
    start += batch.size;
  }
}

/** Filters by values that occur, so that some visits are chosen. */
function filtersOf(hits: readonly CountedHit[], { picks }: Reading): Filter[] {
  const visits = visitsOf(hits);
  return picks.flatMap(({ dimension: index, value: pick }) => {
    const dimension = DIMENSIONS[index];
    if (dimension === undefined) return [];
    const values = [...visits.flatMap((visit) => valuesOf(visit, dimension)), null];
    return [{ dimension, value: values[pick % values.length] ?? null }];
  });
}

/** Every read, by name. */
const READS: Record<string, (reads: ReadOptions) => Promise<unknown>> = {
  totals: ({ statistics, whole }) => statistics.totals(whole),
  'totals of a part': ({ statistics, part }) => statistics.totals(part),
  'filtered totals': ({ statistics, filtered }) => statistics.totals(filtered),
  days: ({ statistics, whole }) => statistics.series(whole, 'day'),
  'filtered days': ({ statistics, filtered }) => statistics.series(filtered, 'day'),
  hours: ({ statistics, whole }) => statistics.series(whole, 'hour'),
  'filtered hours': ({ statistics, filtered }) => statistics.series(filtered, 'hour'),
  overview: ({ statistics, whole }) => statistics.overview(whole, DIMENSIONS, 3),
  'filtered overview': ({ statistics, filtered }) => statistics.overview(filtered, DIMENSIONS, 3),
  plans: ({ statistics, whole }) => statistics.propertyValues(whole, 'Signup', 'plan', 10),
  'filtered plans': ({ statistics, filtered }) => statistics.propertyValues(filtered, 'Signup', 'plan', 2),
  'a property with an odd name': ({ statistics, whole }) => statistics.propertyValues(whole, 'é', '__proto__', 10),
  'property names': ({ statistics, filtered }) => statistics.propertyNames(filtered, 'Signup'),
  'current visitors': ({ statistics, whole: { websiteId } }) =>
    statistics.currentVisitors(websiteId, new Date('2026-11-20T12:30:00.000Z')),
  'first day': ({ statistics, whole: { websiteId } }) => statistics.firstDay(websiteId),
  ...Object.fromEntries(
    DIMENSIONS.flatMap((dimension) => [
      [dimension, ({ statistics, whole }: ReadOptions) => allPages(statistics, whole, dimension)],
      [`filtered ${dimension}`, ({ statistics, filtered }: ReadOptions) => allPages(statistics, filtered, dimension)],
    ]),
  ),
};

interface ReadOptions {
  readonly statistics: StatisticsRepository;
  readonly whole: StatisticsQuery;
  readonly part: StatisticsQuery;
  readonly filtered: StatisticsQuery;
}

async function readSome(
  statistics: StatisticsRepository,
  websiteId: string,
  filters: readonly Filter[],
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const whole = { websiteId, from: '2026-01-01', to: '2027-12-31', filters: [] };
  const part = { ...whole, from: '2026-10-25', to: '2026-11-30' };
  const options = { statistics, whole, part, filtered: { ...whole, filters } };
  const found = await Promise.all(names.map(async (name) => [name, await READS[name]?.(options)]));
  return Object.fromEntries(found);
}

/** A list from its first page to its last, three values each. */
async function allPages(statistics: StatisticsRepository, query: StatisticsQuery, dimension: Dimension) {
  const pages = [await statistics.values(query, dimension, 3)];
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
    pages.push(await statistics.values(query, dimension, 3, next));
  }
  return pages;
}
