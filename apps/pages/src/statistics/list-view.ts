import type { Day } from '@hitherto/domain/calendar';
import type { EventProperty, StatisticsReads, ValuePosition } from '@hitherto/domain/engine';
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
import { valueFilter } from '@hitherto/domain/visits';
import { type ValueColumn, valueCell, valueColumns } from '@hitherto/wire';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { listCsvPath, listPath } from '../shared/paths.ts';
import { makeRows, nameOfProperty, type RowView } from './cards.ts';
import { ratedGoal } from './definitions.ts';
import { hideHref } from './filter-bar-view.ts';
import { withoutDaysOfList } from './origins-view.ts';
import { type FooterView, type PageRead, readFooter, type StatisticsViewDependencies } from './read-view.ts';
import { eventOf, isFilteredBy, parametersOf, type Selection, withFilter, withoutLook } from './selection.ts';

/** The rows per page of a list (pages.md). */
export const PAGE_LENGTH = 100;

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
  readonly head: string;
  readonly path: string;
  readonly today: Day;
  readonly columns: readonly ValueColumn[];
  /** Which days the visitors are compared with, if they are. */
  readonly compared: string | undefined;
  readonly rows: readonly {
    readonly row: RowView;
    readonly cells: readonly (number | null)[];
    /** Of the chosen goal, if any. */
    readonly converted: Converted | undefined;
    /** Where the owner hides the visits of the row. */
    readonly hideHref: string | undefined;
  }[];
  /** The name of the goal whose conversions the rows have. */
  readonly goalName: string | undefined;
  /** `14 pages`. */
  readonly count: string;
  readonly previousHref: string | undefined;
  readonly nextHref: string | undefined;
  readonly csvHref: string;
  readonly footer: FooterView;
  /** That the list lacks imported days. */
  readonly without: string | undefined;
}

/** A page of a list, from the position on. */
export async function readListView(
  deps: StatisticsViewDependencies,
  { website, path: pagePath, selection, definitions, query, within, today, locale, hasSettings }: PageRead,
  subject: ListSubject,
  position: ValuePosition | undefined,
): Promise<ListPageView> {
  const goal = ratedGoal(selection, definitions);
  const comparison = selection.compare === 'none' ? undefined : selection.compare;
  const readNumbers = async (statistics: StatisticsReads) => {
    const { page, converted } = await showConvertedValues(
      { statistics },
      query,
      goal,
      listOf(subject),
      PAGE_LENGTH,
      position,
    );
    const { shown, compared } = await showCompared({ ...deps, statistics }, query, comparison, (asked) =>
      statistics.totals(asked),
    );
    // As on the statistics page, nothing is compared with nothing.
    const isCompared = compared !== undefined && !compared.days.isUneven && !isNothing(compared.shown);
    const before = isCompared ? withDays(query, compared.days) : undefined;
    return {
      page: { ...page, rows: await withBefore(statistics, listOf(subject), page.rows, before) },
      converted,
      visitors: shown.visitors,
      compared: isCompared ? compared.days : undefined,
      footer: await readFooter({ ...deps, statistics }, website, within),
    };
  };
  const [{ page, converted, visitors, compared, footer }, imported] = await Promise.all([
    deps.statistics.reading(periodOf(query, comparison), readNumbers),
    importedPeriods(deps, website.id, selection),
  ]);
  const { dimension } = subject;
  const { lists, dimensions } = locale.words;
  const words = dimension === 'property' ? { one: lists.value, many: lists.values } : dimensions[dimension];
  const columns = valueColumns(dimension);
  const parameters = listParameters(selection, subject);
  const path = listPath(pagePath, dimension);
  const isCompared = compared !== undefined;
  const hideHrefOf = (value: string | null) => {
    if (!hasSettings || dimension === 'property' || value === OTHER_VALUES) return undefined;
    const filter = valueFilter(dimension, value);
    const chosen = isFilteredBy(selection, dimension, value) ? selection : withFilter(selection, filter);
    return chosen && hideHref(website.id, chosen);
  };
  const rows = makeRows({ locale, path: pagePath, selection, visitors, isCompared }, dimension, page.rows, undefined);
  return {
    address: formatAddress(website.url),
    pagePath,
    within: within?.name,
    selection,
    subject,
    title:
      'property' in subject ? lists.propertyOf(nameOfProperty(locale, subject.property), subject.event) : words.many,
    head: 'property' in subject ? nameOfProperty(locale, subject.property) : words.one,
    path,
    today,
    columns,
    compared: compared && comparisonSentence(locale, compared, deps.zone, today),
    rows: page.rows.flatMap((values, index) => {
      const row = rows[index];
      const cells = columns.map((column) => valueCell(values, column));
      return row === undefined
        ? []
        : [{ row, cells, converted: converted?.[index], hideHref: hideHrefOf(values.value) }];
    }),
    goalName: definitions.goals.find(({ id }) => id === goal?.id)?.name,
    count: lists.counted(page.total, words.one, words.many),
    previousHref: page.previous && hrefWith(path, parameters, page.previous),
    nextHref: page.next && hrefWith(path, parameters, page.next),
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

function hrefWith(path: string, parameters: URLSearchParams, position: ValuePosition): string {
  const all = new URLSearchParams(parameters);
  all.set('cursor', encodePosition(position));
  return `${path}?${all}`;
}

/** A position as a string, for the address of a list. */
function encodePosition({ side, visitors, value }: ValuePosition): string {
  return encodeCursor([side, visitors, value]);
}

/** The position in a string; `undefined`, which means the first row, if there is none or it is faulty. */
export function decodePosition(text: string | null): ValuePosition | undefined {
  const [side, visitors, value] = decodeCursor(text);
  if (side !== 'after' && side !== 'up_to') return undefined;
  if (typeof visitors !== 'number' || !Number.isSafeInteger(visitors) || visitors < 0) return undefined;
  if (value !== null && (typeof value !== 'string' || /[\0\p{Cs}]/u.test(value))) return undefined;
  return { side, visitors, value };
}
