import type { Annotation } from '@hitherto/domain/annotations';
import {
  addDays,
  addMonths,
  type Day,
  daysBetween,
  formatWithOffset,
  type Interval,
  type Period,
  type TimeZone,
} from '@hitherto/domain/calendar';
import { figuresOf, isDuration, type Metric } from '@hitherto/domain/format';
import type { Point } from '@hitherto/domain/reading';
import type { Totals } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { scaleLinear } from 'd3-scale';
import { seriesCsvPath } from '../shared/paths.ts';
import { type ComparedWith, hrefOf, type Selection, withoutLook } from './selection.ts';

/** A line of one number over the period, and over the days before. */
export interface ChartView {
  readonly metric: Metric;
  /** The days of the line, such as `25 Oct to 21 Nov`. */
  readonly period: string;
  /** The days of the dashed line, such as `the 28 days before`; `undefined` where the number was zero then. */
  readonly comparison: string | undefined;
  readonly points: readonly PointView[];
  readonly csvHref: string;
}

/** A day, an hour, a week or a month of the chart. */
export interface PointView {
  /** As the axis marks it: `11 Nov`; empty for most. */
  readonly mark: string;
  /** In full: `Wed 11 Nov`. */
  readonly name: string;
  /** `null` where there is nothing to take a mean of; `undefined` where it lies ahead. */
  readonly value: number | null | undefined;
  /** Of the whole interval, also where it still goes on. */
  readonly before: number | null | undefined;
  /** Whose value `before` is, in full: `Wed 14 Oct`. */
  readonly nameBefore: string;
  /** The notes about its days; with several days, each begins with its own. */
  readonly annotations: readonly string[];
  /** It still goes on. */
  readonly isOpen: boolean;
  /** A Saturday or a Sunday. */
  readonly isWeekend: boolean;
  /** The page of this day alone. */
  readonly href: string | undefined;
}

/** The data of a chart: the series of the period and of the previous one, in the same interval. */
export interface Charted {
  readonly locale: Locale;
  /** Of the statistics page. */
  readonly path: string;
  readonly selection: Selection;
  readonly interval: Interval;
  readonly points: readonly Point[];
  readonly before: readonly Point[];
  /** Of the days of the period, by day. */
  readonly annotations: readonly Annotation[];
  readonly zone: TimeZone;
  readonly today: Day;
  readonly now: Date;
}

/** The chart of a period. It leaves out the days before `firstDay`, the first day with a hit, and before the first annotation. */
export function makeChart(whole: Charted, firstDay: Day | undefined): ChartView {
  const [annotation] = whole.annotations;
  const isEarlier = firstDay !== undefined && annotation !== undefined && annotation.day < firstDay;
  const charted = since(isEarlier ? annotation.day : firstDay, whole);
  const { locale, path, selection, points, today } = charted;
  const { chart } = locale.words;
  const start = points[0]?.start;
  const from = typeof start === 'string' ? later(start, selection.from) : selection.from;
  const days = daysBetween(selection.from, selection.to);
  const isCompared = charted.before.some((point) => numberOf(selection.metric, point));
  return {
    metric: selection.metric,
    period: locale.format.periodSeenOn(today, from, selection.to),
    comparison: isCompared ? nameOfBefore(chart, selection.compare, days) : undefined,
    points: points.map((_, index) => makePoint(charted, index, isCompared)),
    csvHref: hrefOf(seriesCsvPath(path), withoutLook(selection)),
  };
}

function nameOfBefore(
  { yearBefore, dayBefore, daysBefore }: Locale['words']['chart'],
  compare: ComparedWith,
  days: number,
) {
  if (compare === 'year') return yearBefore;
  return days === 1 ? dayBefore : daysBefore(days);
}

/** The points from this day on, but at least two, so that a line can be drawn. All points if the period ends before this day. */
function since(day: Day | undefined, charted: Charted): Charted {
  const { selection, points, before } = charted;
  if (day === undefined || day > selection.to) return charted;
  const first = points.findLastIndex(({ start }) => typeof start === 'string' && start <= day);
  const left = Math.min(first, points.length - 2);
  return left > 0 ? { ...charted, points: points.slice(left), before: before.slice(left) } : charted;
}

function makePoint(charted: Charted, index: number, isCompared: boolean): PointView {
  const { selection, points } = charted;
  const value = (point: Point | undefined) => point && numberOf(selection.metric, point);
  const tense = tenseOf(charted, index);
  const before = isCompared ? comparedWith(charted, index) : undefined;
  return {
    mark: markOf(charted, index),
    name: nameOf(charted, points[index]),
    value: tense === 'ahead' ? undefined : value(points[index]),
    before: value(before),
    nameBefore: nameOf(charted, before),
    annotations: annotationsOf(charted, index),
    isOpen: tense === 'open',
    isWeekend: isWeekend(charted, points[index]),
    href: linkOf(charted, index),
  };
}

/**
 * The point of the days before. If the clocks changed, the two days have different numbers of hours: those of the same name
 * are compared. A year earlier, 29 February is in one of the two.
 */
