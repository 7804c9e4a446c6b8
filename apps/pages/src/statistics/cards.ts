import type { StatisticsQuery, TopValue, TopValues } from '@hitherto/domain/engine';
import { changeOf, type FigureChange, formatValue } from '@hitherto/domain/format';
import { CARDS, CHANNELS, DIMENSION_TABLE, DIMENSIONS, type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import type { ImportedPeriod } from '@hitherto/domain/imports';
import { areVisitorsAtMost, valueFilter } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { listCsvPath, listPath } from '../shared/paths.ts';
import { type Tile, tileOf } from '../shared/tile.ts';
import { withoutDays } from './origins-view.ts';
import {
  eventOf,
  hrefOf,
  isFilteredBy,
  parametersOf,
  type Selection,
  withFilter,
  withoutLook,
  withoutValue,
} from './selection.ts';

/** A card that holds one list, or several behind tabs. */
export interface CardView {
  /** Names the card in addresses: `#sources`. */
  readonly id: string;
  readonly lists: readonly ListView[];
}

export interface ListView {
  /** A dimension, or `property`. */
  readonly dimension: Dimension | 'property';
  readonly title: string;
  /** Of the tab, shorter. */
  readonly tab: string;
  /** The head of the first column. */
  readonly head: string;
  readonly isInFront: boolean;
  /** The page with this list in front. */
  readonly href: string;
  /** `undefined` while they are still counted, after an update. */
  readonly rows: readonly RowView[] | undefined;
  /** All values: `All 64 sources`. */
  readonly more: { readonly href: string; readonly text: string };
  readonly csvHref: string;
  /** That the list lacks imported days. */
  readonly without: string | undefined;
}

export interface RowView {
  /** As the API writes it; `null` for none. */
  readonly value: string | null;
  /** As people read it. */
  readonly label: string;
  /** Of sources and countries. */
  readonly tile: Tile | undefined;
  /** Filters by the value, or takes the filter away where it is there; absent where the value cannot be filtered by. */
  readonly href: string | undefined;
  readonly isFilter: boolean;
  readonly visitors: number;
  /** Against the days that are compared; `undefined` without a comparison. */
  readonly change: RowChange | undefined;
  /** There are at most as many visitors. */
  readonly isAtMost: boolean;
  /** Of all visitors of the period, 0 to 1. */
  readonly share: number;
  /** Of the largest row, 0 to 1: the length of the bar. */
  readonly bar: number;
  /** Its color in the bar of all channels, by number; the same in every period. Of channels only. */
  readonly color: number | undefined;
  /** Of events only. */
  readonly events: number | undefined;
  /** The conversion rate of the chosen goal, 0 to 1, `null` of nothing; `undefined` in lists that do not show it. */
  readonly rate: number | null | undefined;
}

/** How the visitors of a row changed; `new` where there were none before. */
export type RowChange = FigureChange | 'new';

/** The lists of the page (pages.md). */
export const LISTED_DIMENSIONS = DIMENSIONS.filter((dimension) => DIMENSION_TABLE[dimension].card !== undefined);

/** The colors of channels in the style sheet, by number. */
const COLORS = new Map<string | null, number>(CHANNELS.map((channel, number) => [channel, number]));

/** How many rows each list of the page has. */
export const LIST_LENGTH = 10;

/** The properties of an event, and the values of one of them. */
export interface EventProperties {
  readonly event: string;
  readonly values: readonly (readonly [property: string, page: TopValues])[];
}

/** The numbers and words of the cards. */
export interface Listed {
  readonly locale: Locale;
  /** Of the statistics page. */
  readonly path: string;
  readonly selection: Selection;
  /** The totals of the period, for shares. */
  readonly visitors: number;
  /** Whether rows show how their visitors changed. */
  readonly isCompared: boolean;
  readonly values: ReadonlyMap<Dimension, TopValues>;
  /** The days of the period that come from imports. */
  readonly imported: readonly ImportedPeriod[];
  readonly query: StatisticsQuery;
  readonly properties: EventProperties | undefined;
  /** The conversion rates of a goal, for each row of the lists in front; empty without a goal. */
  readonly rates: ReadonlyMap<Dimension | 'property', readonly (number | null)[]>;
}

/** The cards; the first list of a card is in front unless the address names another. */
export function makeCards(listed: Listed): CardView[] {
  const cards: CardView[] = CARDS.map((id) => {
    const dimensions = listsOf(id).filter((dimension) => hasList(listed, dimension));
    const front = frontOf(dimensions, listed.selection);
    return {
      id,
      lists: dimensions.map((dimension) => makeList(listed, id, dimensions, dimension, dimension === front)),
    };
  });
  const { properties } = listed;
  if (properties !== undefined && properties.values.length > 0) {
    cards.push({ id: 'properties', lists: makePropertyLists(listed, properties) });
  }
  return cards;
}

function listsOf(card: (typeof CARDS)[number]): Dimension[] {
  return LISTED_DIMENSIONS.filter((dimension) => DIMENSION_TABLE[dimension].card === card);
}

/** Whether the page has a list; one of values that most visits lack only has its place if a visit has one, or it was asked for. */
function hasList({ values, selection }: Listed, dimension: Dimension): boolean {
  if (DIMENSION_TABLE[dimension].isSeldom !== true || selection.lists.includes(dimension)) return true;
  return values.get(dimension)?.rows.some(({ value }) => value !== null) ?? false;
}

/** The lists that are in front of their cards. */
export function frontLists(selection: Selection): Dimension[] {
  return CARDS.flatMap((id) => {
    const dimensions = listsOf(id);
    return frontOf(dimensions, selection) ?? [];
  });
}

function frontOf(dimensions: readonly Dimension[], { lists }: Selection): Dimension | undefined {
  return dimensions.find((dimension) => lists.includes(dimension)) ?? dimensions[0];
}

/** The property that is in front, with its first values. */
export function frontProperty(
  { values }: EventProperties,
  selection: Selection,
): EventProperties['values'][number] | undefined {
  return values.find(([property]) => property === selection.property) ?? values[0];
}

function makeList(
  listed: Listed,
  card: string,
  ofCard: readonly Dimension[],
  dimension: Dimension,
  isInFront: boolean,
): ListView {
  const { locale, path, selection } = listed;
  const words = locale.words.dimensions[dimension];
  const tabs: Partial<Record<Dimension, string>> = locale.words.tabs;
  const tab = tabs[dimension] ?? words.many;
  const top = listed.values.get(dimension);
  const total = top?.total ?? 0;
  const others = selection.lists.filter((list) => !ofCard.includes(list));
  const lists = dimension === ofCard[0] ? others : [...others, dimension];
  return {
    dimension,
    title: words.many,
    tab,
    head: words.one,
    isInFront,
    href: `${hrefOf(path, { ...selection, lists })}#${card}`,
    rows: top && makeRows(listed, dimension, top.rows, isInFront ? listed.rates.get(dimension) : undefined),
    more: {
      href: hrefOf(listPath(path, dimension), selection),
      text: locale.words.lists.all(total, words.one, words.many),
    },
    csvHref: hrefOf(listCsvPath(path, dimension), withoutLook(selection)),
    without: listed.imported.length === 0 ? undefined : withoutDays(locale, listed.imported, listed.query, dimension),
  };
}

function makePropertyLists(listed: Listed, properties: EventProperties): ListView[] {
  const { locale, path, selection } = listed;
  const { lists } = locale.words;
  const { event, values } = properties;
  const front = frontProperty(properties, selection);
  return values.map((entry): ListView => {
    const [property, page] = entry;
    const address = (list: string, chosen = selection) => `${list}?${propertyParameters(chosen, event, property)}`;
    return {
      dimension: 'property',
      title: lists.propertiesOf(event),
      tab: nameOfProperty(locale, property),
      head: nameOfProperty(locale, property),
      isInFront: entry === front,
      href: `${hrefOf(path, { ...selection, property })}#properties`,
      rows: makeRows(listed, 'property', page.rows, entry === front ? listed.rates.get('property') : undefined),
      more: { href: address(listPath(path, 'property')), text: lists.all(page.total, lists.value, lists.values) },
      csvHref: address(listCsvPath(path, 'property'), withoutLook(selection)),
      without: undefined,
    };
  });
}

/** A property as people read it: its name can be empty. */
export function nameOfProperty({ words }: Locale, property: string): string {
  return property === '' ? words.lists.unnamed : property;
}

/** The parameters of a page about one property. */
function propertyParameters(selection: Selection, event: string, property: string): URLSearchParams {
  const parameters = parametersOf({ ...selection, property });
  if (eventOf(selection) === undefined) parameters.set('event', event);
  return parameters;
}

/**
 * Rows as the page shows them; filters link to the statistics page.
 *
 * @param rates the conversion rate of each row, if the list shows a goal
 */
export function makeRows(
  {
    locale,
    path,
    selection,
    visitors,
    isCompared,
  }: Pick<Listed, 'locale' | 'path' | 'selection' | 'visitors' | 'isCompared'>,
  dimension: Dimension | 'property',
  rows: readonly TopValue[],
  rates: readonly (number | null)[] | undefined,
): RowView[] {
  const most = Math.max(1, ...rows.map((row) => row.visitors));
  return rows.map((row, index): RowView => {
    const filtered = dimension === 'property' || row.value === OTHER_VALUES ? undefined : dimension;
    const isFilter = filtered !== undefined && isFilteredBy(selection, filtered, row.value);
    const single = filtered && valueFilter(filtered, row.value);
    const chosen = single && (isFilter ? withoutValue(selection, single) : withFilter(selection, single));
    return {
      value: row.value,
      label:
        dimension === 'property'
          ? row.value || locale.words.lists.emptyValue
          : formatValue(locale, dimension, row.value),
      tile: tileOfRow(dimension, row.value),
      href: chosen && hrefOf(path, chosen),
      isFilter,
      visitors: row.visitors,
      change: isCompared ? rowChange(locale, row.visitors, row.before) : undefined,
      isAtMost: areVisitorsAtMost(row),
      share: visitors === 0 ? 0 : row.visitors / visitors,
      bar: row.visitors / most,
      color: dimension === 'channel' ? COLORS.get(row.value) : undefined,
      events: dimension === 'event' || dimension === 'property' ? row.events : undefined,
      rate: rates?.[index],
    };
  });
}

/** The change of a row; `undefined` if it had no visitors before and has none now, or if the number before is not known. */
export function rowChange(locale: Locale, visitors: number, before: number | null | undefined): RowChange | undefined {
  return before === 0 && visitors > 0 ? 'new' : changeOf(locale, 'visitors', visitors, before);
}

/** A source has its letter, a country its code. */
function tileOfRow(dimension: Dimension | 'property', value: string | null): Tile | undefined {
  if (dimension !== 'source' && dimension !== 'country') return undefined;
  if (value === OTHER_VALUES) return { text: '…', color: undefined };
  if (dimension === 'country') return { text: value ?? '?', color: undefined };
  return value === null ? { text: '→', color: undefined } : tileOf(value);
}
