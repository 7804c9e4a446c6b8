import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { hasSeveralValues, isUnbounded, type Kind } from '../tables/kinds.ts';
import { selectVisits, type VisitScope } from './select-visits.ts';

/** How visits are grouped: by a kind, or by the values of a property of the events of one name, or of any. */
export type Grouping = Kind | { readonly event: string | undefined; readonly property: string };

/** The items of visits: each visit has one for each of its different values. */
interface ItemsOf {
  /** The columns of visits that the others read. */
  readonly columns: readonly string[];
  readonly kind: Sql;
  readonly value: Sql;
  /** A list by whose elements a visit is repeated, with their name. */
  readonly each?: { readonly list: Sql; readonly name: string };
  readonly pageviews: Sql;
  readonly events: Sql;
  /** Whether the visit itself counts here; in an hour in which it only continues, it does not. */
  readonly counts: Sql;
  /** The condition that a day can have more values of the kind than it keeps; `undefined` if it cannot. */
  readonly isUnbounded: Sql | undefined;
}

const TRUE = sql`true`;
const OF_VISIT = { pageviews: raw('pageviews'), events: raw('events'), counts: TRUE };

/** Items of kinds of which a visit has one value each: all of them by one scan. */
function itemsOfKinds(kinds: readonly Kind[]): ItemsOf {
  const columns = kinds.filter((kind) => kind !== 'total');
  const columnOf = (kind: Kind) => (kind === 'total' ? sql`''` : raw(kind));
  const unbounded = kinds.filter(isUnbounded);
  const [only] = kinds;
  const common = { columns, ...OF_VISIT };
  if (only !== undefined && kinds.length === 1) {
    const isUnbounded = unbounded.length === 0 ? undefined : TRUE;
    return { ...common, kind: sql`${only}`, value: columnOf(only), isUnbounded };
  }
  const list = kinds.map((kind) => sql`(${kind}, toString(${columnOf(kind)}))`);
  return {
    ...common,
    kind: raw('item.1'),
    value: raw('item.2'),
    each: { list: sql`[${join(list)}]`, name: 'item' },
    isUnbounded: unbounded.length === 0 ? undefined : sql`kind in (${join(unbounded)})`,
  };
}

function itemsOfValues(grouping: Exclude<Grouping, Kind> | 'page' | 'event' | 'hour', hours: Sql | undefined): ItemsOf {
  const value = raw('value');
  const each = (list: Sql) => ({ value, each: { list: sql`arrayDistinct(${list})`, name: 'value' } });
  if (typeof grouping === 'object') {
    const { event, property } = grouping;
    const isNamed = event === undefined ? sql`n != ''` : sql`n = ${event}`;
    const values = sql`arrayMap(m -> m[${property}], arrayFilter((m, n) -> ${isNamed} and mapContains(m, ${property}), props, names))`;
    return {
      columns: ['names', 'props'],
      kind: sql`''`,
      ...each(values),
      pageviews: sql`0`,
      events: sql`countEqual(${values}, value)`,
      counts: TRUE,
      isUnbounded: undefined,
    };
  }
  if (grouping === 'hour') {
    if (hours === undefined) throw new Error('Hours are those of a time zone.');
    const texts = sql`arrayMap(x -> toString(x), ${hours})`;
    return {
      columns: ['times', 'names'],
      kind: sql`${grouping}`,
      ...each(texts),
      pageviews: sql`arrayCount((h, n) -> h = value and n = '', ${texts}, names)`,
      events: sql`arrayCount((h, n) -> h = value and n != '', ${texts}, names)`,
      counts: sql`(${texts})[1] = value`,
      isUnbounded: undefined,
    };
  }
  const list = raw(grouping === 'page' ? 'pages' : 'names');
  const count = sql`countEqual(${list}, value)`;
  return {
    columns: [list.text],
    kind: sql`${grouping}`,
    ...each(sql`arrayFilter(x -> x != '', ${list})`),
    pageviews: grouping === 'page' ? count : sql`0`,
    events: grouping === 'event' ? count : sql`0`,
    counts: TRUE,
    isUnbounded: TRUE,
  };
}

/** The inputs of a select of items, apart from the visits. */
export interface NumbersOptions {
  readonly scope: VisitScope;
  /** The starts of the hours of a visit's hits (`hoursOfHits`), for the kind `hour`. */
  readonly hours?: Sql;
  /** Whether a day keeps the values with the most visitors alone, and the rest is {@link OTHER_VALUES}. */
  readonly isFolded: boolean;
  /** Further columns that items have of their visit, with the columns of visits that they are computed from. */
  readonly further?: { readonly columns: readonly string[]; readonly selects: Readonly<Record<string, Sql>> };
}

