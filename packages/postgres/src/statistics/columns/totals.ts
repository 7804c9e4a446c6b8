import type { TimeZone } from '@hitherto/domain/calendar';
import { ENGAGEMENT_NUMBERS, engagementOf, isEngaged, MEASURE_CODES, type Totals } from '@hitherto/domain/visits';
import { add, type Chosen, type Counter, createTally, type Tallied } from './counter.ts';
import { type Grouping, type Groups, hoursOfHits } from './grouping.ts';
import { COLUMNS_OF_HITS, isPageview, type VisitColumns } from './visit-columns.ts';

/** The numbers of a group. */
export const TOTALS = [
  'visitors',
  'visits',
  'pageviews',
  'events',
  'bounces',
  'visitsWithPageviews',
  'duration',
  ...ENGAGEMENT_NUMBERS,
] as const;
export type TotalsName = (typeof TOTALS)[number];

/** Numbers as totals. */
export function totalsOfNumbers(numbers: Readonly<Record<TotalsName, number>>): Totals {
  const { visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration } = numbers;
  const engagement = engagementOf((name) => numbers[name]);
  return { visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration, ...engagement };
}

/** The number of totals. */
export function numberOfTotals(totals: Totals, name: TotalsName): number {
  const engaged = ENGAGEMENT_NUMBERS.find((known) => known === name);
  if (engaged !== undefined) return totals.engagement?.[engaged] ?? 0;
  return totals[name as Exclude<TotalsName, (typeof ENGAGEMENT_NUMBERS)[number]>];
}

const VISITORS = 0;
const VISITS = 1;
const PAGEVIEWS = 2;
const EVENTS = 3;
const BOUNCES = 4;
const WITH_PAGEVIEWS = 5;
const DURATION = 6;
const MEASURED = 7;
const SECONDS = 8;
const SCROLL = 9;
const MEASURED_VISITS = 10;
const ENGAGED_VISITS = 11;
const WIDTH = TOTALS.length;

const COLUMNS = ['repeats', 'duration', 'pageviews', 'events', 'measures'] as const;

/** Counts chosen visits by group. The groups of hits have their own pageviews and events, and everything else from their visits. */
export function countTotals<Key>({ columns, groupsOf }: Grouping<Key>): Counter<Tallied<Key, TotalsName>> {
  const tally = createTally<Key, TotalsName>(TOTALS);
  return {
    columns: [...COLUMNS, ...columns],
    add(visits, chosen, sign) {
      const groups = groupsOf(visits);
      tally.add(groups.keys, (groups.per === 'visit' ? ofVisits : ofHits)(visits, chosen, groups), sign);
    },
    include: tally.include,
    result: tally.result,
  };
}

/**
 * Counts chosen visits by hour, by its start in seconds as in summaries: visitors, pageviews and events in the hours of their hits, and
 * everything else in the hour in which the visit begins.
 */
export function countHours(zone: TimeZone): Counter<Tallied<string | null, TotalsName>> {
  const tally = createTally<string | null, TotalsName>(TOTALS);
  return {
    columns: [...COLUMNS, ...COLUMNS_OF_HITS, 'minutes'],
    add(visits, chosen, sign) {
      const { keys, codes } = hoursOfHits(visits, zone);
      tally.add(keys, ofHours(visits, chosen, keys.length, codes), sign);
    },
    include: tally.include,
    result: tally.result,
  };
}

/** Adds a visit to its group, without its hits and its visitor. */
function addVisit(sums: Float64Array, group: number, pageviews: number, events: number, duration: number): void {
  add(sums, group + VISITS, 1);
  add(sums, group + DURATION, duration);
  if (pageviews > 0) add(sums, group + WITH_PAGEVIEWS, 1);
  if (pageviews === 1 && events === 0) add(sums, group + BOUNCES, 1);
}

function ofVisits<Key>(visits: VisitColumns, chosen: Chosen, { keys, codes }: Groups<Key>): Float64Array {
  const [pageviews, events, durations] = numbersOf(visits);
  const visitors = visits.visitors();
  const sums = new Float64Array(keys.length * WIDTH);
  const lastVisitors = new Uint32Array(keys.length);
  for (const visit of chosen) {
    const code = codes[visit] ?? 0;
    const group = code * WIDTH;
    addVisit(sums, group, pageviews[visit] ?? 0, events[visit] ?? 0, durations[visit] ?? 0);
    add(sums, group + PAGEVIEWS, pageviews[visit] ?? 0);
    add(sums, group + EVENTS, events[visit] ?? 0);
    const visitor = visitors[visit] ?? 0;
    if (lastVisitors[code] !== visitor) add(sums, group + VISITORS, 1);
    lastVisitors[code] = visitor;
  }
  const measured = measuresOf(visits);
  if (measured === undefined) return sums;
  for (const visit of chosen) {
    const group = (codes[visit] ?? 0) * WIDTH;
    const ofVisit = measured.ofVisit(visit);
    add(sums, group + MEASURED, ofVisit.measured);
    add(sums, group + SECONDS, ofVisit.seconds);
    add(sums, group + SCROLL, ofVisit.scroll);
    addMeasured(sums, group, ofVisit);
  }
  return sums;
}

