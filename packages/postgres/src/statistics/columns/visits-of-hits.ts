import {
  compareHits,
  greatestMeasure,
  incrementsOf,
  measureCode,
  measureOfCode,
  sumOfIncrements,
  VISIT_GAP_MS,
} from '@hitherto/domain/visits';
import type { DayHits } from './day-hits.ts';
import type { CodedStrings } from './format.ts';
import { GROUPS } from './groups.ts';
import { larger } from './larger.ts';
import { GROUP_OF } from './stored-columns.ts';
import { codeOfEvent, codeOfPage, numbersOfVisitors, once, remembered, type VisitColumns } from './visit-columns.ts';

/** Which hits of a day make visits; all by default. */
export interface HitsToVisit {
  /** The places of their visitors. */
  readonly visitors?: ArrayLike<number>;
  /** Only this many hits: the first ones that were added. */
  readonly hits?: number;
  /** Only hits before this time, in milliseconds. */
  readonly until?: number;
}

/**
 * Finds the visits of hits (`visitsOf` in the domain). Their visitors come in any order, and with all their visits next to each
 * other.
 */
export function visitsOfHits(day: DayHits, { visitors, hits, until }: HitsToVisit = {}): VisitColumns {
  const found = findVisits(day, sortedHits(day, visitors, hits, until));
  const { order, starts, repeats, durations, pageviews } = found;
  const visits = starts.length - 1;
  const firstMinute = found.firstMinute;
  const numbers = new Map<string, Uint32Array>();
  const groups = new Map<number, Uint32Array>();
  return {
    day: day.day,
    visits,
    firstMinute,
    numbers(name) {
      switch (name) {
        case 'repeats':
          return repeats;
        case 'duration':
          return durations;
        case 'pageviews':
          return pageviews;
        case 'events':
          return remembered(numbers, name, () =>
            pageviews.map((ofVisit, visit) => (starts[visit + 1] ?? 0) - (starts[visit] ?? 0) - ofVisit),
          );
        case 'minutes':
          return remembered(numbers, name, () =>
            order.map((hit) => Math.floor(day.timeOf(hit) / MINUTE_MS) - firstMinute),
          );
        case 'hits':
          return remembered(numbers, name, () =>
            order.map((hit) => {
              const event = day.eventOf(hit);
              return event === 0 ? codeOfPage(day.pageOf(hit)) : codeOfEvent(event - 1);
            }),
          );
      }
    },
    strings(dimension): CodedStrings {
      const { values, ofGroup } = day.dimensions[dimension];
      const group = GROUP_OF.get(dimension) ?? 0;
      const codesOfGroup = remembered(groups, group, () =>
        starts.subarray(0, visits).map((start) => day.groupOf(order[start] ?? 0, group)),
      );
      return { values, codes: codesOfGroup.map((code) => ofGroup[code] ?? 0) };
    },
    visitors: once(() => numbersOfVisitors(repeats)),
    starts: () => starts,
    measures: once(() => {
      // Measures find their pageviews among all hits.
      const all = until === undefined ? order : sortedHits(day, visitors, hits);
      const { measures } = measuresOfHits(day, all, hits);
      return until === undefined ? measures : measures?.filter((_, place) => day.timeOf(all[place] ?? 0) < until);
    }),
    pages: () => day.pages,
    events: () => day.events,
  };
}

const MINUTE_MS = 60_000;

/** So many hits of a visitor are sorted by insertion: nearly all come in their order. */
const FEW = 32;

/** The hits, those of a visitor next to each other and in order, without measures. */
export function sortedHits(
  day: DayHits,
  visitors: ArrayLike<number> | undefined,
  hits = day.size(),
  until = Number.POSITIVE_INFINITY,
): Uint32Array<ArrayBuffer> {
  const compare = compareIn(day);
  const count = visitors?.length ?? day.visitors.size();
  let order = new Uint32Array(visitors === undefined ? hits : 64);
  let size = 0;
  for (let place = 0; place < count; place += 1) {
    const from = size;
    for (let next = day.lastOf(visitors?.[place] ?? place); next > 0; next = day.hitBefore(next - 1)) {
      const hit = next - 1;
      if (hit >= hits || day.timeOf(hit) >= until || day.measureOf(hit) > 0) continue;
      if (size === order.length) order = larger(order);
      order[size] = hit;
      size += 1;
    }
    sort(order.subarray(from, size), compare);
  }
  return order.slice(0, size);
}

type Compare = (a: number, b: number) => number;

/** Sorts hits that are mostly in the opposite order. */
function sort(hits: Uint32Array, compare: Compare): void {
  if (hits.length < 2) return;
  hits.reverse();
  if (hits.length > FEW) {
    if (isSorted(hits, compare)) return;
    hits.set(Array.from(hits).sort(compare));
    return;
  }
  for (let next = 1; next < hits.length; next += 1) {
    const hit = hits[next] ?? 0;
    let at = next;
    for (; at > 0 && compare(hits[at - 1] ?? 0, hit) > 0; at -= 1) hits[at] = hits[at - 1] ?? 0;
    hits[at] = hit;
  }
}

function isSorted(hits: Uint32Array, compare: Compare): boolean {
  for (let next = 1; next < hits.length; next += 1) {
    if (compare(hits[next - 1] ?? 0, hits[next] ?? 0) > 0) return false;
  }
  return true;
}

