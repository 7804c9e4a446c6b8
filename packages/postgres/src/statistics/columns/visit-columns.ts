import type { Day } from '@hitherto/domain/calendar';
import type { FirstHitDimension } from '@hitherto/domain/hits';
import { compileRule, type HitRule, isOfMeasures, measureOfCode, reaches } from '@hitherto/domain/visits';
import type { CodedStrings } from './format.ts';

/** Numbers of each visit; `repeats` is 1 if the visit before is of the same visitor, `duration` in milliseconds. */
type VisitNumber = 'repeats' | 'duration' | 'pageviews' | 'events';
/** Numbers of each hit: its minute, counted from the first one, and its code. */
type HitNumber = 'minutes' | 'hits';
/** The distinct pages of pageviews, and the distinct names and properties of events. */
type HitValues = 'page_values' | 'event_values';
/** How pageviews were looked at. */
type Measures = 'measures';

/** What is known of visits, each by columns. */
export type ColumnName = VisitNumber | HitNumber | HitValues | Measures | FirstHitDimension;

/** The columns from which the hits of each visit are known. */
export const COLUMNS_OF_HITS = ['pageviews', 'events', 'hits', 'page_values', 'event_values'] as const;

/** The columns that {@link fulfillingHits} reads. */
export function columnsOfRule(rule: HitRule): readonly ColumnName[] {
  return isOfMeasures(rule) ? [...COLUMNS_OF_HITS, 'measures'] : COLUMNS_OF_HITS;
}

/** A distinct event. */
export type EventValue = readonly [name: string, props: Readonly<Record<string, string>> | null];

/**
 * Visits of a day by columns: sorted by visitor and time, and the hits of each visit in order. Columns that were not read
 * must not be asked for.
 */
export interface VisitColumns {
  readonly day: Day;
  readonly visits: number;
  /** The minute of the first hit, since 1970. */
  readonly firstMinute: number;
  numbers(name: VisitNumber | HitNumber): Uint32Array;
  strings(name: FirstHitDimension): CodedStrings;
  /** A number for the visitor of each visit, from 1 and never falling. */
  visitors(): Uint32Array;
  /** The place of the first hit of each visit among all hits, and at last the number of hits. */
  starts(): Uint32Array;
  /** Of each hit the code of its measure, or 0 (`measureCode` in the domain); nothing if no pageview is measured. */
  measures(): Uint32Array | undefined;
  /** The distinct pages. The first is `null`, no page; the code of a pageview is twice the place of its page. */
  pages(): readonly (string | null)[];
  /** The distinct events. The code of an event is twice its place, and one more. */
  events(): readonly EventValue[];
  /** With the pages that are stored, if these have others. */
  readonly stored?: VisitColumns;
}

// The codes of hits, as `pages` and `events` of VisitColumns define them.

export const codeOfPage = (place: number): number => 2 * place;
export const codeOfEvent = (place: number): number => 2 * place + 1;
export const isPageview = (code: number): boolean => (code & 1) === 0;
export const placeOf = (code: number): number => code >>> 1;

/** Makes a value when it is first asked for. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The value of a key, made when it is first asked for. */
export function remembered<Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** A number for the visitor of each visit, from 1. */
export function numbersOfVisitors(repeats: Uint32Array): Uint32Array {
  const visitors = new Uint32Array(repeats.length);
  let visitor = 0;
  for (let visit = 0; visit < visitors.length; visit += 1) {
    visitor += 1 - (repeats[visit] ?? 0);
    visitors[visit] = visitor;
  }
  return visitors;
}

/** The place of the first hit of each visit, and at last the number of hits. */
export function startsOf(pageviews: Uint32Array, events: Uint32Array): Uint32Array {
  const starts = new Uint32Array(pageviews.length + 1);
  let hits = 0;
  for (let visit = 0; visit < pageviews.length; visit += 1) {
    hits += (pageviews[visit] ?? 0) + (events[visit] ?? 0);
    starts[visit + 1] = hits;
  }
  return starts;
}

/** Something for each code of a hit. */
export function byCode(
  visits: VisitColumns,
  ofPage: ((page: string, place: number) => number) | undefined,
  ofEvent: ((event: EventValue) => number) | undefined,
): Uint32Array {
  const [pages, events] = [visits.pages(), visits.events()];
  const table = new Uint32Array(2 * Math.max(pages.length, events.length));
  if (ofPage !== undefined) {
    pages.forEach((page, place) => {
      if (page !== null) table[codeOfPage(place)] = ofPage(page, place);
    });
  }
  if (ofEvent !== undefined) {
    events.forEach((event, place) => {
      table[codeOfEvent(place)] = ofEvent(event);
    });
  }
  return table;
}

/** 1 for each code of a hit that fulfils the rule, but perhaps not its bounds of measures, else 0. */
export function fulfilling(visits: VisitColumns, rule: HitRule): Uint32Array {
  const isFulfilled = compileRule('page' in rule ? { page: rule.page } : rule);
  return 'page' in rule
    ? byCode(visits, (page) => Number(isFulfilled({ page, name: null, props: null })), undefined)
    : byCode(visits, undefined, ([name, props]) => Number(isFulfilled({ page: '', name, props })));
}

/** Tells of each hit whether it fulfils the rule: 1 or 0. */
export function fulfillingHits(visits: VisitColumns, rule: HitRule): (hit: number) => number {
  const [hits, table] = [visits.numbers('hits'), fulfilling(visits, rule)];
  if (!('page' in rule && isOfMeasures(rule))) return (hit) => table[hits[hit] ?? 0] ?? 0;
  const measures = visits.measures();
  return (hit) => {
    const code = measures?.[hit] ?? 0;
    return code > 0 && table[hits[hit] ?? 0] === 1 && reaches(measureOfCode(code), rule) ? 1 : 0;
  };
}

/** The place of the first or the last page of each visit among the pages; 0 without a pageview. */
export function endPages(visits: VisitColumns, end: 'first' | 'last'): Uint32Array {
  const [hits, starts] = [visits.numbers('hits'), visits.starts()];
  const places = new Uint32Array(visits.visits);
  for (let visit = 0; visit < places.length; visit += 1) {
    const [from, to] = [starts[visit] ?? 0, starts[visit + 1] ?? 0];
    places[visit] = end === 'first' ? firstPage(hits, from, to) : lastPage(hits, from, to);
  }
  return places;
}

function firstPage(hits: Uint32Array, from: number, to: number): number {
  for (let hit = from; hit < to; hit += 1) {
    const code = hits[hit] ?? 0;
    if (isPageview(code)) return placeOf(code);
  }
  return 0;
}

function lastPage(hits: Uint32Array, from: number, to: number): number {
  for (let hit = to - 1; hit >= from; hit -= 1) {
    const code = hits[hit] ?? 0;
    if (isPageview(code)) return placeOf(code);
  }
  return 0;
}
