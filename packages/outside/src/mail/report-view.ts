import type { MailBrand } from '@hitherto/domain/access';
import { addDays, type Day, dayOf, daysBetween, startOfWeek, timeZone } from '@hitherto/domain/calendar';
import {
  changeOf,
  comparisonSentence,
  type FigureChange,
  figuresOf,
  formatAddress,
  formatMetric,
  formatValue,
  type Metric,
  metricsOf,
} from '@hitherto/domain/format';
import { isNothing } from '@hitherto/domain/reading';
import { REPORT_LISTS, type Report, type ReportMail } from '@hitherto/domain/reports';
import { areVisitorsAtMost, knownVisits, type Totals } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { plainText } from './text.ts';

/** The words of a mail. Strings from outside are on one line and cut; they are neither escaped nor markup. */
export interface ReportView {
  readonly locale: Locale;
  readonly brand: MailBrand | undefined;
  readonly subject: string;
  /** The preview that mail programs show behind the subject. */
  readonly preheader: string;
  /** The website's address. */
  readonly address: string;
  /** `16 Nov to 22 Nov 2026 (week 47), compared with the week before`. */
  readonly period: string;
  /** That the period is not over, and what it is compared with. */
  readonly notice: string | undefined;
  /** How many findings of the checks are open. */
  readonly findings: string | undefined;
  /** The five numbers, visitors first. */
  readonly figures: readonly FigureView[];
  /** `Visitors by day`. */
  readonly pointsTitle: string;
  /** Of a week seven days, from Monday; of a month its weeks. */
  readonly points: readonly PointView[];
  /** The lists that have rows. */
  readonly lists: readonly ReportListView[];
  /** The goals with the most conversions. */
  readonly goals: readonly GoalView[];
  /** That there are more goals. */
  readonly moreGoals: string | undefined;
  readonly annotations: readonly AnnotationView[];
  /** That there are more annotations. */
  readonly moreAnnotations: string | undefined;
  /** The meaning of the numbers. */
  readonly definition: string;
  readonly pageUrl: string | undefined;
  /** Explains the change against the days before; `undefined` where nothing is compared. */
  readonly changeUrl: string | undefined;
  /** Why it was sent. */
  readonly reason: string;
  readonly unsubscribeUrl: string | undefined;
}

export interface FigureView {
  readonly name: string;
  readonly value: string;
  /** Against the days before, in words; `undefined` where nothing can be compared. */
  readonly change: string | undefined;
  /** Whether the change is for the better; `undefined` where that cannot be said. */
  readonly isGood: boolean | undefined;
}

export interface PointView {
  /** `Mon 16 Nov`, or `16 Nov to 22 Nov`. */
  readonly name: string;
  /** Visitors; `undefined` for days ahead. */
  readonly count: string | undefined;
  /** Of the busiest, from 0 to 1. */
  readonly share: number;
}

interface ReportListView {
  /** `Pages by visitors`. */
  readonly title: string;
  readonly rows: readonly { readonly value: string; readonly count: string }[];
}

export interface GoalView extends FigureView {
  readonly sum: string | undefined;
}

export interface AnnotationView {
  /** `Fri 20 Nov`. */
  readonly day: string;
  readonly text: string;
}

const MAX_ANNOTATIONS = 10;
const MAX_TEXT_COLUMNS = 200;
/** A website may have 50, whose rows would not fit into a mail. */
const MAX_GOALS = 10;
const MAX_SUM_COLUMNS = 40;
const MAX_ADDRESS_COLUMNS = 60;
const MAX_VALUE_COLUMNS = 80;

