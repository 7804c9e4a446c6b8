import type { Day } from '@hitherto/domain/calendar';
import type { EventProperty, StatisticsReads, ValuePosition, ValueTotals } from '@hitherto/domain/engine';
import { comparisonSentence, formatAddress } from '@hitherto/domain/format';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import { importedPeriods } from '@hitherto/domain/imports';
import {
  type Converted,
  isNothing,
  periodOf,
  showCompared,
  showConvertedValues,
  withBefore,
  withDays,
} from '@hitherto/domain/reading';
import { valueFilter, withoutFewMeasured } from '@hitherto/domain/visits';
import { ENGAGEMENT_COLUMNS, MAX_CSV_ROWS, type ValueColumn, valueColumns } from '@hitherto/wire';
import type { Locale } from '@hitherto/words';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { listCsvPath, listPath } from '../shared/paths.ts';
import { makeRows, nameOfProperty, type RowView } from './cards.ts';
import { ratedGoal } from './definitions.ts';
import { hideHref } from './filter-bar-view.ts';
import {
  inOrder,
  isUsualOrder,
  type ListOrder,
  orderBy,
  orderParameters,
  pageInOrder,
  readOrder,
  type SortColumn,
} from './list-order.ts';
import { withoutDaysOfList } from './origins-view.ts';
import { type FooterView, type PageRead, readFooter, type StatisticsViewDependencies } from './read-view.ts';
import { eventOf, isFilteredBy, parametersOf, type Selection, withFilter, withoutLook } from './selection.ts';

/** The rows per page of a list (pages.md). */
const PAGE_LENGTH = 100;

/** Which list: the values of a dimension, or of a property of an event. */
export type ListSubject =
  | { readonly dimension: Dimension }
  | { readonly dimension: 'property'; readonly event: string; readonly property: string };

/** The content of a page of a whole list. */
export interface ListPageView {
  /** Of the website, without the scheme. */
  readonly address: string;
  /** Of the statistics page. */
  readonly pagePath: string;
  /** The name of the segment whose visits alone are shown, if any. */
  readonly within: string | undefined;
  readonly selection: Selection;
  readonly subject: ListSubject;
  readonly title: string;
  readonly path: string;
  readonly today: Day;
  /** With the values first. */
  readonly columns: readonly ListColumn[];
  readonly order: ListOrder;
  /** The parameters of the form that searches. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  /** That only the first values were sorted and searched, and how many. */
  readonly sorted: number | undefined;
  /** Which days the visitors are compared with, if they are. */
  readonly compared: string | undefined;
  readonly rows: readonly {
    readonly row: RowView;
    readonly values: ValueTotals;
    /** Of the chosen goal, if any. */
    readonly converted: Converted | undefined;
    /** The page that hides the visits of the row. */
    readonly hideHref: string | undefined;
  }[];
  /** `14 pages`. */
  readonly count: string;
  readonly previousHref: string | undefined;
  readonly nextHref: string | undefined;
  readonly csvHref: string;
  readonly footer: FooterView;
  /** That the list lacks imported days. */
  readonly without: string | undefined;
}

/** A column of a list. */
export interface ListColumn {
  readonly name: SortColumn;
  readonly head: string;
  readonly title?: string;
  /** The list in the order of this column. */
  readonly href: string;
}

/**
 * A page of a list. In the usual order the engine reads only its rows; otherwise the first values are read and sorted here.
 *
 * @param parameters of its address, with order, search and cursor
 */
