import type { NewRule } from '@hitherto/domain/cleanups';
import type { ConversionsBy, CountedGoal, StatisticsQuery, StatisticsRepository } from '@hitherto/domain/engine';
import { type CountedHit, DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { type Counted, explainChange } from '@hitherto/domain/insight';
import {
  type Comparator,
  type Filter,
  type FilterSet,
  type GoalRules,
  type Hidden,
  type HitRule,
  type Match,
  storableFilters,
  valuesOf,
  visitsOf,
} from '@hitherto/domain/visits';
import { newId } from '@hitherto/outside/system';
import { histories } from '@hitherto/testing/fixtures';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  addHits,
  addHitsOnce,
  addWebsites,
  applyCleanup,
  BEFORE,
  eraseCleanup,
  rebuild,
  type StatisticsPorts,
  setPageRules,
  settle,
  undoCleanup,
} from './support.ts';

/** What happens between two batches. */
type Work = 'a job' | 'settle' | 'settle open days' | 'rebuild' | 'rebuild open days' | 'nothing';

/** How hits arrive. */
interface Arrival {
  /** The hits are sorted by these ranks, used in turn. */
  readonly order: readonly number[];
  /** How many hits a batch has, and what runs after it, used in turn. */
  readonly batches: readonly {
    readonly size: number;
    readonly work: Work;
    /** Which of the engine's jobs runs once, if one does. */
    readonly job: number;
    readonly isRepeated: boolean;
  }[];
}

/** What is read about a website. */
interface Reading {
  /** Which filters are used, each by values that its visits have. */
  readonly picks: readonly Pick[];
  readonly match: Match;
  /** Which hit's time the hits of its day are counted until, if any. */
  readonly until: number | undefined;
  /** Names of {@link READS}. */
  readonly reads: readonly string[];
  readonly cleanups: readonly Hiding[];
  readonly hidden: Hidden | undefined;
  /** Rules that show pages, and the batch after which they are set. */
  readonly pageRules: readonly string[];
  readonly shownAt: number;
}

/** A cleanup: its rule, the hits on whose days it begins and ends, and the batches after which it is applied and undone. */
interface Hiding {
  readonly picks: readonly Pick[];
  readonly match: Match;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly at: number;
  readonly undoneAt: number | undefined;
  /** Whether the hits that it hides are deleted in the end, unless it is undone. */
  readonly isErased: boolean;
}

/** A filter: what it is by, how it compares, and which of the values that occur. */
interface Pick {
  readonly by: number;
  readonly comparator: Comparator;
  readonly isNegated: boolean;
  readonly values: readonly number[];
}

/** The goals that filters name, and one that does not exist. */
const GOALS: GoalRules = new Map<string, HitRule>([
  ['read', { page: '*', seconds: 10, scroll: 50 }],
  ['signup', { event: 'Signup', props: {} }],
  ['plan', { event: 'é', props: { plan: 'a' } }],
  ['page', { page: '/a*' }],
]);
const GOAL_IDS = [...GOALS.keys(), 'gone'];
const PROPERTIES = ['plan', '__proto__'];
const BOUNCE = DIMENSIONS.length + PROPERTIES.length + 1;

/** How many websites have their hits at the same time. */
const WEBSITES = 10;

