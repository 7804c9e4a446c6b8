import { type CountedHit, MEASURE_LIMITS, type Measure } from '../hits/hit.ts';

/** A visit of so many engaged seconds is engaged, whatever else happened in it. */
export const ENGAGED_SECONDS = 10;

/** How measured pageviews were looked at: sums, from which means are computed. Without any, all are 0. */
export interface Engagement {
  /** Measured pageviews, their engaged seconds, and how far they were scrolled, in percent. */
  readonly measured: number;
  readonly seconds: number;
  readonly scroll: number;
  /** Visits with a measured pageview, and those of them that are engaged. */
  readonly measuredVisits: number;
  readonly engagedVisits: number;
}

export const ENGAGEMENT_NUMBERS = [
  'measured',
  'seconds',
  'scroll',
  'measuredVisits',
  'engagedVisits',
] as const satisfies readonly (keyof Engagement)[];

/** The engagement of nothing. */
export const NOT_MEASURED: Engagement = { measured: 0, seconds: 0, scroll: 0, measuredVisits: 0, engagedVisits: 0 };

/** The sums as a field of totals, which have none where all are 0. */
export function engagementOf(numberOf: (name: (typeof ENGAGEMENT_NUMBERS)[number]) => number): {
  readonly engagement?: Engagement;
} {
  const engagement = {
    measured: numberOf('measured'),
    seconds: numberOf('seconds'),
    scroll: numberOf('scroll'),
    measuredVisits: numberOf('measuredVisits'),
    engagedVisits: numberOf('engagedVisits'),
  };
  return ENGAGEMENT_NUMBERS.some((name) => engagement[name] > 0) ? { engagement } : {};
}

/** Whether a visit is engaged: one that has a measured pageview. */
export function isEngaged({
  seconds,
  pageviews,
  events,
}: {
  readonly seconds: number;
  readonly pageviews: number;
  readonly events: number;
}): boolean {
  return seconds >= ENGAGED_SECONDS || pageviews >= 2 || events > 0;
}

/** The greatest of each number. */
export function greatestMeasure(one: Measure, other: Measure): Measure {
  return { seconds: Math.max(one.seconds, other.seconds), scroll: Math.max(one.scroll, other.scroll) };
}

/** The sum of the seconds of increments, as far as they count, and the greatest scroll. */
export function sumOfIncrements(increments: readonly Measure[]): Measure {
  return increments.reduce((one, other) => ({
    ...greatestMeasure(one, other),
    seconds: Math.min(one.seconds + other.seconds, MEASURE_LIMITS.seconds),
  }));
}

/**
 * Finds the pageview of each increment: the last one of its page until then. Without one, it is in no number.
 *
 * @param pageviews of a visitor and day, those without a view, in order
 * @param timeOf the time of a pageview or an increment
 * @param pageOf a value that stands for its page
 * @returns the increments of pageviews that have some
 */
export function incrementsOf<One>(
  pageviews: ArrayLike<One>,
  increments: readonly One[],
  timeOf: (one: One) => number,
  pageOf: (one: One) => unknown,
): ReadonlyMap<One, readonly One[]> {
  const found = new Map<One, One[]>();
  const last = new Map<unknown, One>();
  let next = 0;
  for (const increment of [...increments].sort((a, b) => timeOf(a) - timeOf(b))) {
    for (; next < pageviews.length; next += 1) {
      const pageview = pageviews[next];
      if (pageview === undefined || timeOf(pageview) > timeOf(increment)) break;
      last.set(pageOf(pageview), pageview);
    }
    const pageview = last.get(pageOf(increment));
    if (pageview === undefined) continue;
    const known = found.get(pageview);
    if (known === undefined) found.set(pageview, [increment]);
    else known.push(increment);
  }
  return found;
}

/** A measure as a number, for columns: 0 stands for none. Numbers of the greatest measures cannot be compared. */
export function measureCode({ seconds, scroll }: Measure): number {
  return 1 + seconds * MEASURE_CODES + scroll;
}

/** How many codes a second has: one for each percent. */
export const MEASURE_CODES = 101;

export function measureOfCode(code: number): Measure {
  return { seconds: Math.floor((code - 1) / MEASURE_CODES), scroll: (code - 1) % MEASURE_CODES };
}

/** A hit of a visit. A pageview with a `measure` is measured. */
export interface VisitHit extends CountedHit {
  /** The increments that this measure is the sum of. */
  readonly increments?: readonly CountedHit[];
}

/**
 * Puts the measures of a visitor's day where they belong: totals to the first pageview with their view, increments to the last one of
 * their page until then ({@link incrementsOf}). Without one, they are in no number.
 *
 * @param hits in order, without measures
 */
export function measuredHits(hits: readonly CountedHit[], measures: readonly CountedHit[]): readonly VisitHit[] {
  if (measures.length === 0) return hits;
  const byView = new Map<number, Measure>();
  for (const { view, measure } of measures) {
    if (view === undefined || measure === undefined) continue;
    byView.set(view, greatestMeasure(measure, byView.get(view) ?? measure));
  }
  const byPageview = incrementsOf(
    hits.filter(({ view, name }) => view === undefined && name === null),
    measures.filter(({ view }) => view === undefined),
    ({ time }) => time.getTime(),
    ({ page }) => page,
  );
  return hits.map((hit) => {
    const increments = byPageview.get(hit);
    if (increments !== undefined) {
      return { ...hit, measure: sumOfIncrements(increments.flatMap(({ measure }) => measure ?? [])), increments };
    }
    const measure = hit.view === undefined || hit.name !== null ? undefined : byView.get(hit.view);
    if (hit.view === undefined || measure === undefined) return hit;
    byView.delete(hit.view);
    return { ...hit, measure };
  });
}

/** Means of fewer measured pageviews say too much of single visitors. */
const MIN_SHOWN = 5;

/** Totals for guests, who see no mean of a few pageviews. */
export function withoutFewMeasured<Row extends { readonly engagement?: Engagement }>(totals: Row): Row {
  const { engagement } = totals;
  return engagement === undefined || engagement.measured >= MIN_SHOWN
    ? totals
    : { ...totals, engagement: NOT_MEASURED };
}
