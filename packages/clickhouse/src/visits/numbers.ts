import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain/hits';
import { ENGAGED_SECONDS, MEASURE_CODES, type NumberKind } from '@hitherto/domain/visits';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { hasSeveralValues, NUMBER_COLUMNS, type NumberColumn } from '../tables/kinds.ts';
import { isChosenOf, selectVisits, shownColumn, VISITORS, type VisitScope, visitTable } from './select-visits.ts';

/** How visits are grouped: by a kind, or by the values of a property of the events of one name, or of any. */
type NumberGrouping = NumberKind | { readonly event: string | undefined; readonly property: string };

/** The inputs of a select of items or numbers. */
export interface NumbersOptions {
  readonly scope: VisitScope;
  /** The starts of the hours of a visit's hits (`hoursOfHits`), for the kind `hour`. */
  readonly hours?: Sql;
  /** The kinds for which only a day's values with the most visitors are stored; the rest becomes {@link OTHER_VALUES}. */
  readonly folded: readonly NumberKind[];
  /**
   * All numbers, or those of short lists (`LISTED`), which are cheaper to read: other numbers may be 0, except for the kind
   * `total`, and a value may be counted over all days of the website together. Its row then has no real day.
   */
  readonly counted: 'all' | 'listed';
}

/** The items of visits: each visit has one for each of its different values. */
interface ItemsOf {
  /** The columns of visits that the other fields read. */
  readonly columns: readonly string[];
  /** The value, or `list`, the values of the visit's hits, perhaps with the codes of their measures. */
  readonly values: { readonly value: Sql } | { readonly list: Sql; readonly codes?: Sql };
  readonly pageviews: Sql;
  readonly events: Sql;
  /** The measured pageviews, their seconds and scroll. */
  readonly engagement: readonly [measured: Sql, seconds: Sql, scroll: Sql];
  /** Whether the visit itself counts here; in an hour in which it only continues, it does not. */
  readonly counts: Sql;
}

const TRUE = sql`true`;
const NONE = sql`0`;

/** Joins the different values of `list`, each with how often it occurs there as `occurrences`, in one pass over the list. */
const JOIN_VALUES: Sql = sql`
  array join arrayFilter((x, n) -> n = 1, list, arrayEnumerateUniq(list)) as value,
    arrayFilter((left, n) -> n = 1, arrayReverse(arrayEnumerateUniq(arrayReverse(list))), arrayEnumerateUniq(list)) as occurrences`;
const OCCURRENCES: Sql = raw('occurrences');

/** Joins the different values of `list`, each with those of `codes` that stand at its places, by sorting both. */
const JOIN_MEASURED: Sql = sql`
  array join arrayFilter((x, n) -> n = 1, arraySort(list), arrayEnumerateUniq(arraySort(list))) as value,
    arraySplit((c, n) -> n = 1, arraySort((c, x) -> x, codes, list), arrayEnumerateUniq(arraySort(list))) as item_codes`;

/** The source of each number of a visit. */
const VISIT_NUMBERS = ['duration', 'pageviews', 'events', 'measured', 'seconds', 'scroll'] as const;

/** The engagement of items without pageviews, and of those of a whole visit. */
const NOT_MEASURED = [NONE, NONE, NONE] as const;
const OF_VISIT = [raw('measured'), raw('seconds'), raw('scroll')] as const;

/** The engagement of hits, by the codes of their measures, or 0 where they have none. */
function engagementOf(codes: Sql) {
  const sumOf = (number: Sql) => sql`arraySum(c -> if(c > 0, ${number}, 0), ${codes})`;
  return [
    sumOf(sql`1`),
    sumOf(sql`intDiv(c - 1, ${MEASURE_CODES})`),
    sumOf(sql`modulo(c - 1, ${MEASURE_CODES})`),
  ] as const;
}