const works: readonly Work[] = [
  'a job',
  'a job',
  'settle',
  'settle open days',
  'rebuild',
  'rebuild open days',
  'nothing',
  'nothing',
  'nothing',
];
const arrivals: fc.Arbitrary<Arrival> = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 }),
  batches: fc.array(
    fc.record({
      size: fc.integer({ min: 1, max: 80 }),
      work: fc.constantFrom(...works),
      job: fc.nat(1_000),
      isRepeated: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});
const picks: fc.Arbitrary<Pick> = fc.record({
  by: fc.nat(BOUNCE),
  comparator: fc.constantFrom<Comparator>('is', 'is', 'contains', 'like'),
  isNegated: fc.boolean(),
  values: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 3 }),
});
const place = fc.option(fc.nat(1_000), { nil: undefined });
const cleanups: fc.Arbitrary<Hiding> = fc.record({
  picks: fc.array(picks, { minLength: 1, maxLength: 2 }),
  match: fc.constantFrom<Match>('all', 'any'),
  from: place,
  to: place,
  at: fc.nat(4),
  undoneAt: fc.option(fc.nat(6), { nil: undefined }),
  // Deleting rows of ClickHouse takes long.
  isErased: fc.nat(7).map((number) => number === 0),
});
const readings = (): fc.Arbitrary<Reading> =>
  fc.record({
    picks: fc.array(picks, { maxLength: 3 }),
    match: fc.constantFrom<Match>('all', 'any'),
    until: fc.option(fc.nat(1_000), { nil: undefined }),
    reads: fc.uniqueArray(fc.constantFrom(...Object.keys(READS)), { minLength: 2, maxLength: 2 }),
    cleanups: fc.oneof(fc.constant([]), fc.array(cleanups, { minLength: 1, maxLength: 3 })),
    hidden: fc.constantFrom<Hidden | undefined>(undefined, undefined, undefined, 'include', 'only'),
    pageRules: fc.constantFrom([], [], [], ['/a* => /:a'], ['?a&b', '*a => /b/:c', '* => /:all']),
    shownAt: fc.nat(4),
  });

/**
 * Adds random histories, in any order and batching and with background work in between, and compares every read with that
 * of `expected`, which gets all hits in one batch.
 *
 * @param count how many histories
 * @param last what runs after the last batch, in addition
 */
export function historiesContract(
  makeActual: () => Promise<StatisticsPorts>,
  makeExpected: () => Promise<StatisticsPorts>,
  count: number,
  last: 'settle' | 'nothing' = 'nothing',
): void {
  const told = fc.array(fc.record({ history: histories(), reading: readings() }), {
    minLength: WEBSITES,
    maxLength: WEBSITES,
  });

  it(
    'all numbers are as defined, however hits arrive and whatever background work has run',
    async () => {
      const actual = await makeActual();
      const property = fc.asyncProperty(told, arrivals, async (websites, arrival) => {
        const expected = await makeExpected();
        // A website without a zone has hours of another zone than that of its days, as after a change of the zone.
        const zones = websites.map(({ history: { zone } }, index) => (index % 3 === 0 ? null : zone.name));
        const [there, here] = [await addWebsites(actual, zones), await addWebsites(expected, zones)];
        const hitsOf = (ids: readonly string[]) =>
          websites.flatMap(({ history: { hits } }, index) =>
            hits.map((hit) => ({ ...hit, websiteId: ids[index] ?? hit.websiteId })),
          );

        const hidings = websites.flatMap(({ history, reading: { cleanups: ofWebsite } }, index) =>
          ofWebsite.map((hiding) => ({ ...hiding, index, rule: ruleOf(history.hits, hiding) })),
        );
        await arrive(actual, hitsOf(there), arrival, async (turn) => {
          for (const { index, rule, at, undoneAt = -1 } of hidings) {
            if (undoneAt > at && turn === undoneAt) await undoCleanup(actual, there[index] ?? '', rule);
            if (turn === at) await applyCleanup(actual, there[index] ?? '', rule);
          }
          for (const [index, { reading }] of websites.entries()) {
            if (turn === reading.shownAt) await showPages(actual, there[index], reading);
          }
        });
        if (last === 'settle') await settle(actual);
        await expected.hits.add(hitsOf(here));
        for (const [index, { reading }] of websites.entries()) await showPages(expected, here[index], reading);
        for (const { index, rule, at, undoneAt = -1 } of hidings) {
          if (undoneAt <= at) await applyCleanup(expected, here[index] ?? '', rule);
        }
        for (const { index, rule, at, undoneAt = -1, isErased } of hidings) {
          if (!isErased || undoneAt > at) continue;
          await eraseCleanup(actual, there[index] ?? '', rule);
          await eraseCleanup(expected, here[index] ?? '', rule);
        }

        for (const [index, { history, reading }] of websites.entries()) {
          const filters = filtersOf(history.hits, reading);
          const { hidden } = reading;
          const until = { ...untilOf(history.hits, reading), hidden };
          const read = await readSome(actual.statistics, there[index] ?? '', filters, until, reading.reads);
          expect(read).toStrictEqual(
            await readSome(expected.statistics, here[index] ?? '', filters, until, reading.reads),
          );
        }
      });
      await fc.assert(property, { numRuns: Math.ceil(count / WEBSITES) });
      // On a busy machine, a history takes a second and more.
    },
    600_000 + count * 3_000,
  );
}