export async function readListView(
  deps: StatisticsViewDependencies,
  { website, path: pagePath, selection, definitions, query, within, today, locale, isMember, hasSettings }: PageRead,
  subject: ListSubject,
  parameters: URLSearchParams,
): Promise<ListPageView> {
  const goal = ratedGoal(selection, definitions);
  const { dimension } = subject;
  const asked = readOrder(parameters, ['value', ...valueColumns(dimension), ...OTHER_COLUMNS]);
  const order =
    asked.sort === 'change' && selection.compare === 'none' ? { ...asked, sort: 'visitors' as const } : asked;
  const isUsual = isUsualOrder(order);
  const cursor = parameters.get('cursor');
  const comparison = selection.compare === 'none' ? undefined : selection.compare;
  const readNumbers = async (statistics: StatisticsReads) => {
    const { page, converted } = await showConvertedValues(
      { statistics },
      query,
      goal,
      listOf(subject),
      isUsual ? PAGE_LENGTH : MAX_CSV_ROWS,
      isUsual ? decodePosition(cursor) : undefined,
    );
    const { shown, compared } = await showCompared({ ...deps, statistics }, query, comparison, (asked) =>
      statistics.totals(asked),
    );
    // As on the statistics page, nothing is compared with nothing.
    const isCompared = compared !== undefined && !compared.days.isUneven && !isNothing(compared.shown);
    const before = isCompared ? withDays(query, compared.days) : undefined;
    return {
      page,
      rows: await withBefore(
        statistics,
        listOf(subject),
        isMember ? page.rows : page.rows.map(withoutFewMeasured),
        before,
      ),
      converted,
      visitors: shown.visitors,
      compared: isCompared ? compared.days : undefined,
      footer: await readFooter({ ...deps, statistics }, website, within),
    };
  };
  const [{ page, rows: read, converted, visitors, compared, footer }, imported] = await Promise.all([
    deps.statistics.reading(periodOf(query, comparison), readNumbers),
    importedPeriods(deps, website.id, selection),
  ]);
  const { lists, dimensions } = locale.words;
  const words = dimension === 'property' ? { one: lists.value, many: lists.values } : dimensions[dimension];
  const path = listPath(pagePath, dimension);
  const isCompared = compared !== undefined;
  const hideHrefOf = (value: string | null) => {
    if (!hasSettings || dimension === 'property' || value === OTHER_VALUES) return undefined;
    const filter = valueFilter(dimension, value);
    const chosen = isFilteredBy(selection, dimension, value) ? selection : withFilter(selection, filter);
    return chosen && hideHref(website.id, chosen);
  };
  const made = makeRows({ locale, path: pagePath, selection, visitors, isCompared }, dimension, read, undefined);
  const all = made.flatMap((row, index) => {
    const values = read[index];
    if (values === undefined) return [];
    return [{ row, values, converted: converted?.[index], label: row.label, hideHref: hideHrefOf(values.value) }];
  });
  const shown = isUsual ? undefined : pageInOrder(inOrder(all, order), PAGE_LENGTH, cursor);
  const hrefTo = (of: ListOrder, at?: string) => {
    const ofList = listParameters(selection, subject);
    for (const [name, value] of orderParameters(of)) ofList.set(name, value);
    if (at !== undefined) ofList.set('cursor', at);
    return hrefWith(path, ofList);
  };
  const pageHref = (at: string | undefined) => at && hrefTo(order, at);
  const isMeasured = read.some(({ engagement }) => engagement !== undefined);
  const goalName = definitions.goals.find(({ id }) => id === goal?.id)?.name;
  return {
    address: formatAddress(website.url),
    pagePath,
    within: within?.name,
    selection,
    subject,
    title:
      'property' in subject ? lists.propertyOf(nameOfProperty(locale, subject.property), subject.event) : words.many,
    path,
    today,
    columns: columnsOf(locale, subject, isMeasured, isCompared, goalName).map((column) => ({
      ...column,
      href: hrefTo(orderBy(order, column.name)),
    })),
    order,
    kept: [...listParameters(selection, subject), ...orderParameters({ ...order, search: '' })],
    sorted: !isUsual && page.total > MAX_CSV_ROWS ? MAX_CSV_ROWS : undefined,
    compared: compared && comparisonSentence(locale, compared, deps.zone, today),
    rows: shown?.rows ?? all,
    count: lists.counted(shown?.total ?? page.total, words.one, words.many),
    previousHref: pageHref(shown === undefined ? page.previous && encodePosition(page.previous) : shown.previous),
    nextHref: pageHref(shown === undefined ? page.next && encodePosition(page.next) : shown.next),
    csvHref: `${listCsvPath(pagePath, dimension)}?${listParameters(withoutLook(selection), subject)}`,
    footer,
    without: withoutDaysOfList(locale, imported, query, dimension === 'property' ? 'hits' : dimension),
  };
}

/** What a list has the values of. */
export function listOf(subject: ListSubject): Dimension | EventProperty {
  return subject.dimension === 'property' ? subject : subject.dimension;
}

/** The parameters of a list's address; for a property they include the event. */
function listParameters(selection: Selection, subject: ListSubject): URLSearchParams {
  const parameters = parametersOf(selection);
  if (subject.dimension === 'property') {
    if (eventOf(selection) === undefined) parameters.set('event', subject.event);
    parameters.set('property', subject.property);
  }
  return parameters;
}

function hrefWith(path: string, parameters: URLSearchParams): string {
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

const OTHER_COLUMNS = ['change', 'converted_visitors', 'conversion_rate'] as const;

function columnsOf(
  locale: Locale,
  subject: ListSubject,
  isMeasured: boolean,
  isCompared: boolean,
  goalName: string | undefined,
): Omit<ListColumn, 'href'>[] {
  const { lists, figures, dimensions, change } = locale.words;
  const heads: Readonly<Record<ValueColumn, string>> = {
    ...figures,
    events: dimensions.event.many,
    visit_duration: lists.duration,
    scroll_depth: lists.scrollDepth,
  };
  // Of other values than pages, few people ask how long they were looked at.
  const isOfPages = ['page', 'entry_page', 'exit_page'].includes(subject.dimension);
  const left: readonly ValueColumn[] = isOfPages && isMeasured ? [] : ENGAGEMENT_COLUMNS;
  const head =
    subject.dimension === 'property' ? nameOfProperty(locale, subject.property) : dimensions[subject.dimension].one;
  return [
    { name: 'value', head },
    ...valueColumns(subject.dimension)
      .filter((name) => !left.includes(name))
      .map((name) => ({ name, head: heads[name] })),
    ...(isCompared ? [{ name: 'change', head: change.changed } as const] : []),
    ...(goalName === undefined
      ? []
      : [
          { name: 'converted_visitors', head: lists.converted, title: lists.convertedTitle(goalName) } as const,
          { name: 'conversion_rate', head: lists.rate, title: lists.rateTitle(goalName) } as const,
        ]),
  ];
}

/** A position as a string, for the address of a list. */
function encodePosition({ side, number, value }: ValuePosition): string {
  return encodeCursor([side, number, value]);
}

/** The position in a string; `undefined`, which means the first row, if there is none or it is faulty. */
function decodePosition(text: string | null): ValuePosition | undefined {
  const [side, number, value] = decodeCursor(text);
  if (side !== 'after' && side !== 'up_to') return undefined;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  if (value !== null && (typeof value !== 'string' || /[\0\p{Cs}]/u.test(value))) return undefined;
  return { side, number, value };
}
