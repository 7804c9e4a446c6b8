import { formatWithOffset, type TimeZone } from '@hitherto/domain/calendar';
import type { Definition } from '@hitherto/domain/definitions';
import type { ValueTotals } from '@hitherto/domain/engine';
import type { ImportedPeriod } from '@hitherto/domain/imports';
import { type Converted, type Point, ratesOf, type ShownGoal, type ShownStep } from '@hitherto/domain/reading';
import { areVisitorsAtMost, knownVisits, type Totals } from '@hitherto/domain/visits';
import { type ListName, valueCell, valueColumns } from '@hitherto/wire';
import type { Asked } from './read-query.ts';

export function metaOf({ period, zone }: Asked) {
  return { from: period.from, to: period.to, time_zone: zone.name };
}

/** Imported days, as the metadata of responses names them. */
export function toPeriods(imported: readonly ImportedPeriod[]) {
  return imported.map(({ from, to, format }) => ({ from, to, format }));
}

/** The field that says so where there are at most as many visitors. */
function toAtMost(totals: Pick<Totals, 'gaps'>) {
  return areVisitorsAtMost(totals) ? { visitors_at_most: true as const } : {};
}

export function toNumbers(totals: Totals, converted: Converted | undefined) {
  const { visitors, pageviews, events } = totals;
  const { bounceRate, visitDuration, viewsPerVisit, engagedSeconds, scrollDepth, engagementRate } = ratesOf(totals);
  return {
    visitors,
    ...toAtMost(totals),
    visits: knownVisits(totals),
    pageviews,
    events,
    bounce_rate: bounceRate,
    visit_duration: visitDuration,
    views_per_visit: viewsPerVisit,
    engaged_seconds: engagedSeconds,
    scroll_depth: scrollDepth,
    measured: totals.engagement?.measured ?? 0,
    engagement_rate: engagementRate,
    ...toConverted(converted),
  };
}

export function toPoint(zone: TimeZone, point: Point, converted: Converted | undefined) {
  const { start, visitors, pageviews, events } = point;
  const text = typeof start === 'string' ? start : formatWithOffset(zone, start);
  const visits = knownVisits(point);
  return { start: text, visitors, ...toAtMost(point), visits, pageviews, events, ...toConverted(converted) };
}

export function toValue(list: ListName, row: ValueTotals, converted: Converted | undefined) {
  return {
    value: row.value,
    ...Object.fromEntries(valueColumns(list).map((column) => [column, valueCell(row, column)])),
    ...toAtMost(row),
    ...toConverted(converted),
  };
}

/** The field that a goal adds to a row. */
function toConverted(converted: Converted | undefined) {
  if (converted === undefined) return {};
  const { visitors, conversions, conversionRate } = converted;
  return { converted: { visitors, conversions, conversion_rate: conversionRate } };
}

/** The numbers of goals, in the order of the goals. */
export function toGoals(goals: readonly Definition<'goal'>[], shown: readonly ShownGoal[]) {
  return shown.map(({ visitors, visits, conversions, conversionRate, sum }, index) => {
    const { id, name } = goals[index] ?? { id: '', name: '' };
    const amount = sum === null ? null : Number(sum);
    return { goal: { id, name }, visitors, visits, conversions, conversion_rate: conversionRate, sum: amount };
  });
}

export function toStep({ name, visits, visitors, ofFirst, ofPrevious }: ShownStep) {
  return { step: name, visits, visitors, of_first: ofFirst, of_previous: ofPrevious };
}