/** The view of a report (reports.md). */
export function viewOf(mail: Omit<ReportMail, 'to' | 'messageId'>): ReportView {
  const { locale, report, pageUrl, unsubscribeUrl, date } = mail;
  const { format, words } = locale;
  const address = plainText(formatAddress(report.url), MAX_ADDRESS_COLUMNS);
  const { kind } = report.period;
  const period = periodOf(locale, report);
  return {
    locale,
    brand: mail.brand && { ...mail.brand, name: mail.brand.name && plainText(mail.brand.name, MAX_ADDRESS_COLUMNS) },
    subject: subjectOf(locale, report, address, period),
    preheader: `${period}: ${numbersOf(locale, report)}.`,
    address,
    period: comparedPeriodOf(locale, report, period),
    notice: report.isUnfinished ? noticeOf(locale, report, date) : undefined,
    findings: report.findings === 0 ? undefined : words.findings.inReport(report.findings),
    figures: figureViewsOf(locale, report),
    pointsTitle: kind === 'weekly' ? words.reports.byDay : words.reports.byWeek,
    points: pointViewsOf(locale, report, dayOf(timeZone(report.timeZone), date)),
    lists: REPORT_LISTS.map((list) => ({
      title: words.reports.byVisitors(words.dimensions[list].many),
      rows: report.lists[list].map((row) => ({
        value: plainText(formatValue(locale, list, row.value), MAX_VALUE_COLUMNS),
        count: boundOf(row) + format.count(row.visitors),
      })),
    })).filter(({ rows }) => rows.length > 0),
    goals: goalViewsOf(locale, report),
    moreGoals: report.goals.length > MAX_GOALS ? words.reports.more(report.goals.length - MAX_GOALS) : undefined,
    annotations: report.annotations.slice(0, MAX_ANNOTATIONS).map(({ day, text }) => ({
      day: format.weekdayAndDay(day),
      text: plainText(text, MAX_TEXT_COLUMNS),
    })),
    moreAnnotations:
      report.annotations.length > MAX_ANNOTATIONS
        ? words.reports.more(report.annotations.length - MAX_ANNOTATIONS)
        : undefined,
    definition: [
      words.reports.definition(report.timeZone),
      ...(hasBounds(report) ? [words.statistics.atMost] : []),
    ].join(' '),
    pageUrl,
    changeUrl: pageUrl !== undefined && isCompared(report) ? changeUrlOf(pageUrl) : undefined,
    reason: words.reports.reason[kind],
    unsubscribeUrl,
  };
}

/** `16 Nov to 22 Nov 2026` or `November 2026`. */
function periodOf({ format }: Locale, { period: { kind, from, to } }: Report): string {
  return kind === 'weekly' ? format.period(from, to, true) : format.month(from);
}

/** The period, the number of its week, and what it is compared with if it is over. */
function comparedPeriodOf({ words: { reports } }: Locale, report: Report, period: string): string {
  const { kind, name, from, to } = report.period;
  const isWeek = kind === 'weekly';
  const named = isWeek ? reports.week(period, Number(name.slice(-2))) : period;
  if (report.isUnfinished || !isCompared(report)) return named;
  return isWeek ? reports.comparedWithWeek(named) : reports.comparedWithDays(named, daysBetween(from, to));
}

/** The page that explains the change of a statistics page. */
function changeUrlOf(pageUrl: string): string {
  const url = new URL(pageUrl);
  url.pathname += '/change';
  return url.href;
}

/** Whether something was counted before, and a period that is not over is set against as much of the one before. */
function isCompared({ isUnfinished, previous, previousDays }: Report): boolean {
  return !isNothing(previous) && (!isUnfinished || previousDays.until !== undefined);
}

function noticeOf(locale: Locale, report: Report, date: Date): string {
  const notice = locale.words.reports.notOver[report.period.kind];
  if (!isCompared(report) && !report.previousDays.isUneven) return notice;
  const zone = timeZone(report.timeZone);
  return `${notice} ${comparisonSentence(locale, report.previousDays, zone, dayOf(zone, date))}`;
}

/** The change against the days before. */
function reportChange(
  locale: Locale,
  report: Report,
  metric: Metric,
  now: number | null | undefined,
  before: number | null | undefined,
): FigureChange | undefined {
  return isCompared(report) ? changeOf(locale, metric, now, before) : undefined;
}