/** @param between runs after each batch, with its number, and after the last one for the numbers that are left */
async function arrive(
  ports: StatisticsPorts,
  hits: readonly CountedHit[],
  { order, batches }: Arrival,
  between: (turn: number) => Promise<void>,
): Promise<void> {
  const shuffled = hits
    .map((hit, index) => ({ hit, rank: order[index % order.length] ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ hit }) => hit);
  const scope = hits[0] === undefined ? {} : { websiteId: hits[0].websiteId };
  const work: Record<Work, (job: number) => Promise<unknown>> = {
    'a job': async (job) => {
      const jobs = ports.maintenance.jobs(() => new Date('2026-11-21T12:00:00.000Z'));
      await jobs[job % jobs.length]?.work(new AbortController().signal);
    },
    settle: () => settle(ports),
    'settle open days': () => settle(ports, BEFORE),
    rebuild: () => rebuild(ports, scope),
    'rebuild open days': () => rebuild(ports, scope, BEFORE),
    nothing: async () => {},
  };
  let turn = 0;
  for (let start = 0; start < shuffled.length; turn += 1) {
    const batch = batches[turn % batches.length];
    if (batch === undefined) break;
    const key = newId();
    const part = shuffled.slice(start, start + batch.size);
    if (batch.isRepeated) for (let time = 0; time < 2; time += 1) await addHitsOnce(ports, key, part);
    else await addHits(ports, part);
    await between(turn);
    await work[batch.work](batch.job);
    start += batch.size;
  }
  for (; turn < LAST_TURN; turn += 1) await between(turn);
}

async function showPages(
  ports: StatisticsPorts,
  websiteId = '',
  { pageRules }: { readonly pageRules: readonly string[] },
): Promise<void> {
  if (pageRules.length > 0) await setPageRules(ports, websiteId, pageRules);
}

/** No cleanup is applied or undone after a later batch. */
const LAST_TURN = 7;

function ruleOf(hits: readonly CountedHit[], { picks, match, from, to }: Hiding): NewRule {
  const dayAt = (place: number | undefined) => (place === undefined ? null : (hits[place % hits.length]?.day ?? null));
  // Requests have no lone surrogates, which databases cannot store.
  const filters = filtersOf(hits, { picks, match }).flatMap((set) => storableFilters(set).filters);
  return { match, filters: filters.filter(({ kind }) => kind !== 'goal'), from: dayAt(from), to: dayAt(to) };
}

/** Filters by values that occur, so that some visits are chosen. */
function filtersOf(
  hits: readonly CountedHit[],
  { picks, match }: { readonly picks: readonly Pick[]; readonly match: Match },
): readonly FilterSet[] {
  const visits = visitsOf(hits);
  const filters = picks.map(({ by, values: picked, comparator, isNegated }): Filter => {
    const dimension = DIMENSIONS[by];
    const property = PROPERTIES[by - DIMENSIONS.length];
    if (dimension !== undefined) {
      const values = valuesFor(
        comparator,
        visits.flatMap((visit) => valuesOf(visit, dimension)),
      );
      return { kind: 'dimension', dimension, comparator, isNegated, values: pickOf(values, picked) };
    }
    if (property !== undefined) {
      const known = hits.flatMap(({ props }) => String(props?.[property] ?? ''));
      return {
        kind: 'property',
        property,
        comparator,
        isNegated,
        values: pickOf(valuesFor(comparator, known), picked),
      };
    }
    if (by === BOUNCE)
      return { kind: 'bounce', isNegated, values: picked.map((index) => (index % 2 === 0 ? '1' : '0')) };
    return { kind: 'goal', isNegated, goals: picked.flatMap((index) => GOAL_IDS[index % GOAL_IDS.length] ?? []) };
  });
  return filters.length === 0 ? [] : [{ match, filters }];
}

