import type { TimeZone } from '@hitherto/domain/calendar';
import type { Totals } from '@hitherto/domain/visits';
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
] as const satisfies readonly (keyof Totals)[];
export type TotalsName = (typeof TOTALS)[number];

const VISITORS = 0;
const VISITS = 1;
const PAGEVIEWS = 2;
const EVENTS = 3;
const BOUNCES = 4;
const WITH_PAGEVIEWS = 5;
const DURATION = 6;
const WIDTH = TOTALS.length;

const COLUMNS = ['repeats', 'duration', 'pageviews', 'events'] as const;

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
  return sums;
}

function numbersOf(visits: VisitColumns) {
  return [visits.numbers('pageviews'), visits.numbers('events'), visits.numbers('duration')] as const;
}
