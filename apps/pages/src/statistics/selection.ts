import { toldIn } from '@hitherto/domain/base';
import {
  COMPARISONS,
  type Day,
  isDay,
  namedPeriod,
  PERIOD_NAMES,
  type Period,
  type PeriodName,
  readPeriod,
} from '@hitherto/domain/calendar';
import { METRICS, type Metric } from '@hitherto/domain/format';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import {
  FILTER_LIMITS,
  type Filter,
  HIDDEN,
  type Hidden,
  MATCHES,
  type Match,
  parameterOf,
  parameterValuesOf,
  readFilters,
} from '@hitherto/domain/visits';
import type { Language, Locale } from '@hitherto/words';
import { languageIn } from '../shared/locale.tsx';
import { THEMES, type Theme } from '../shared/page.tsx';

const DEFAULT_PERIOD: PeriodName = '28d';
const MAX_PROPERTY_LENGTH = 40;

/** The comparison of the numbers. */
export const COMPARED = [...COMPARISONS, 'none'] as const;
export type ComparedWith = (typeof COMPARED)[number];

/** The lists of crawlers. */
export const CRAWLER_LISTS = ['operators', 'pages', 'purposes'] as const;
export type CrawlerList = (typeof CRAWLER_LISTS)[number];

/** The selection in the address of a page. */
export interface Selection extends Period {
  /** `undefined` if the address has `from` and `to`. */
  readonly period: PeriodName | undefined;
  readonly compare: ComparedWith;
  /** At most one for each parameter. */
  readonly filters: readonly Filter[];
  readonly match: Match;
  /** The id of a segment, in lower case. */
  readonly segment: string | undefined;
  /** Whether hidden visits count, too, or alone; only those who may undo cleanups can ask for it. */
  readonly hidden: Hidden | undefined;
  /** The subject of the chart. */
  readonly metric: Metric;
  /** The visible list of each card that has several lists. */
  readonly lists: readonly Dimension[];
  /** The shown property of the filtered event. */
  readonly property: string | undefined;
  /** The id of the goal whose rate the lists show. */
  readonly conversion: string | undefined;
  /** The id of the funnel that is shown, of several. */
  readonly funnel: string | undefined;
  /** The visible list of crawlers, for members. */
  readonly crawlers: CrawlerList;
  /** Whether the page is shown in a frame of another page: without header and footer. */
  readonly isEmbedded: boolean;
  readonly theme: Theme;
  /** The language that the address asks for. */
  readonly lang: Language | undefined;
}

/** The parameters of a page that are not filters. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(
  [
    'period',
    'from',
    'to',
    'match',
    'hidden',
    'metric',
    'list',
    'property',
    'conversion',
    'funnel',
    'crawlers',
    'cursor',
    'sort',
    'order',
    'search',
    'compare',
    'embed',
    'theme',
    'lang',
  ].concat(
    // Those of the form that adds a filter.
    ['add', 'operator', 'value', 'name'],
  ),
);

/** The parameters of a selection, without defaults. */
export function parametersOf(selection: Selection): URLSearchParams {
  const { period, from, to, metric, lists } = selection;
  const parameters = new URLSearchParams();
  if (period === undefined) {
    parameters.set('from', from);
    parameters.set('to', to);
  } else if (period !== DEFAULT_PERIOD) parameters.set('period', period);
  if (selection.compare !== 'previous') parameters.set('compare', selection.compare);
  for (const [name, value] of filterParametersOf(selection)) parameters.append(name, value);
  if (selection.segment !== undefined) parameters.set('segment', selection.segment);
  if (selection.hidden !== undefined) parameters.set('hidden', selection.hidden);
  if (metric !== 'visitors') parameters.set('metric', metric);
  for (const list of lists) parameters.append('list', list);
  for (const name of ['property', 'conversion', 'funnel'] as const) {
    const value = selection[name];
    if (value !== undefined) parameters.set(name, value);
  }
  if (selection.crawlers !== 'operators') parameters.set('crawlers', selection.crawlers);
  if (selection.isEmbedded) parameters.set('embed', '1');
  if (selection.theme !== 'auto') parameters.set('theme', selection.theme);
  if (selection.lang !== undefined) parameters.set('lang', selection.lang);
  return parameters;
}

/** The look of a page, for its frame. */
export function lookOf({ isEmbedded, theme }: Selection): { readonly isEmbedded: boolean; readonly theme: Theme } {
  return { isEmbedded, theme };
}

/** The selection of a file, which has no look, and no comparison. */
export function withoutLook(selection: Selection): Selection {
  return { ...selection, compare: 'previous', isEmbedded: false, theme: 'auto', lang: undefined };
}

/** The parameters of the filters of a selection, without its segment. */
export function filterParametersOf({ filters, match }: Pick<Selection, 'filters' | 'match'>): [string, string][] {
  const parameters = filters.flatMap((filter) =>
    parameterValuesOf(filter).map((value): [string, string] => [parameterOf(filter), value]),
  );
  return match === 'any' ? [...parameters, ['match', match]] : parameters;
}

/** The path with the parameters of a selection, relative to the origin. */
export function hrefOf(path: string, selection: Selection): string {
  const parameters = parametersOf(selection).toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}

/** The selection with one more filter, in place of any of the same parameter; `undefined` if that is one too many. */
export function withFilter(selection: Selection, filter: Filter): Selection | undefined {
  const parameter = parameterOf(filter);
  const filters = [...others(selection, parameter), filter];
  const count = filters.length + (selection.segment === undefined ? 0 : 1);
  return count > FILTER_LIMITS.filters ? undefined : consistent({ ...selection, filters });
}

/** The selection without the filter of a parameter. */
export function withoutFilter(selection: Selection, parameter: string): Selection {
  return consistent({ ...selection, filters: others(selection, parameter) });
}