/** Values that a comparison may have: parts of those that occur, and patterns. */
function valuesFor(comparator: Comparator, known: readonly (string | null)[]): (string | null)[] {
  const texts = known.filter((value) => value !== null && value !== '');
  if (comparator === 'is') return [...texts, null];
  const parts = texts.flatMap((text) => (text === null ? [] : [text, text.slice(0, 1), text.slice(-1).toUpperCase()]));
  if (comparator === 'contains') return [...parts, 'é', '%', '_'];
  return [...parts, ...parts.map((part) => `${part}*`), '*', '/*a*', '\\*', '%', '_', '*\\\\*'];
}

function pickOf(values: readonly (string | null)[], picked: readonly number[]): (string | null)[] {
  return picked.map((index) => values[index % values.length] ?? null);
}

const COUNTED_GOALS: readonly CountedGoal[] = [...GOALS].map(([id, rule]) => ({ id, rule, sum: 'plan' }));
const STEPS: readonly HitRule[] = [{ page: '*' }, { event: 'Signup', props: {} }, { page: '/*' }, { page: '/a*' }];
const CONVERSIONS_BY: readonly ConversionsBy[] = [
  'total',
  'day',
  'hour',
  ...DIMENSIONS,
  { event: 'Signup', property: 'plan' },
];

const EXPLAINED: readonly Counted[] = ['visitors', 'visits', 'pageviews', 'events', ...COUNTED_GOALS.slice(0, 1)];

