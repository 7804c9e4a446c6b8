import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { codeOf, isOfHits, type Kind, type KindOfHits, NUMBERS, SUMS_TO_STORE } from '../summary-columns.ts';
import { IS_OF_VISIT } from '../visits/visits.ts';
import { HOUR_VALUE, type Hours, hourOf, hoursAround, NO_HOURS } from './hours.ts';
import { FOR_NUMBERS, isSplit, numbersOfVisits, valuesOfVisit } from './visit-numbers.ts';

/** The columns of hits that the numbers of a day need. */
export const HIT_COLUMNS = ['website_number', 'day', 'visitor', 'time', 'page', 'name'] as const;

/** Visits to count. */
export interface VisitsToCount {
  readonly visits: Cte;
  /** A select of the hits that the visits are made of, with at least `HIT_COLUMNS`; it may have others. */
  readonly hits: RawBuilder<unknown>;
  readonly days: readonly Day[];
  /** Of their websites. */
  readonly zone: TimeZone;
  /** Whether the values of a day beyond the first `MAX_VALUES_PER_DAY` become `OTHER_VALUES`. */
  readonly isFolded: boolean;
}

/**
 * The numbers of each website, day, kind and value. They make summaries, and days without one are read from them, so
 * summarising a day changes no number. Most kinds have one value for each visit, and are counted by `numbersOfVisits`. Visits
 * with several pages, events or hours are split into items.
 */
export function dayValues(source: VisitsToCount, kinds: readonly Kind[]): Cte {
  const { visits, days, zone } = source;
  const hours = kinds.includes('hour') ? hoursAround(zone, days) : NO_HOURS;
  const repeated = cte(
    'repeated_visitor',
    sql`select ${VISITOR} from ${visits} group by ${VISITOR} having count(*) > 1`,
  );
  const counted = cte(
    'counted_visit',
    sql`
      select *, 1 as sign, (${VISITOR}) in (select ${VISITOR} from ${repeated}) as repeats, ${FOR_NUMBERS}
      from ${visits}`,
  );
  const withHours = { ...source, hours };
  const items = kinds
    .filter(isOfHits)
    .map((kind) => itemsOfHits(kind, chosenOf(counted, isSplit(kind, hours)), withHours));
  const ofValue = cte(
    'value_of_day',
    sql.join([...numbersOfVisits(counted, kinds, hours), ...numbersOfSplitVisits(items)], sql` union all `),
    { columns: sql`${VALUE}, ${NUMBERS}` },
  );
  const summed = cte('summed_value', sql`select ${VALUE}, ${SUMS_TO_STORE} from ${ofValue} group by ${VALUE}`);
  return cte('day_value', source.isFolded ? folded(summed, counted, withHours, kinds) : sql`select * from ${summed}`);
}

const VISITOR = sql`website_number, day, visitor`;
const VALUE = sql`website_number, day, dimension, value`;

/** The columns of an item: a visit and one of its values. It does not count as a visit in the hours in which it only continues. */
const ITEM = sql`${VISITOR}, started, repeats, is_bounce, has_pageview, duration, dimension, value, counts, pageviews, events`;

/** The columns of an item that it has from its visit. */
const OF_VISIT = sql`visit.website_number, visit.day, visit.visitor, visit.started, visit.repeats, visit.is_bounce,
  visit.has_pageview, visit.duration`;

/** The hits that items are made of, and the hours of these hits. */
interface ItemSource extends Pick<VisitsToCount, 'hits'> {
  readonly hours: Hours;
}

