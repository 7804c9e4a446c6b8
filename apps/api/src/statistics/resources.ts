import { formatWithOffset, type Point, ratesOf, type TimeZone, type Totals, type ValueTotals } from '@hitherto/domain';
import type { CsvCell } from '@hitherto/http';

/** What a list counts beside visitors and visits. Pages and events have no rates. */
export type Counted = 'pages' | 'events' | 'visits';

export function toNumbers(totals: Totals) {
  const { visitors, visits, pageviews, events } = totals;
  const { bounceRate, visitDuration, viewsPerVisit } = ratesOf(totals);
  return {
    visitors,
    visits,
    pageviews,
    events,
    bounce_rate: bounceRate,
    visit_duration: visitDuration,
    views_per_visit: viewsPerVisit,
  };
}

export function toPoint(zone: TimeZone, { start, visitors, visits, pageviews, events }: Point) {
  const text = typeof start === 'string' ? start : formatWithOffset(zone, start);
  return { start: text, visitors, visits, pageviews, events };
}

export function toValue(counted: Counted, row: ValueTotals) {
  const { value, visitors, visits, pageviews, events } = row;
  if (counted === 'events') return { value, visitors, visits, events };
  if (counted === 'pages') return { value, visitors, visits, pageviews };
  const { bounceRate, visitDuration } = ratesOf(row);
  return { value, visitors, visits, pageviews, bounce_rate: bounceRate, visit_duration: visitDuration };
}

const COLUMNS: Record<Counted, readonly string[]> = {
  pages: ['value', 'visitors', 'visits', 'pageviews'],
  events: ['value', 'visitors', 'visits', 'events'],
  visits: ['value', 'visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'],
};

/** The rows of a list with their columns, in the order of their members. */
export function valueTable(counted: Counted, rows: readonly ValueTotals[]) {
  return { columns: COLUMNS[counted], rows: rows.map((row): CsvCell[] => Object.values(toValue(counted, row))) };
}

export function seriesTable(zone: TimeZone, points: readonly Point[]) {
  return {
    columns: ['start', 'visitors', 'visits', 'pageviews', 'events'],
    rows: points.map((point): CsvCell[] => Object.values(toPoint(zone, point))),
  };
}