/** Every read, by name. */
const READS: Record<string, (reads: ReadOptions) => Promise<unknown>> = {
  totals: ({ statistics, whole }) => statistics.totals(whole),
  'totals of a part': ({ statistics, part }) => statistics.totals(part),
  'filtered totals': ({ statistics, filtered }) => statistics.totals(filtered),
  days: ({ statistics, whole }) => statistics.series(whole, 'day'),
  'filtered days': ({ statistics, filtered }) => statistics.series(filtered, 'day'),
  hours: ({ statistics, whole }) => statistics.series(whole, 'hour'),
  'visitors by hour': ({ statistics, whole }) => statistics.visitorsByHour(whole),
  'filtered hours': ({ statistics, filtered }) => statistics.series(filtered, 'hour'),
  overview: ({ statistics, whole }) => statistics.overview(whole, DIMENSIONS, 3),
  'compared overview': ({ statistics, whole, part }) =>
    statistics.overview(whole, DIMENSIONS, 3, { query: part, dimensions: DIMENSIONS, changed: DIMENSIONS }),
  'filtered and compared overview': ({ statistics, filtered, part }) =>
    statistics.overview(filtered, DIMENSIONS, 3, {
      query: { ...filtered, from: part.from, to: part.to },
      dimensions: DIMENSIONS,
      changed: DIMENSIONS,
    }),
  'filtered overview': ({ statistics, filtered }) => statistics.overview(filtered, DIMENSIONS, 3),
  plans: ({ statistics, whole }) => statistics.propertyValues(whole, 'Signup', 'plan', 10),
  'plans of any event': ({ statistics, whole }) => statistics.propertyValues(whole, undefined, 'plan', 10),
  'filtered plans': ({ statistics, filtered }) => statistics.propertyValues(filtered, 'Signup', 'plan', 2),
  'a property with an odd name': ({ statistics, whole }) => statistics.propertyValues(whole, 'é', '__proto__', 10),
  'property names': ({ statistics, filtered }) => statistics.propertyNames(filtered, 'Signup'),
  goals: ({ statistics, whole }) => statistics.goals(whole, COUNTED_GOALS),
  'filtered goals': ({ statistics, filtered }) => statistics.goals(filtered, COUNTED_GOALS),
  funnel: ({ statistics, whole }) => statistics.funnel(whole, { steps: STEPS, isStrict: false }),
  'strict funnel': ({ statistics, whole }) => statistics.funnel(whole, { steps: STEPS, isStrict: true }),
  'filtered funnel': ({ statistics, filtered }) => statistics.funnel(filtered, { steps: STEPS, isStrict: false }),
  ...Object.fromEntries(
    CONVERSIONS_BY.flatMap((by) => [
      [
        `conversions by ${JSON.stringify(by)}`,
        ({ statistics, whole }: ReadOptions) => conversions(statistics, whole, by),
      ],
      [
        `filtered conversions by ${JSON.stringify(by)}`,
        ({ statistics, filtered }: ReadOptions) => conversions(statistics, filtered, by),
      ],
    ]),
  ),
  'current visitors': ({ statistics, whole: { websiteId } }) =>
    statistics.visitorsBetween(websiteId, new Date('2026-11-20T12:30:00.000Z'), new Date('2026-11-21T10:00:00.000Z')),
  live: async ({ statistics, whole: { websiteId } }) => {
    const spans = ['2026-11-20T12:00:00.000Z', '2026-11-20T23:40:00.000Z', '2026-11-21T10:00:00.000Z'];
    const read = spans.map(async (since) => {
      const until = new Date(Date.parse(since) + 30 * 60_000);
      const { minutes, ...live } = await statistics.live(websiteId, new Date(since), until, 5);
      return { ...live, minutes: [...minutes].sort(([one], [other]) => one - other) };
    });
    return Promise.all(read);
  },
  glances: ({ statistics, whole }) => {
    const { websiteId, from, to, until } = whole;
    const cut = { day: to, until: until ?? new Date('2026-11-20T12:30:00.000Z') };
    const since = new Date('2026-11-20T12:30:00.000Z');
    const query = { websiteId, from, to, cut, since, now: new Date('2026-11-21T10:00:00.000Z') };
    return Promise.all([
      statistics.glances([query]),
      statistics.glances([{ ...query, cut: { ...cut, day: '2026-11-20' } }]),
    ]);
  },
  ...Object.fromEntries(
    EXPLAINED.map((counted) => [
      `explained ${typeof counted === 'string' ? counted : 'conversions'}`,
      ({ statistics, part, filtered }: ReadOptions) =>
        explainChange({ statistics }, counted, filtered, { ...filtered, from: part.from, to: part.to }),
    ]),
  ),
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

/** The end of a period that is cut at the time of a hit. */
function untilOf(hits: readonly CountedHit[], { until }: Reading): Partial<StatisticsQuery> {
  const hit = until === undefined ? undefined : hits[until % hits.length];
  return hit === undefined ? {} : { to: hit.day, until: hit.time };
}

async function readSome(
  statistics: StatisticsRepository,
  websiteId: string,
  filters: readonly FilterSet[],
  until: Partial<StatisticsQuery>,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const whole = { websiteId, from: '2026-01-01', to: '2027-12-31', filters: [], ...until };
  const part = { ...whole, from: '2026-10-25', to: '2026-11-30' };
  const options = { statistics, whole, part, filtered: { ...whole, filters, goals: GOALS } };
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

/** Conversions of the first goal, by key. */
async function conversions(statistics: StatisticsRepository, query: StatisticsQuery, by: ConversionsBy) {
  const [goal] = COUNTED_GOALS;
  const rows = goal === undefined ? [] : await statistics.conversions(query, goal, by);
  return rows.map((row) => [JSON.stringify(row.key), row.visitors, row.conversions]).sort();
}