function chosenOf(counted: Cte, isChosen: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from ${counted} visit where ${isChosen})`;
}

/** Selects the numbers of items. Counting distinct visitors takes a sort, which visitors with a single visit can do without. */
function numbersOfSplitVisits(items: readonly RawBuilder<unknown>[]): RawBuilder<unknown>[] {
  if (items.length === 0) return [];
  const item = cte('item', sql.join(items, sql` union all `), { columns: ITEM });
  return [
    sql`select ${VALUE}, ${numbersOfItems(sql`count(*)`)} from ${item} where not repeats group by ${VALUE}`,
    sql`select ${VALUE}, ${numbersOfItems(sql`count(distinct visitor)`)} from ${item} where repeats group by ${VALUE}`,
  ];
}

function itemsOfVisits(visits: RawBuilder<unknown>, kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`
    select ${OF_VISIT}, of_visit.dimension, of_visit.value, true, visit.pageviews, visit.events
    from ${visits} visit cross join lateral (values ${valuesOfVisit(kinds)}) of_visit (dimension, value)`;
}

function itemsOfHits(kind: KindOfHits, visits: RawBuilder<unknown>, { hits, hours }: ItemSource): RawBuilder<unknown> {
  const visitsWithHits = sql`${visits} visit join (${hits}) hit on ${IS_OF_VISIT}`;
  switch (kind) {
    case 'page':
      return sql`
        select ${OF_VISIT}, ${codeOf(kind)}, hit.page, true, count(*), 0
        from ${visitsWithHits} where hit.name is null
        group by ${OF_VISIT}, hit.page`;
    case 'event':
      return sql`
        select ${OF_VISIT}, ${codeOf(kind)}, hit.name, true, 0, count(*)
        from ${visitsWithHits} where hit.name is not null
        group by ${OF_VISIT}, hit.name`;
    case 'hour':
      return sql`
        select ${OF_VISIT}, ${codeOf(kind)}, ${HOUR_VALUE}, hour = ${hourOf('visit.started', hours)}, pageviews, events
        from (
          select ${OF_VISIT}, ${hourOf('hit.time', hours)} as hour,
            count(*) filter (where hit.name is null) as pageviews,
            count(*) filter (where hit.name is not null) as events
          from ${visitsWithHits}
          group by ${OF_VISIT}, hour
        ) visit`;
  }
}

/** The numbers of grouped rows of `item`; `visitors` counts them. */
function numbersOfItems(visitors: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    ${visitors} as visitors,
    count(*) filter (where counts) as visits,
    sum(pageviews)::bigint as pageviews,
    sum(events)::bigint as events,
    count(*) filter (where counts and is_bounce) as bounces,
    count(*) filter (where counts and has_pageview) as visits_with_pageviews,
    coalesce(sum(duration) filter (where counts), 0)::bigint as duration`;
}

const OTHER = sql`${OTHER_VALUES}::text collate "C"`;

/** A select of these values, the rare ones folded into one. They count as one, so a visit with several of them counts once. */
function folded(summed: Cte, counted: Cte, source: ItemSource, kinds: readonly Kind[]): RawBuilder<unknown> {
  const list = sql`website_number, day, dimension`;
  // Few days have enough values to need ranking.
  const long = cte(
    'long_list',
    sql`
      select ${list} from ${summed} group by ${list}
      having count(*) > ${MAX_VALUES_PER_DAY} or bool_or(value = ${OTHER})`,
  );
  const isLong = sql`(${list}) in (select ${list} from ${long})`;
  const ranked = cte(
    'ranked',
    sql`
      select *, row_number() over (partition by ${list} order by visitors desc, value) as rank
      from ${summed} where ${isLong}`,
  );
  const isKept = sql`ranked.rank <= ${MAX_VALUES_PER_DAY} and ranked.value is distinct from ${OTHER}`;
  // Without long lists, no hit is read.
  const hits = sql`select * from (${source.hits}) hit where exists (select from ${long})`;
  const isOfDay = sql`(website_number, day) in (select website_number, day from ${long})`;
  const visits = chosenOf(counted, isOfDay);
  const ofVisits = kinds.filter((kind) => !isOfHits(kind));
  const items = [
    ...(ofVisits.length > 0 ? [itemsOfVisits(visits, ofVisits)] : []),
    ...kinds.filter(isOfHits).map((kind) => itemsOfHits(kind, visits, { ...source, hits })),
  ];
  const item = cte('item_to_fold', sql.join(items, sql` union all `), { columns: ITEM });
  return sql`
    select ${VALUE}, ${NUMBERS} from ${summed} where not ${isLong}
    union all
    select ${VALUE}, ${NUMBERS} from ${ranked} ranked where ${isKept}
    union all
    select ${list}, ${OTHER}, ${numbersOfItems(sql`count(distinct visitor)`)}
    from (
      select item.website_number, item.day, item.dimension, item.visitor, item.started, bool_or(item.counts) as counts,
        sum(item.pageviews) as pageviews, sum(item.events) as events, bool_or(item.is_bounce) as is_bounce,
        bool_or(item.has_pageview) as has_pageview, max(item.duration) as duration
      from ${ranked} ranked join ${item} item
        on item.website_number = ranked.website_number and item.day = ranked.day and item.dimension = ranked.dimension
        and coalesce(item.value, '') = coalesce(ranked.value, '') and (item.value is null) = (ranked.value is null)
      where not (${isKept})
      group by item.website_number, item.day, item.dimension, item.visitor, item.started
    ) other
    group by ${list}`;
}