/** The selection without the value of `single` in the filter of the same parameter, or without that filter if it has no other. */
export function withoutValue(selection: Selection, single: Filter): Selection {
  const parameter = parameterOf(single);
  const filters = selection.filters.flatMap((filter) =>
    parameterOf(filter) === parameter ? (remaining(filter, single) ?? []) : filter,
  );
  return consistent({ ...selection, filters });
}

function remaining(filter: Filter, single: Filter): Filter | undefined {
  if (filter.kind === 'goal' && single.kind === 'goal') {
    const goals = filter.goals.filter((id) => !single.goals.includes(id));
    return goals.length > 0 ? { ...filter, goals } : undefined;
  }
  if (filter.kind === 'dimension' && single.kind === 'dimension') {
    const values = filter.values.filter((value) => !single.values.includes(value));
    return values.length > 0 ? { ...filter, values } : undefined;
  }
  return undefined;
}

/** The selection without filters and segment. */
export function withoutFilters(selection: Selection): Selection {
  return consistent({ ...selection, filters: [], segment: undefined });
}

/** The selection without what only one website has: filters, and definitions. */
export function ofAnyWebsite(selection: Selection): Selection {
  return { ...withoutFilters(selection), conversion: undefined, funnel: undefined };
}

function others({ filters }: Selection, parameter: string): Filter[] {
  return filters.filter((filter) => parameterOf(filter) !== parameter);
}

/** Without its event there is no property, and of a single filter all and any are the same. */
function consistent(selection: Selection): Selection {
  const match = selection.filters.length > 1 ? selection.match : 'all';
  return { ...selection, match, property: eventOf(selection) === undefined ? undefined : selection.property };
}

/** The event that a filter names alone: its properties have lists. */
export function eventOf({ filters }: Pick<Selection, 'filters'>): string | undefined {
  const filter = filters.find((one) => parameterOf(one) === 'event');
  const [event, ...more] = filter?.kind === 'dimension' ? filter.values : [];
  return more.length === 0 ? (event ?? undefined) : undefined;
}

/** Whether a filter of the selection asks for a value. */
export function isFilteredBy({ filters }: Selection, dimension: Dimension, value: string | null): boolean {
  return filters.some(
    (filter) => filter.kind === 'dimension' && parameterOf(filter) === dimension && filter.values.includes(value),
  );
}

/**
 * Reads the query of a page: unknown parameters are ignored, and faulty ones take their default (pages.md). The
 * first of repeated parameters counts, except that a repeated filter asks for any of its values.
 */
export function readSelection(query: URLSearchParams, today: Day): Selection {
  const { filters, segment } = readFilters(filterValues(query), true);
  return consistent({
    ...readDays(query, today),
    compare: oneOf(COMPARED, query.get('compare')) ?? 'previous',
    filters,
    match: oneOf(MATCHES, query.get('match')) ?? 'all',
    segment,
    hidden: oneOf(HIDDEN, query.get('hidden')),
    metric: oneOf(METRICS, query.get('metric')) ?? 'visitors',
    lists: DIMENSIONS.filter((dimension) => query.getAll('list').includes(dimension)),
    property: readProperty(query.get('property')),
    conversion: query.get('conversion')?.toLowerCase(),
    funnel: query.get('funnel')?.toLowerCase(),
    crawlers: oneOf(CRAWLER_LISTS, query.get('crawlers')) ?? 'operators',
    isEmbedded: query.get('embed') === '1',
    theme: oneOf(THEMES, query.get('theme')) ?? 'auto',
    lang: languageIn(query),
  });
}

/** The parameters of a query that can be filters, each once, with all its values. */
function filterValues(query: URLSearchParams): [string, string[]][] {
  const names = [...new Set(query.keys())].filter((name) => !OWN_PARAMETERS.has(name));
  return names.map((name) => [name, [...new Set(query.getAll(name))]]);
}

function readDays(query: URLSearchParams, today: Day): Period & { readonly period: PeriodName | undefined } {
  const [from, to] = [query.get('from'), query.get('to')];
  if (from !== null && to !== null) {
    const read = readPeriod(from, to, today);
    if ('period' in read) return { ...read.period, period: undefined };
  }
  const period = oneOf(PERIOD_NAMES, query.get('period')) ?? DEFAULT_PERIOD;
  return { ...namedPeriod(period, today), period };
}

/** Days of the form for other days that a page cannot show. */
export interface RejectedDays {
  readonly from: string;
  readonly to: string;
  readonly fault: { readonly field: string; readonly detail: string };
}

/** The days in the query of a page, if they are faulty: the page shows others, but its form keeps what was typed. */
export function readRejectedDays({ words }: Locale, query: URLSearchParams, today: Day): RejectedDays | undefined {
  const [from, to] = [query.get('from'), query.get('to')];
  if (from === null || to === null) return undefined;
  const read = readPeriod(from, to, today);
  const [fault] = 'faults' in read ? read.faults : [];
  if (fault === undefined) return undefined;
  const isReversed = isDay(from) && isDay(to) && to < from;
  const detail = isReversed ? words.statistics.lastBeforeFirst : toldIn(words, fault);
  return { from, to, fault: { field: fault.field, detail } };
}

/** A string that can be searched for: PostgreSQL stores no NUL. */
function readProperty(name: string | null): string | undefined {
  return name === null || [...name].length > MAX_PROPERTY_LENGTH || name.includes('\0') ? undefined : name;
}

export function isDimension(text: string): text is Dimension {
  return oneOf(DIMENSIONS, text) !== undefined;
}

function oneOf<const T extends string>(values: readonly T[], text: string | null): T | undefined {
  return values.find((value) => value === text);
}
