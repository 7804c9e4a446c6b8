import { addDays, addMonths, dayOf, startOfMonth } from '@hitherto/domain/calendar';
import { tooManyRows } from './count-rows.ts';
import { isDate } from './date-range.ts';
import { InvalidQuery } from './invalid-query.ts';
import { MAX_ROWS } from './query.ts';
import type { PlausibleRow } from './rows.ts';
import { type QueryDependencies, runQuery, type Site } from './run-query.ts';
import { NOT_SET } from './words.ts';

/** The parameters of version 1; repeated ones are lists. */
export type V1Query = Readonly<Record<string, unknown>>;

const BREAKDOWN_LIMIT = 100;
const INTERVALS = ['date', 'day', 'week', 'month', 'hour'];
/** Metrics that an interval without visits does not have, as with Plausible. */
const UNKNOWN_IF_EMPTY = ['bounce_rate', 'visit_duration'];
/** Properties for which Plausible leaves out visits without a value. */
const ONLY_WITH_VALUES = /^visit:(?:utm_\w+|entry_page|exit_page|country)$/;

/** The totals of a period: `{"results":{"visitors":{"value":7}}}`. */
export async function readAggregate(deps: QueryDependencies, site: Site, sent: V1Query): Promise<object> {
  const { compare: mode } = sent;
  if (mode !== undefined && mode !== 'previous_period') throw new InvalidQuery('"compare" must be "previous_period".');
  const metrics = metricsOf(sent);
  const range = rangeOf(sent, site, deps.now());
  const include = mode === undefined ? {} : { comparisons: { mode } };
  const { body } = await runQuery(deps, site, queryOf(sent, metrics, range, [], include));
  const [row] = body.results;
  const change = row !== undefined && 'comparison' in row ? row.comparison.change : undefined;
  return {
    results: valuesOf(metrics, (index) => ({
      value: row?.metrics[index] ?? null,
      ...(change === undefined ? {} : { change: change[index] ?? null }),
    })),
  };
}

/** The numbers of each day or month, empty ones included. */
export async function readTimeseries(deps: QueryDependencies, site: Site, sent: V1Query): Promise<object> {
  const metrics = metricsOf(sent);
  const period = parameterText(sent, 'period') ?? '30d';
  const interval =
    parameterText(sent, 'interval') ?? (/mo$|^year$/.test(period) ? 'month' : period === 'day' ? 'hour' : 'date');
  if (!INTERVALS.includes(interval)) throw new InvalidQuery(`"interval" must be ${INTERVALS.join(', ')}.`);
  const dimension = `time:${interval === 'date' ? 'day' : interval}`;
  const range = rangeOf(sent, site, deps.now());
  const query = queryOf(sent, ofGroups(metrics), range, [dimension], { time_labels: true });
  const { rows, body } = await runQuery(deps, site, query);
  const byLabel = new Map(rows.map((row) => [row.dimensions[0], row]));
  const labels = body.meta.time_labels ?? [];
  const empty = metrics.map((metric) => (UNKNOWN_IF_EMPTY.includes(metric) ? null : 0));
  return {
    results: labels.map((label) => ({
      date: label,
      ...valuesOf(metrics, (index) => (byLabel.get(label)?.metrics ?? empty)[index] ?? null),
    })),
  };
}

/** The values of a property: `{"results":[{"source":"Google","visitors":7}]}`. */
export async function readBreakdown(deps: QueryDependencies, site: Site, sent: V1Query): Promise<object> {
  const metrics = metricsOf(sent);
  const property = parameterText(sent, 'property');
  if (property === undefined) throw new InvalidQuery('"property" is required.');
  const limit = countOf(sent, 'limit', BREAKDOWN_LIMIT);
  const page = countOf(sent, 'page', 1);
  const range = rangeOf(sent, site, deps.now());
  const asked = /^event:(?:goal$|props:)/.test(property) ? metrics : ofGroups(metrics);
  const { rows } = await runQuery(deps, site, queryOf(sent, asked, range, [property]));
  const name = property.replace(/^(?:event:props|event|visit|time):/, '');
  const isShown = ({ dimensions }: PlausibleRow) => dimensions[0] !== NOT_SET || !ONLY_WITH_VALUES.test(property);
  const known = rows.filter(isShown);
  if (rows.length >= MAX_ROWS && page * limit > known.length) throw tooManyRows();
  return {
    results: known.slice((page - 1) * limit, page * limit).map((row) => ({
      [name]: row.dimensions[0],
      ...valuesOf(metrics, (index) => row.metrics[index] ?? null),
    })),
  };
}