function itemsOf(grouping: NumberGrouping, options: NumbersOptions): ItemsOf {
  const measures = options.counted === 'all' ? ['measures'] : [];
  if (typeof grouping === 'object') {
    const { event, property } = grouping;
    const isNamed = event === undefined ? sql`n != ''` : sql`n = ${event}`;
    const list = sql`arrayMap(m -> m[${property}], arrayFilter((m, n) -> ${isNamed} and mapContains(m, ${property}), props, names))`;
    return {
      columns: ['names', 'props'],
      values: { list },
      pageviews: NONE,
      events: OCCURRENCES,
      engagement: NOT_MEASURED,
      counts: TRUE,
    };
  }
  if (grouping === 'hour') {
    if (options.hours === undefined) throw new Error('Hours are those of a time zone.');
    return {
      columns: ['started', 'times', 'names', ...measures],
      values: { list: sql`arrayMap(x -> toString(x), ${options.hours})` },
      pageviews: sql`arrayCount((h, n) -> h = value and n = '', list, names)`,
      events: sql`arrayCount((h, n) -> h = value and n != '', list, names)`,
      engagement: engagementOf(sql`arrayFilter((c, h) -> h = value, arrayResize(measures, length(list)), list)`),
      counts: sql`list[1] = value`,
    };
  }
  if (grouping === 'page' || grouping === 'event') {
    const column = grouping === 'page' ? 'pages' : 'names';
    const list = sql`arrayMap(x -> ${keptValue(grouping, raw('x'), options)}, arrayFilter(x -> x != '', ${raw(column)}))`;
    if (grouping === 'event') {
      return {
        columns: ['names'],
        values: { list },
        pageviews: NONE,
        events: OCCURRENCES,
        engagement: NOT_MEASURED,
        counts: TRUE,
      };
    }
    if (options.counted === 'listed') {
      return {
        columns: ['pages'],
        values: { list },
        pageviews: OCCURRENCES,
        events: NONE,
        engagement: NOT_MEASURED,
        counts: TRUE,
      };
    }
    return {
      columns: ['pages', 'measures'],
      values: { list, codes: sql`arrayFilter((c, p) -> p != '', arrayResize(measures, length(pages)), pages)` },
      pageviews: sql`length(item_codes)`,
      events: NONE,
      engagement: engagementOf(raw('item_codes')),
      counts: TRUE,
    };
  }
  return {
    columns: grouping === 'total' ? [] : [grouping],
    values: { value: grouping === 'total' ? sql`''` : keptValue(grouping, raw(grouping), options) },
    pageviews: raw('pageviews'),
    events: raw('events'),
    engagement: OF_VISIT,
    counts: TRUE,
  };
}

/** How many conversions a visit has, and the columns of visits that this reads. */
interface ConversionsOfVisit {
  readonly conversions: Sql;
  readonly columns: readonly string[];
}

/**
 * A select of the items of visits.
 *
 * @param converted what each item tells of its visit as `conversions`
 */
export function selectItems(grouping: NumberGrouping, options: NumbersOptions, converted?: ConversionsOfVisit): Sql {
  const { columns, values, pageviews, events, engagement, counts } = itemsOf(grouping, options);
  const ofVisit = options.counted === 'all' ? VISIT_NUMBERS : [];
  const visits = selectVisits(options.scope, [...columns, ...ofVisit, ...(converted?.columns ?? [])]);
  const numbers =
    options.counted === 'all'
      ? sql`${ALL_OF_VISIT}, ${pageviews} as item_pageviews, ${itemEngagement(engagement)},`
      : sql``;
  // Counted before items repeat the lists of their visit.
  const conversions = converted === undefined ? sql`` : sql`, ${converted.conversions} as conversions`;
  const [value, source] =
    'value' in values
      ? [values.value, sql`(select * ${conversions} from (${visits}))`]
      : [raw('value'), joined(values, visits, conversions)];
  const itemEvents = options.counted === 'all' || grouping === 'event' ? events : NONE;
  return sql`
    select website, day, visitor, is_only, ${counts} as counts, ${numbers} ${itemEvents} as item_events, ${value} as value
      ${converted === undefined ? sql`` : sql`, conversions`}
    from ${source}`;
}