/** Compares hits by their places (`compareHits` in the domain). */
function compareIn(day: DayHits): Compare {
  return (a, b) => day.timeOf(a) - day.timeOf(b) || (areAlike(day, a, b) ? 0 : compareHits(day.hitOf(a), day.hitOf(b)));
}

function areAlike(day: DayHits, a: number, b: number): boolean {
  return (
    day.pageOf(a) === day.pageOf(b) &&
    day.eventOf(a) === day.eventOf(b) &&
    GROUPS.every((_, group) => day.groupOf(a, group) === day.groupOf(b, group))
  );
}

interface FoundVisits {
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
  readonly repeats: Uint32Array;
  readonly durations: Uint32Array;
  readonly pageviews: Uint32Array;
  readonly firstMinute: number;
}

/** Splits sorted hits where a visitor ends, and at gaps. */
export function findVisits(day: DayHits, order: Uint32Array): FoundVisits {
  const starts = new Uint32Array(order.length + 1);
  const repeats = new Uint32Array(order.length);
  const durations = new Uint32Array(order.length);
  const pageviews = new Uint32Array(order.length);
  let visit = -1;
  let [visitor, started, last] = [-1, 0, 0];
  let first = Number.POSITIVE_INFINITY;
  for (let place = 0; place < order.length; place += 1) {
    const hit = order[place] ?? 0;
    const [ofHit, time] = [day.visitorOf(hit), day.timeOf(hit)];
    if (ofHit !== visitor || time - last > VISIT_GAP_MS) {
      visit += 1;
      starts[visit] = place;
      repeats[visit] = ofHit === visitor ? 1 : 0;
      [visitor, started] = [ofHit, time];
      first = Math.min(first, time);
    }
    durations[visit] = time - started;
    if (day.eventOf(hit) === 0) pageviews[visit] = (pageviews[visit] ?? 0) + 1;
    last = time;
  }
  const visits = visit + 1;
  starts[visits] = order.length;
  return {
    order,
    starts: starts.slice(0, visits + 1),
    repeats: repeats.slice(0, visits),
    durations: durations.slice(0, visits),
    pageviews: pageviews.slice(0, visits),
    firstMinute: visits === 0 ? 0 : Math.floor(first / MINUTE_MS),
  };
}

/** Of hits in order, the code of each one's measure. */
export interface MeasuresOfHits {
  /** Nothing if no pageview is measured. */
  readonly measures: Uint32Array | undefined;
  /** By the places of their visitors: the measures that have no pageview among these hits, and all increments. */
  readonly left: ReadonlyMap<number, MeasuresOfVisitor>;
}

/** The codes of the greatest totals by view, and the places of increments. */
export interface MeasuresOfVisitor {
  readonly byView: ReadonlyMap<number, number>;
  readonly increments: readonly number[];
}

/**
 * Puts measures where they belong (`measuredHits` in the domain).
 *
 * @param order hits, those of a visitor next to each other and in order
 * @param hits only this many count: the first ones that were added
 */
export function measuresOfHits(day: DayHits, order: Uint32Array, hits = day.size()): MeasuresOfHits {
  const left = new Map<number, MeasuresOfVisitor>();
  if (!day.hasMeasures()) return { measures: undefined, left };
  const measures = new Uint32Array(order.length);
  for (let from = 0, end = 0; from < order.length; from = end) {
    const visitor = day.visitorOf(order[from] ?? 0);
    while (end < order.length && day.visitorOf(order[end] ?? 0) === visitor) end += 1;
    const { byView, increments } = measuresOfVisitor(day, visitor, hits);
    const isViewless = (hit: number) => day.eventOf(hit) === 0 && day.viewOf(hit) === 0;
    const viewless = increments.length === 0 ? [] : order.subarray(from, end).filter(isViewless);
    const byPageview = incrementsOf(viewless, increments, day.timeOf, day.pageOf);
    for (let place = from; place < end; place += 1) {
      const hit = order[place] ?? 0;
      if (day.eventOf(hit) > 0) continue;
      const added = byPageview.get(hit)?.map((increment) => measureOfCode(day.measureOf(increment)));
      const view = day.viewOf(hit);
      measures[place] = added === undefined ? (byView.get(view) ?? 0) : measureCode(sumOfIncrements(added));
      byView.delete(view);
    }
    if (byView.size > 0 || increments.length > 0) left.set(visitor, { byView, increments });
  }
  return { measures, left };
}

/** The measures of a visitor among the first hits that were added, as {@link MeasuresOfVisitor}. */
export function measuresOfVisitor(day: DayHits, visitor: number, hits = day.size()) {
  const byView = new Map<number, number>();
  const increments: number[] = [];
  for (let next = day.lastOf(visitor); next > 0; next = day.hitBefore(next - 1)) {
    const code = day.measureOf(next - 1);
    if (code === 0 || next > hits) continue;
    const view = day.viewOf(next - 1);
    if (view === 0) increments.push(next - 1);
    else {
      const known = byView.get(view);
      const greatest =
        known === undefined ? code : measureCode(greatestMeasure(measureOfCode(known), measureOfCode(code)));
      byView.set(view, greatest);
    }
  }
  return { byView, increments };
}