function queryOf(
  sent: V1Query,
  metrics: readonly string[],
  dateRange: readonly string[],
  dimensions: readonly string[],
  include: object = {},
) {
  const filters = filtersOf(parameterText(sent, 'filters'));
  return { site_id: parameterText(sent, 'site_id'), metrics, date_range: dateRange, dimensions, filters, include };
}

function metricsOf(sent: V1Query): string[] {
  return (parameterText(sent, 'metrics') ?? 'visitors').split(',').map((name) => name.trim());
}

/** The rate of each row among the visitors of its group, which version 1 names as the rate of all. */
function ofGroups(metrics: readonly string[]): string[] {
  return metrics.map((metric) => (metric === 'conversion_rate' ? 'group_conversion_rate' : metric));
}

function valuesOf<Value>(metrics: readonly string[], valueAt: (index: number) => Value): Record<string, Value> {
  return Object.fromEntries(metrics.map((metric, index) => [metric, valueAt(index)]));
}

/** The days of a `period`, which has `date`, by default today, as its last day or in its last month. */
function rangeOf(sent: V1Query, { zone }: Site, now: Date): readonly [string, string] {
  const period = parameterText(sent, 'period') ?? '30d';
  const date = parameterText(sent, 'date') ?? dayOf(zone, now);
  if (period === 'custom') {
    const [from = '', to = ''] = date.split(',');
    return [from, to];
  }
  if (!isDate(date)) throw new InvalidQuery('"date" must be a day as YYYY-MM-DD.');
  const [, count, unit] = /^([1-9]\d{0,3})(d|mo)$/.exec(period) ?? [];
  if (unit === 'd') return [addDays(date, 1 - Number(count)), date];
  const lastOfMonth = addDays(addMonths(startOfMonth(date), 1), -1);
  if (unit === 'mo') return [addMonths(startOfMonth(date), 1 - Number(count)), lastOfMonth];
  if (period === 'day') return [date, date];
  if (period === 'month') return [startOfMonth(date), lastOfMonth];
  if (period === 'year') return [`${date.slice(0, 4)}-01-01`, `${date.slice(0, 4)}-12-31`];
  throw new InvalidQuery('"period" must be "day", "7d", "30d", "month", "6mo", "12mo", "year" or "custom".');
}

/** `visit:country==DE|AT;event:page==/blog/*` as filters of version 2. */
function filtersOf(sent: string | undefined): unknown[] {
  if (sent === undefined) return [];
  return sent.split(';').map((part) => {
    const [, property, sign, value = ''] = /^(.+?)(==|!=)(.*)$/s.exec(part) ?? [];
    if (property === undefined)
      throw new InvalidQuery('A filter must be written as "property==value" or "property!=value".');
    const values = value.split(/(?<!\\)\|/).map((one) => one.replaceAll('\\|', '|'));
    const operator = values.some((one) => one.includes('*')) ? 'matches_wildcard' : 'is';
    return [sign === '==' ? operator : `${operator}_not`, property, values];
  });
}

/** A parameter that is a whole number from 1. */
export function countOf(sent: V1Query, name: string, byDefault: number): number {
  const given = parameterText(sent, name);
  if (given === undefined) return byDefault;
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new InvalidQuery(`"${name}" must be a whole number from 1.`);
  return Number(given);
}

/** A parameter that is not repeated; `undefined` without a value. */
export function parameterText(sent: V1Query, name: string): string | undefined {
  const value = sent[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new InvalidQuery(`"${name}" is repeated.`);
  return value;
}