/** Visits with each of their values. */
function joined({ list, codes }: { readonly list: Sql; readonly codes?: Sql }, visits: Sql, conversions: Sql): Sql {
  return codes === undefined
    ? sql`(select *, ${list} as list ${conversions} from (${visits})) ${JOIN_VALUES}`
    : sql`(select *, ${list} as list, ${codes} as codes ${conversions} from (${visits})) ${JOIN_MEASURED}`;
}

const ALL_OF_VISIT: Sql = sql`
  duration, pageviews = 1 and events = 0 as is_bounce, pageviews > 0 as has_pageviews, measured > 0 as is_measured,
  is_measured and (seconds >= ${ENGAGED_SECONDS} or pageviews >= 2 or events > 0) as is_engaged`;

function itemEngagement([measured, seconds, scroll]: ItemsOf['engagement']): Sql {
  return sql`${measured} as item_measured, ${seconds} as item_seconds, ${scroll} as item_scroll`;
}

/** How items of one website are counted. */
const COUNTS: Readonly<Record<NumberColumn, Sql>> = {
  visitors: VISITORS,
  visits: sql`countIf(counts)`,
  pageviews: sql`sum(item_pageviews)`,
  events: sql`sum(item_events)`,
  bounces: sql`countIf(counts and is_bounce)`,
  visits_with_pageviews: sql`countIf(counts and has_pageviews)`,
  duration: sql`sumIf(duration, counts)`,
  measured: sql`sum(item_measured)`,
  seconds: sql`sum(item_seconds)`,
  scroll: sql`sum(item_scroll)`,
  measured_visits: sql`countIf(counts and is_measured)`,
  engaged_visits: sql`countIf(counts and is_engaged)`,
};

const NOT_COUNTED: Sql = sql`toUInt64(0)`;

function numbersBy(numberOf: (column: NumberColumn) => Sql): Sql {
  return join(NUMBER_COLUMNS.map((column) => sql`${numberOf(column)} as ${raw(column)}`));
}

const ALL_COUNTS: Sql = numbersBy((column) => COUNTS[column]);

/**
 * A select of the numbers of values by website, day and kind, with the columns of `NUMBER_COLUMNS`. The kind of a property is
 * empty.
 */
export function selectNumbers(
  groupings: readonly NumberKind[] | Exclude<NumberGrouping, NumberKind>,
  options: NumbersOptions,
): Sql {
  if ('property' in groupings) return numbersOfItems(groupings, options);
  // Values are folded by day.
  if (options.counted === 'listed' && options.folded.length > 0) {
    return unionAll(groupings.map((kind) => visitorsOf(kind, options, 'day')));
  }
  const single = groupings.filter((kind) => !hasSeveralValues(kind));
  const numbersOf = (kind: NumberKind) =>
    options.counted === 'all' ? numbersOfItems(kind, options) : visitorsOf(kind, options, 'value');
  return unionAll([
    ...(single.length === 0 ? [] : [numbersByOneScan(single, options)]),
    ...groupings.filter(hasSeveralValues).map(numbersOf),
  ]);
}

function numbersOfItems(grouping: NumberGrouping, options: NumbersOptions): Sql {
  return sql`
    select website, day, ${typeof grouping === 'object' ? '' : grouping} as kind, toString(value) as value, ${ALL_COUNTS}
    from (${selectItems(grouping, { ...options, counted: 'all' })}) group by website, day, value`;
}

/**
 * The listed numbers. A row of `visitor_day` is one visitor, so chosen visits of a row need not be told apart.
 *
 * @param by the value and the day, or the value alone, which is much faster
 */