function ofHits<Key>(visits: VisitColumns, chosen: Chosen, { keys, codes }: Groups<Key>): Float64Array {
  const [pageviews, events, durations] = numbersOf(visits);
  const [hits, starts, visitors] = [visits.numbers('hits'), visits.starts(), visits.visitors()];
  const sums = new Float64Array(keys.length * WIDTH);
  // The last visit (from 1) and visitor that counted in each group.
  const lastVisits = new Uint32Array(keys.length);
  const lastVisitors = new Uint32Array(keys.length);
  for (const visit of chosen) {
    const end = starts[visit + 1] ?? 0;
    for (let hit = starts[visit] ?? 0; hit < end; hit += 1) {
      const hitCode = hits[hit] ?? 0;
      const code = codes[hitCode] ?? 0;
      if (code === 0) continue;
      const group = code * WIDTH;
      add(sums, group + (isPageview(hitCode) ? PAGEVIEWS : EVENTS), 1);
      if (lastVisits[code] === visit + 1) continue;
      lastVisits[code] = visit + 1;
      addVisit(sums, group, pageviews[visit] ?? 0, events[visit] ?? 0, durations[visit] ?? 0);
      const visitor = visitors[visit] ?? 0;
      if (lastVisitors[code] !== visitor) add(sums, group + VISITORS, 1);
      lastVisitors[code] = visitor;
    }
  }
  const measured = measuresOf(visits);
  if (measured === undefined) return sums;
  const lastMeasured = new Uint32Array(keys.length);
  for (const visit of chosen) {
    const ofVisit = measured.ofVisit(visit);
    if (ofVisit.measured === 0) continue;
    const end = starts[visit + 1] ?? 0;
    for (let hit = starts[visit] ?? 0; hit < end; hit += 1) {
      const code = codes[hits[hit] ?? 0] ?? 0;
      if (code === 0) continue;
      if (isPageview(hits[hit] ?? 0)) measured.addHit(sums, code * WIDTH, hit);
      if (lastMeasured[code] !== visit + 1) addMeasured(sums, code * WIDTH, ofVisit);
      lastMeasured[code] = visit + 1;
    }
  }
  return sums;
}

/** @param hourOfHit the place of each hit's hour */
function ofHours(visits: VisitColumns, chosen: Chosen, hours: number, hourOfHit: Uint32Array): Float64Array {
  const [pageviews, events, durations] = numbersOf(visits);
  const [hits, starts, visitors] = [visits.numbers('hits'), visits.starts(), visits.visitors()];
  const sums = new Float64Array(hours * WIDTH);
  const lastVisitors = new Uint32Array(hours);
  for (const visit of chosen) {
    const start = starts[visit] ?? 0;
    const end = starts[visit + 1] ?? 0;
    const first = (hourOfHit[start] ?? 0) * WIDTH;
    addVisit(sums, first, pageviews[visit] ?? 0, events[visit] ?? 0, durations[visit] ?? 0);
    const visitor = visitors[visit] ?? 0;
    for (let hit = start; hit < end; hit += 1) {
      const hour = hourOfHit[hit] ?? 0;
      add(sums, hour * WIDTH + (isPageview(hits[hit] ?? 0) ? PAGEVIEWS : EVENTS), 1);
      if (lastVisitors[hour] !== visitor) add(sums, hour * WIDTH + VISITORS, 1);
      lastVisitors[hour] = visitor;
    }
  }
  const measured = measuresOf(visits);
  if (measured === undefined) return sums;
  for (const visit of chosen) {
    const [start, end] = [starts[visit] ?? 0, starts[visit + 1] ?? 0];
    addMeasured(sums, (hourOfHit[start] ?? 0) * WIDTH, measured.ofVisit(visit));
    for (let hit = start; hit < end; hit += 1) measured.addHit(sums, (hourOfHit[hit] ?? 0) * WIDTH, hit);
  }
  return sums;
}

/** The measured pageviews of a visit. */
interface MeasuredVisit {
  readonly measured: number;
  readonly seconds: number;
  readonly scroll: number;
  readonly isEngaged: boolean;
}

/** Reads the measures of visits, if there are any. */
function measuresOf(visits: VisitColumns) {
  const measures = visits.measures();
  if (measures === undefined) return undefined;
  const [pageviews, events, starts] = [visits.numbers('pageviews'), visits.numbers('events'), visits.starts()];
  return {
    ofVisit(visit: number): MeasuredVisit {
      let [measured, seconds, scroll] = [0, 0, 0];
      const end = starts[visit + 1] ?? 0;
      for (let hit = starts[visit] ?? 0; hit < end; hit += 1) {
        const code = measures[hit] ?? 0;
        if (code === 0) continue;
        measured += 1;
        seconds += Math.floor((code - 1) / MEASURE_CODES);
        scroll += (code - 1) % MEASURE_CODES;
      }
      const engaged = isEngaged({ seconds, pageviews: pageviews[visit] ?? 0, events: events[visit] ?? 0 });
      return { measured, seconds, scroll, isEngaged: engaged };
    },

    addHit(sums: Float64Array, group: number, hit: number): void {
      const code = measures[hit] ?? 0;
      if (code === 0) return;
      add(sums, group + MEASURED, 1);
      add(sums, group + SECONDS, Math.floor((code - 1) / MEASURE_CODES));
      add(sums, group + SCROLL, (code - 1) % MEASURE_CODES);
    },
  };
}

function addMeasured(sums: Float64Array, group: number, { measured, isEngaged: engaged }: MeasuredVisit): void {
  if (measured === 0) return;
  add(sums, group + MEASURED_VISITS, 1);
  if (engaged) add(sums, group + ENGAGED_VISITS, 1);
}

function numbersOf(visits: VisitColumns) {
  return [visits.numbers('pageviews'), visits.numbers('events'), visits.numbers('duration')] as const;
}
