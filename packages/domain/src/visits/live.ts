import type { Visit } from './visits.ts';

/** The lists of the visitors who are there now. */
export const LIVE_DIMENSIONS = ['page', 'source', 'country'] as const;
export type LiveDimension = (typeof LIVE_DIMENSIONS)[number];

export function isLiveDimension(name: string): name is LiveDimension {
  return LIVE_DIMENSIONS.some((dimension) => dimension === name);
}

const MINUTE_MS = 60 * 1000;

/**
 * The visitors with a hit in a span of time, of which a visitor of two days has two. A span of at most half an hour has one visit of
 * a visitor on a day: the source and the country are of that visit, and the pages those that were viewed in the span.
 */
export interface LiveCounts {
  visitors: number;
  /** By the start of the minute, in milliseconds. */
  readonly minutes: Map<number, number>;
  readonly values: Readonly<Record<LiveDimension, Map<string | null, number>>>;
}

export function noLiveCounts(): LiveCounts {
  return { visitors: 0, minutes: new Map(), values: { page: new Map(), source: new Map(), country: new Map() } };
}

/** Counts the visitors with a hit from `since` until `until`, both included: what adapters are held to. */
export function countLive(visits: readonly Visit[], since: Date, until: Date): LiveCounts {
  const counts = noLiveCounts();
  for (const { first, hits } of visits) {
    const live = hits.filter(({ time }) => since <= time && time <= until);
    if (live.length === 0) continue;
    counts.visitors += 1;
    for (const minute of new Set(live.map(({ time }) => minuteOf(time.getTime())))) addTo(counts.minutes, minute, 1);
    const viewed = live.filter(({ name }) => name === null).map(({ page }) => page);
    for (const page of new Set(viewed)) addTo(counts.values.page, page, 1);
    addTo(counts.values.source, first.source, 1);
    addTo(counts.values.country, first.country, 1);
  }
  return counts;
}

/** The start of the minute of a time, both in milliseconds. */
export function minuteOf(time: number): number {
  return time - (time % MINUTE_MS);
}

/** The starts of the minutes of a span, in milliseconds. */
export function minutesBetween(since: Date, until: Date): readonly number[] {
  const first = minuteOf(since.getTime());
  const count = (minuteOf(until.getTime()) - first) / MINUTE_MS + 1;
  return Array.from({ length: count }, (_, index) => first + index * MINUTE_MS);
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
}
