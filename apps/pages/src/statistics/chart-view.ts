import {
  addDays,
  type Day,
  daysBetween,
  formatWithOffset,
  type Interval,
  type Period,
  type Point,
  type TimeZone,
  type Totals,
} from '@hitherto/domain';
import { figuresOf, formatDay, formatMonth, formatPeriod, formatWeekday, type Metric } from '@hitherto/domain/format';
import { seriesCsvPath, statisticsPath } from './paths.ts';
import { hrefOf, type Selection } from './selection.ts';
import type { ChartView, PointView } from './view.ts';

/** The data of a chart: the series of the period and of the previous one, in the same interval. */
export interface Charted {
  readonly websiteId: string;
  readonly selection: Selection;
  readonly interval: Interval;
  readonly points: readonly Point[];
  readonly before: readonly Point[];
  readonly zone: TimeZone;
  readonly today: Day;
  readonly now: Date;
}

export function makeChart(charted: Charted): ChartView {
  const { websiteId, selection, points } = charted;
  const days = daysBetween(selection.from, selection.to);
  return {
    metric: selection.metric,
    period: formatPeriod(selection.from, selection.to),
    comparison: days === 1 ? 'the day before' : `the ${days} days before`,
    points: points.map((_, index) => makePoint(charted, index)),
    csvHref: hrefOf(seriesCsvPath(websiteId), selection),
  };
}

function makePoint(charted: Charted, index: number): PointView {
  const { selection, points, before } = charted;
  const value = (point: Point | undefined) => point && numberOf(selection.metric, point);
  const tense = tenseOf(charted, index);
  return {
    mark: markOf(charted, index),
    name: nameOf(charted, index),
    value: tense === 'ahead' ? undefined : value(points[index]),
    before: value(before[index]),
    isOpen: tense === 'open',
    href: linkOf(charted, index),
  };
}

function numberOf(metric: Metric, totals: Totals): number | null {
  return figuresOf(totals)[metric];
}

/** Whether a point is over, in progress, or in the future. */
function tenseOf({ points, selection, today, now }: Charted, index: number): 'over' | 'open' | 'ahead' {
  const start = points[index]?.start;
  const next = points[index + 1]?.start;
  if (start instanceof Date) {
    if (start > now) return 'ahead';
    const isLast = next === undefined;
    return (isLast ? selection.to >= today : next > now) ? 'open' : 'over';
  }
  if (start !== undefined && start > today) return 'ahead';
  return selection.to >= today && (next === undefined || next > today) ? 'open' : 'over';
}

function nameOf({ points, interval, zone }: Charted, index: number): string {
  const start = points[index]?.start ?? '';
  if (start instanceof Date) return clockOf(zone, start);
  if (interval === 'week') return `Week of ${formatDay(start)}`;
  return interval === 'month' ? formatMonth(start) : formatWeekday(start);
}

/** The label of the axis below a point: every six hours, otherwise at intervals counted back from the last point. */
function markOf({ points, interval, zone, today }: Charted, index: number): string {
  const start = points[index]?.start ?? '';
  if (start instanceof Date) return index % 6 === 0 ? clockOf(zone, start) : '';
  const fromEnd = points.length - 1 - index;
  if (fromEnd % stepOf(interval, points.length) !== 0) return '';
  if (interval === 'month') return formatMonth(start);
  return start === today && interval === 'day' ? 'today' : formatDay(start);
}

/** The number of points between marks: whole weeks if there are many days. */
function stepOf(interval: Interval, count: number): number {
  if (interval !== 'day') return Math.ceil(count / 5);
  if (count <= 7) return 1;
  return count <= 14 ? 2 : 7 * Math.ceil(count / 35);
}

function linkOf({ websiteId, selection, points, interval }: Charted, index: number): string | undefined {
  const start = points[index]?.start;
  if (start === undefined || start instanceof Date) return undefined;
  const next = points[index + 1]?.start;
  const end = interval === 'day' ? start : typeof next === 'string' ? addDays(next, -1) : selection.to;
  const days: Period = { from: later(start, selection.from), to: end };
  return hrefOf(statisticsPath(websiteId), { ...selection, ...days, period: undefined });
}

function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

function clockOf(zone: TimeZone, time: Date): string {
  return formatWithOffset(zone, time).slice(11, 16);
}