function visitorsOf(kind: NumberKind, options: NumbersOptions, by: 'day' | 'value'): Sql {
  if (kind === 'total' || kind === 'hour') return numbersOfItems(kind, options);
  const isSeveral = hasSeveralValues(kind);
  const chosen = chosenOf(shownColumn(isSeveral ? VALUES_OF_HITS[kind] : kind, options.scope), options.scope);
  const all = isSeveral ? sql`arrayFlatten(${chosen})` : chosen;
  const list = options.folded.includes(kind) ? sql`arrayMap(x -> ${keptValue(kind, raw('x'), options)}, ${all})` : all;
  const numbers: Partial<Record<NumberColumn, Sql>> = {
    visitors: sql`count()`,
    ...(kind === 'event' ? { events: sql`sum(${OCCURRENCES})` } : {}),
  };
  const [days, keys] = by === 'day' ? [sql`website, day`, sql`website, day, value`] : [NO_DAY, sql`value`];
  return sql`
    select ${days}, ${kind} as kind, toString(value) as value, ${numbersBy((column) => numbers[column] ?? NOT_COUNTED)}
    from (select website, day, ${list} as list from ${visitTable(options.scope)} where ${options.scope.rows})
    ${kind === 'event' ? JOIN_VALUES : sql`array join arrayDistinct(list) as value`} ${isSeveral ? sql`where value != ''` : sql``} group by ${keys}`;
}

const NO_DAY: Sql = sql`toUInt64(0) as website, toDate(0) as day`;

/** The elements of a column of `visitor_day` that are of chosen visits. */
function chosenOf(column: Sql, { filter, ...scope }: VisitScope): Sql {
  return filter === undefined ? column : sql`arrayFilter((v, c) -> c, ${column}, ${isChosenOf(filter, scope)})`;
}

/** The columns with a list of values for each visit. */
const VALUES_OF_HITS = { page: 'pages', event: 'names' } as const;

/** The numbers of kinds for which each visit has one value. */
function numbersByOneScan(kinds: readonly NumberKind[], options: NumbersOptions): Sql {
  const columns = kinds.filter((kind) => kind !== 'total');
  const [only = 'total', ...others] = columns;
  if (others.length === 0 && kinds.length === 1) return numbersOfItems(only, options);
  const kept = columns.map((kind) => sql`, ${keptValue(kind, raw(kind), options)} as ${raw(kind)}`);
  const keysOf = (kind: NumberKind) => (options.counted === 'all' ? sql`website, day, ${raw(kind)}` : raw(kind));
  const sets = kinds.map((kind) => (kind === 'total' ? sql`(website, day)` : sql`(${keysOf(kind)})`));
  const ofSet = (select: (kind: NumberKind) => Sql) =>
    sql`multiIf(${join(columns.flatMap((kind) => [sql`grouping(${raw(kind)}) = 0`, select(kind)]))}, ${select('total')})`;
  return sql`
    select any(website) as website, any(day) as day, ${ofSet((kind) => sql`${kind}`)} as kind,
      ${ofSet((kind) => (kind === 'total' ? sql`''` : sql`toString(${raw(kind)})`))} as value, ${ALL_COUNTS}
    from (
      select website, day, visitor, is_only, true as counts, ${ALL_OF_VISIT}, pageviews as item_pageviews,
        events as item_events, ${itemEngagement(OF_VISIT)} ${join(kept, '')}
      from (${selectVisits(options.scope, [...columns, ...VISIT_NUMBERS])})
    )
    group by grouping sets (${join(sets)})`;
}

/** A value of a visit as its day keeps it. */
function keptValue(kind: NumberKind, value: Sql, options: NumbersOptions): Sql {
  if (!options.folded.includes(kind)) return value;
  return sql`if((website, day, toString(${value})) in (${selectOverflow(kind, options)}), ${OTHER_VALUES}, toString(${value}))`;
}

/** A select of the websites, days and values of a kind that a day does not keep. */
function selectOverflow(kind: NumberKind, options: NumbersOptions): Sql {
  return sql`
    select website, day, value from (
      select website, day, value, row_number() over (
        partition by website, day order by visitors desc, value = '', value
      ) as rank
      from (${visitorsOf(kind, { ...options, folded: [] }, 'day')})
    )
    where rank > ${MAX_VALUES_PER_DAY}`;
}

/** Whether a day with this many hits can have more values than are stored. */
export function canOverflow({ hits }: { readonly hits: number }): boolean {
  return hits > MAX_VALUES_PER_DAY;
}