function comparedWith({ selection, interval, points, before, zone }: Charted, index: number): Point | undefined {
  const start = points[index]?.start;
  if (selection.compare === 'year' && interval === 'day' && typeof start === 'string') {
    const yearBefore = addMonths(start, -12);
    return before.find((point) => point.start === yearBefore);
  }
  if (!(start instanceof Date) || points.length === before.length) return before[index];
  const clock = clockOf(zone, start);
  return before.find((point) => point.start instanceof Date && clockOf(zone, point.start) === clock);
}

function isWeekend({ interval }: Charted, point: Point | undefined): boolean {
  if (interval !== 'day' || typeof point?.start !== 'string') return false;
  const weekday = new Date(`${point.start}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6;
}

function numberOf(metric: Metric, totals: Totals): number | null {
  return figuresOf(totals)[metric] ?? null;
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

function nameOf({ locale: { words, format }, interval, zone }: Charted, point: Point | undefined): string {
  if (point === undefined) return '';
  const { start } = point;
  if (start instanceof Date) return clockOf(zone, start);
  if (interval === 'week') return words.chart.weekOf(format.day(start));
  return interval === 'month' ? format.month(start) : format.weekdayAndDay(start);
}

/** The label of the axis below a point: every six hours, otherwise at intervals counted back from the last point. */
function markOf({ locale: { words, format }, points, interval, zone, today }: Charted, index: number): string {
  const start = points[index]?.start ?? '';
  if (start instanceof Date) return index % 6 === 0 ? clockOf(zone, start) : '';
  const fromEnd = points.length - 1 - index;
  if (fromEnd % stepOf(interval, points.length) !== 0) return '';
  if (interval === 'month') return format.month(start);
  return start === today && interval === 'day' ? words.chart.today : format.day(start);
}

/** The number of points between marks: whole weeks if there are many days. */
function stepOf(interval: Interval, count: number): number {
  if (interval !== 'day') return Math.ceil(count / 5);
  if (count <= 7) return 1;
  return count <= 14 ? 2 : 7 * Math.ceil(count / 35);
}

/** The annotations of a point's days. Those of a day that is charted by hours are at its beginning. */
function annotationsOf(
  { locale: { format }, selection, points, interval, annotations }: Charted,
  index: number,
): string[] {
  const start = points[index]?.start;
  if (start instanceof Date) return index === 0 ? annotations.map(({ text }) => text) : [];
  const next = points[index + 1]?.start;
  const end = typeof next === 'string' ? addDays(next, -1) : selection.to;
  return annotations
    .filter(({ day }) => start !== undefined && day >= start && day <= end)
    .map(({ day, text }) => (interval === 'day' ? text : `${format.day(day)}: ${text}`));
}

function linkOf({ path, selection, points, interval }: Charted, index: number): string | undefined {
  const start = points[index]?.start;
  if (start === undefined || start instanceof Date) return undefined;
  const next = points[index + 1]?.start;
  const end = interval === 'day' ? start : typeof next === 'string' ? addDays(next, -1) : selection.to;
  const days: Period = { from: later(start, selection.from), to: end };
  return hrefOf(path, { ...selection, ...days, period: undefined });
}

function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

/** The time of day, such as `14:05`. */
export function clockOf(zone: TimeZone, time: Date): string {
  return formatWithOffset(zone, time).slice(11, 16);
}

/** The height of the plot in pixels. */
export const PLOT_HEIGHT = 248;
/** Room above the highest value for its label. */
const TOP = 26;
/** The plot takes the available width: its lines are drawn in thousandths of it. */
export const PLOT_WIDTH = 1000;

export interface ChartScale {
  /** The height of a value, in pixels from the top. */
  readonly y: (value: number) => number;
  /** The place of a point, 0 at the left to 1 at the right. */
  readonly x: (index: number) => number;
  /** The values marked on the axis, including zero. */
  readonly ticks: readonly number[];
}

/** The scale of a chart: the axis begins at zero and ends at a round value. */
export function chartScale({ metric, points }: Pick<ChartView, 'metric' | 'points'>): ChartScale {
  const highest = highestInSight(points);
  const count = points.length;
  const unit = unitOf(metric, highest);
  const inUnits = scaleLinear()
    .domain([0, Math.max(highest / unit, 1)])
    .nice(4)
    .range([PLOT_HEIGHT, TOP]);
  return {
    y: (value) => Number(inUnits(value / unit).toFixed(1)),
    x: (index) => (count < 2 ? 0.5 : index / (count - 1)),
    ticks: inUnits
      .ticks(4)
      .filter(Number.isInteger)
      .map((tick) => tick * unit),
  };
}

/** The value that the axis has to reach: the period's own highest. What is higher in the period before leaves the chart. */
function highestInSight(points: readonly PointView[]): number {
  const highest = Math.max(0, ...points.map(({ value }) => value ?? 0));
  return highest > 0 ? highest : Math.max(0, ...points.map(({ before }) => before ?? 0));
}

/** The unit of round values: percent for a rate, minutes or hours for a long duration. */
function unitOf(metric: Metric, highest: number): number {
  if (metric === 'bounce_rate') return 0.01;
  if (!isDuration(metric) || highest <= 90) return 1;
  return highest <= 5400 ? 60 : 3600;
}
