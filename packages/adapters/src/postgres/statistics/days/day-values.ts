import { type Day, MAX_VALUES_PER_DAY, OTHER_VALUES, type TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { codeOf, isOfHits, type Kind, type KindOfHits, SUMS_TO_STORE } from '../summary-columns.ts';
import { IS_OF_VISIT } from '../visits/visits.ts';
import { HOUR_VALUE, hourOf, hoursAround } from './hours.ts';

/** Visits to count. */
export interface VisitsToCount {
  readonly visits: Cte;
  /** A select of the hits that the visits are made of; it may have others. */
  readonly hits: RawBuilder<unknown>;
  readonly days: readonly Day[];
  /** Of their websites. */
  readonly zone: TimeZone;
  /** Whether the values of a day beyond the first `MAX_VALUES_PER_DAY` become `OTHER_VALUES`. */
  readonly isFolded: boolean;
}

/**
 * The numbers of each website, day, kind and value. They make summaries, and days without one are read from them, so
 * summarising a day changes no number.
 */
export function dayValues(source: VisitsToCount, kinds: readonly Kind[]): Cte {
  const { visits } = source;
  const repeated = cte(
    'repeated_visitor',
    sql`select ${VISITOR} from ${visits} group by ${VISITOR} having count(*) > 1`,
  );
  const counted = cte(
    'counted_visit',
    sql`select *, (${VISITOR}) in (select ${VISITOR} from ${repeated}) as repeats, ${FOR_NUMBERS} from ${visits}`,
  );
  // A row for each visit and each of its values. It does not count as a visit in the hours in which it only continues.
  const item = cte('item', sql.join(itemSelects(counted, source, kinds), sql` union all `), {
    columns: sql`${VISITOR}, started, repeats, is_bounce, has_pageview, duration, dimension, value, counts, pageviews, events`,
  });
  // Counting distinct visitors takes a sort, which visitors with a single visit, nearly all, can do without.
  const ofValue = cte(
    'value_of_day',
    sql`
      select ${VALUE}, ${numbersOfItems(sql`count(*)`)} from ${item} where not repeats group by ${VALUE}
      union all
      select ${VALUE}, ${numbersOfItems(sql`count(distinct visitor)`)} from ${item} where repeats group by ${VALUE}`,
  );
  const ranked = cte(
    'ranked',
    sql`
      select ${VALUE}, ${SUMS_TO_STORE}, row_number() over (
        partition by website_number, day, dimension order by sum(visitors) desc, value
      ) as rank
      from ${ofValue} group by ${VALUE}`,
  );
  return cte('day_value', source.isFolded ? folded(ranked, item) : sql`select * from ${ranked}`);
}

const VISITOR = sql`website_number, day, visitor`;
const VALUE = sql`website_number, day, dimension, value`;

/** The columns of a visit that numbers need, computed once for all its items. */
export const FOR_NUMBERS: RawBuilder<unknown> = sql`
  pageviews = 1 and events = 0 as is_bounce,
  pageviews > 0 as has_pageview,
  (extract(epoch from ended - started) * 1000)::bigint as duration`;

/** The columns of an item that it has from its visit. */
const OF_VISIT = sql`visit.website_number, visit.day, visit.visitor, visit.started, visit.repeats, visit.is_bounce,
  visit.has_pageview, visit.duration`;

function itemSelects(counted: Cte, source: VisitsToCount, kinds: readonly Kind[]): RawBuilder<unknown>[] {
  const ofVisits = kinds.filter((kind) => !isOfHits(kind));
  return [
    ...(ofVisits.length > 0 ? [itemsOfVisits(counted, ofVisits)] : []),
    ...kinds.filter(isOfHits).map((kind) => itemsOfHits(kind, counted, source)),
  ];
}

/** Rows of kinds and the values that the columns of `visit` have for them. */
export function valuesOfVisit(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql.join(
    kinds.map(
      (kind) => sql`(${codeOf(kind)}, ${kind === 'total' ? sql`null::text collate "C"` : sql.ref(`visit.${kind}`)})`,
    ),
  );
}

function itemsOfVisits(counted: Cte, kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`
    select ${OF_VISIT}, of_visit.dimension, of_visit.value, true, visit.pageviews, visit.events
    from ${counted} visit cross join lateral (values ${valuesOfVisit(kinds)}) of_visit (dimension, value)`;
}

function itemsOfHits(kind: KindOfHits, counted: Cte, { hits, days, zone }: VisitsToCount): RawBuilder<unknown> {
  const visitsWithHits = sql`${counted} visit join (${hits}) hit on ${IS_OF_VISIT}`;
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
    case 'hour': {
      const hours = hoursAround(zone, days);
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
const IS_KEPT = sql`ranked.rank <= ${MAX_VALUES_PER_DAY} and ranked.value is distinct from ${OTHER}`;

/** A select of ranked values, the rare ones folded into one. They count as one, so a visit with several of them counts once. */
function folded(ranked: Cte, item: Cte): RawBuilder<unknown> {
  return sql`
    select * from ${ranked} ranked where ${IS_KEPT}
    union all
    select website_number, day, dimension, ${OTHER}, ${numbersOfItems(sql`count(distinct visitor)`)}, null
    from (
      select item.website_number, item.day, item.dimension, item.visitor, item.started, bool_or(item.counts) as counts,
        sum(item.pageviews) as pageviews, sum(item.events) as events, bool_or(item.is_bounce) as is_bounce,
        bool_or(item.has_pageview) as has_pageview, max(item.duration) as duration
      from ${ranked} ranked join ${item} item
        on item.website_number = ranked.website_number and item.day = ranked.day and item.dimension = ranked.dimension
        and coalesce(item.value, '') = coalesce(ranked.value, '') and (item.value is null) = (ranked.value is null)
      where not (${IS_KEPT})
      group by item.website_number, item.day, item.dimension, item.visitor, item.started
    ) other
    group by website_number, day, dimension`;
}
