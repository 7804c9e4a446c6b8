import { addTo, type LiveCounts, minuteOf } from '@hitherto/domain/visits';
import type { DayHits } from './day-hits.ts';
import { shownPages } from './show-pages.ts';
import { GROUP_OF } from './stored-columns.ts';

/** Visits among sorted hits, and those of the hits that count. */
export interface VisitsBetween {
  readonly visits: Uint32Array;
  readonly order: Uint32Array;
  readonly starts: Uint32Array;
  readonly isBetween: (hit: number) => boolean;
}

/** Adds the visitors of visits, of which each has one (`countLive` in the domain). */
export function addLive(
  counts: LiveCounts,
  day: DayHits,
  { visits, order, starts, isBetween }: VisitsBetween,
  pageRules: readonly string[],
): void {
  const shown = shownPages(day.pages, pageRules);
  const pages = new Uint32Array(shown.pages.length);
  const minutes = new Map<number, number>();
  // The last visit with each page, counted from 1.
  const lastOfPage = new Uint32Array(pages.length);
  for (const [index, visit] of visits.entries()) {
    let lastMinute = -1;
    for (let place = starts[visit] ?? 0; place < (starts[visit + 1] ?? 0); place += 1) {
      const hit = order[place] ?? 0;
      if (!isBetween(hit)) continue;
      const minute = minuteOf(day.timeOf(hit));
      // Hits of a visit are in order of time.
      if (minute !== lastMinute) addTo(minutes, minute, 1);
      lastMinute = minute;
      const page = shown.places[day.pageOf(hit)] ?? 0;
      if (day.eventOf(hit) !== 0 || lastOfPage[page] === index + 1) continue;
      lastOfPage[page] = index + 1;
      pages[page] = (pages[page] ?? 0) + 1;
    }
  }
  counts.visitors += visits.length;
  for (const [minute, visitors] of minutes) addTo(counts.minutes, minute, visitors);
  pages.forEach((visitors, page) => {
    addTo(counts.values.page, shown.pages[page] ?? null, visitors);
  });
  for (const dimension of ['source', 'country'] as const) {
    const { values, ofGroup } = day.dimensions[dimension];
    const group = GROUP_OF.get(dimension) ?? 0;
    const visitors = new Uint32Array(values.length);
    for (const visit of visits) {
      const value = ofGroup[day.groupOf(order[starts[visit] ?? 0] ?? 0, group)] ?? 0;
      visitors[value] = (visitors[value] ?? 0) + 1;
    }
    visitors.forEach((ofValue, value) => {
      addTo(counts.values[dimension], values[value] ?? null, ofValue);
    });
  }
}