/** `example.com: 1,234 visitors last week, 12 % more than before`. */
function subjectOf(locale: Locale, report: Report, address: string, period: string): string {
  const { reports } = locale.words;
  const visitors = boundOf(report.totals) + reports.visitors(report.totals.visitors);
  const isLastWeek = report.isLast && report.period.kind === 'weekly';
  const ofPeriod = isLastWeek ? reports.lastWeek(visitors) : reports.ofPeriod(visitors, period);
  const said = report.isUnfinished ? reports.soFar(visitors, period) : ofPeriod;
  const change = reportChange(locale, report, 'visitors', report.totals.visitors, report.previous.visitors);
  const compared =
    change === undefined ? said : change.good === undefined ? reports.same(said) : reports.changed(said, change.text);
  return plainSpaces(`${address}: ${compared}`);
}

/** Some mail programs show spaces that do not break as something else in subjects. */
function plainSpaces(text: string): string {
  return text.replaceAll(/[\u00a0\u202f]/g, ' ');
}

/** Stands before a number of visitors that is an upper bound: an import added it up from finer numbers. */
function boundOf(numbers: Pick<Totals, 'gaps'>): string {
  return areVisitorsAtMost(numbers) ? '≤\u00a0' : '';
}

function hasBounds({ totals, lists }: Report): boolean {
  return [totals, ...REPORT_LISTS.flatMap((list) => lists[list])].some(areVisitorsAtMost);
}

/** More than the subject says, where a mailbox shows the beginning of the mail. */
function numbersOf({ words: { reports } }: Locale, { totals }: Report): string {
  const visits = knownVisits(totals);
  const pageviews = reports.pageviews(totals.pageviews);
  return visits === null ? pageviews : reports.and(reports.visits(visits), pageviews);
}

function figureViewsOf(locale: Locale, report: Report): FigureView[] {
  const { totals } = report;
  const now = figuresOf(totals);
  const before = figuresOf(report.previous);
  return metricsOf(now).map((metric) => {
    const change = reportChange(locale, report, metric, now[metric], before[metric]);
    return {
      name: locale.words.figures[metric],
      value: (metric === 'visitors' ? boundOf(totals) : '') + formatMetric(locale, metric, now[metric]),
      change: change?.text,
      isGood: change?.good,
    };
  });
}

function goalViewsOf(locale: Locale, report: Report): GoalView[] {
  const { format, words } = locale;
  const sorted = report.goals.toSorted((one, other) => other.conversions - one.conversions);
  return sorted.slice(0, MAX_GOALS).map(({ name, conversions, previous, sum }) => {
    const change = reportChange(locale, report, 'visits', conversions, previous);
    return {
      name: plainText(name, MAX_VALUE_COLUMNS),
      value: format.count(conversions),
      sum: sum === null ? undefined : words.reports.sum(plainText(format.decimal(sum), MAX_SUM_COLUMNS)),
      change: change?.text,
      isGood: change?.good,
    };
  });
}

function pointViewsOf({ format }: Locale, { points, period, isUnfinished }: Report, today: Day): PointView[] {
  const most = Math.max(1, ...points.map(({ visitors }) => visitors));
  const isWeek = period.kind === 'weekly';
  const startOf = (index: number) =>
    isWeek ? addDays(period.from, index) : addDays(startOfWeek(period.from), 7 * index);
  return points.map((point, index) => {
    // The first and the last week of a month may begin before it and end after it.
    const from = index === 0 ? period.from : startOf(index);
    const to = index === points.length - 1 ? period.to : addDays(startOf(index + 1), -1);
    return {
      name: isWeek ? format.weekdayAndDay(from) : format.period(from, to),
      count: isUnfinished && from > today ? undefined : boundOf(point) + format.count(point.visitors),
      share: point.visitors / most,
    };
  });
}
