import { formatWithOffset, type Point, ratesOf, type TimeZone, type Totals, type ValueTotals } from '@hitherto/domain';
import { type ListName, valueCell, valueColumns } from '@hitherto/http';

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

export function toValue(list: ListName, row: ValueTotals) {
  return {
    value: row.value,
    ...Object.fromEntries(valueColumns(list).map((column) => [column, valueCell(row, column)])),
  };
}