/** A select of the items of visits. */
export function selectItems(grouping: Grouping, options: NumbersOptions): Sql {
  const isList = typeof grouping === 'object' || hasSeveralValues(grouping);
  return fold(isList ? itemsOfValues(grouping, options.hours) : itemsOfKinds([grouping]), options);
}

/** Selects of the items of several kinds, by as few scans as possible. */
function selectItemsOfKinds(kinds: readonly Kind[], options: NumbersOptions): Sql[] {
  const single = kinds.filter((kind) => !hasSeveralValues(kind));
  const others = kinds.filter(hasSeveralValues);
  return [
    ...(single.length === 0 ? [] : [fold(itemsOfKinds(single), options)]),
    ...others.map((kind) => selectItems(kind, options)),
  ];
}

function fold(of: ItemsOf, options: NumbersOptions): Sql {
  const items = plainItems(of, options);
  if (!options.isFolded || of.isUnbounded === undefined) return items;
  const further = Object.keys(options.further?.selects ?? {}).map((name) => sql`, any(${raw(name)}) as ${raw(name)}`);
  // A visit counts once, however many of its values are folded.
  return sql`
    select website, day, visitor, is_only, started, kind, any(duration) as duration,
      any(is_bounce) as is_bounce, any(has_pageviews) as has_pageviews, any(counts) as counts,
      sum(item_pageviews) as item_pageviews, sum(item_events) as item_events, folded as value ${join(further, '')}
    from (
      select *, if(
        (website, day, kind, value) in (${overflow(items, of.isUnbounded)}), ${OTHER_VALUES}, toString(value)
      ) as folded
      from (${items})
    )
    group by website, day, visitor, is_only, started, kind, folded`;
}

function plainItems(of: ItemsOf, { scope, further }: NumbersOptions): Sql {
  const selects = Object.entries(further?.selects ?? {}).map(([name, select]) => sql`, ${select} as ${raw(name)}`);
  return sql`
    select website, day, visitor, is_only, started, duration,
      pageviews = 1 and events = 0 as is_bounce, pageviews > 0 as has_pageviews, ${of.counts} as counts,
      ${of.pageviews} as item_pageviews, ${of.events} as item_events, ${of.kind} as kind, ${of.value} as value
      ${join(selects, '')}
    from (${selectVisits(scope, [...of.columns, ...(further?.columns ?? [])])})
    ${of.each === undefined ? sql`` : sql`array join ${of.each.list} as ${raw(of.each.name)}`}`;
}

/** A select of the websites, days, kinds and values that a day does not keep. */
function overflow(items: Sql, isUnbounded: Sql): Sql {
  return sql`
    select website, day, kind, value from (
      select website, day, kind, value, row_number() over (
        partition by website, day, kind order by visitors desc, value = '', value
      ) as rank
      from (
        select website, day, kind, value, countIf(is_only) + uniqExactIf(visitor, not is_only) as visitors
        from (${items}) where ${isUnbounded} group by website, day, kind, value
      )
    ) where rank > ${MAX_VALUES_PER_DAY}`;
}

/** A select of numbers by website, day, kind and value, with the columns of `NUMBER_COLUMNS`. */
function numbersOf(items: Sql): Sql {
  return sql`
    select website, day, kind, toString(value) as value,
      countIf(is_only) + uniqExactIf(visitor, not is_only) as visitors, countIf(counts) as visits,
      sum(item_pageviews) as pageviews, sum(item_events) as events,
      countIf(counts and is_bounce) as bounces, countIf(counts and has_pageviews) as visits_with_pageviews,
      sumIf(duration, counts) as duration
    from (${items}) group by website, day, kind, value`;
}

/** The numbers of values by website, day and kind; the kind of a property is empty. */
export function selectNumbers(groupings: readonly Kind[] | Exclude<Grouping, Kind>, options: NumbersOptions): Sql {
  const items = 'property' in groupings ? [selectItems(groupings, options)] : selectItemsOfKinds(groupings, options);
  return unionAll(items.map(numbersOf));
}

/** Whether a day with so many hits can have more values than it keeps. */
export function canOverflow({ hits }: { readonly hits: number }): boolean {
  return hits > MAX_VALUES_PER_DAY;
}
