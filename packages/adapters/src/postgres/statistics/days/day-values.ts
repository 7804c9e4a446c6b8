import { MAX_VALUES_PER_DAY, OTHER_VALUES, type TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { chosenVisits, inScope, type Scope } from '../visits/chosen-visits.ts';
import { IS_OF_VISIT } from '../visits/visits.ts';
import { HOUR_VALUE, hourOf, hoursAround } from './hours.ts';
import { codeOf, isOfHits, type Kind, type KindOfHits } from './kinds.ts';
import { SUMS_TO_STORE } from './numbers.ts';

/**
 * Tables for a `with` clause, the last of which, `day_value`, holds the numbers of each day, kind and value of the scope. It
 * makes summaries and reads days without one, so summarising a day changes no number. Without filters, the values of a day
 * beyond the first `MAX_VALUES_PER_DAY` become `OTHER_VALUES`.
 */
export function dayValues(scope: Scope, kinds: readonly Kind[], zone: TimeZone): RawBuilder<unknown> {
  const isFolded = scope.filters.length === 0;
  return sql`
    ${chosenVisits(scope)},
    repeated as (select day, visitor from chosen_visit group by day, visitor having count(*) > 1),
    counted_visit as (
      select *, (day, visitor) in (select day, visitor from repeated) as repeats, ${FOR_NUMBERS} from chosen_visit
    ),
    -- A row for each visit and each of its values. It does not count as a visit in the hours in which it only continues.
    item (
      day, visitor, started, repeats, is_bounce, has_pageview, duration, dimension, value, counts, pageviews, events
    ) as (${sql.join(itemSelects(scope, kinds, zone), sql` union all `)}),
    -- Counting distinct visitors takes a sort, which visitors with a single visit, nearly all, can do without.
    counted as (
      select day, dimension, value, ${numbersOfItems(sql`count(*)`)}
      from item where not repeats group by day, dimension, value
      union all
      select day, dimension, value, ${numbersOfItems(sql`count(distinct visitor)`)}
      from item where repeats group by day, dimension, value
    ),
    ranked as (
      select day, dimension, value, ${SUMS_TO_STORE},
        row_number() over (partition by day, dimension order by sum(visitors) desc, value) as rank
      from counted group by day, dimension, value
    ),
    day_value as (${isFolded ? FOLDED : sql`select * from ranked`})`;
}

/** What numbers need of a visit, computed once for all its items. */
export const FOR_NUMBERS: RawBuilder<unknown> = sql`
  pageviews = 1 and events = 0 as is_bounce,
  pageviews > 0 as has_pageview,
  (extract(epoch from ended - started) * 1000)::bigint as duration`;

/** The columns of an item that it has from its visit. */
const OF_VISIT = sql`visit.day, visit.visitor, visit.started, visit.repeats, visit.is_bounce, visit.has_pageview, visit.duration`;

function itemSelects(scope: Scope, kinds: readonly Kind[], zone: TimeZone): RawBuilder<unknown>[] {
  const ofVisits = kinds.filter((kind) => !isOfHits(kind));
  return [
    ...(ofVisits.length > 0 ? [itemsOfVisits(ofVisits)] : []),
    ...kinds.filter(isOfHits).map((kind) => itemsOfHits(kind, scope, zone)),
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

function itemsOfVisits(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`
    select ${OF_VISIT}, of_visit.dimension, of_visit.value, true, visit.pageviews, visit.events
    from counted_visit visit cross join lateral (values ${valuesOfVisit(kinds)}) of_visit (dimension, value)`;
}

function itemsOfHits(kind: KindOfHits, scope: Scope, zone: TimeZone): RawBuilder<unknown> {
  const visitsWithHits = sql`
    counted_visit visit join (select * from hit where ${inScope('hit', scope)}) hit on ${IS_OF_VISIT}`;
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
      const hours = hoursAround(zone, scope.days);
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

/**
 * A select of `ranked` with rare values folded into one. They count as one value, so a visit with several of them counts once.
 */
const FOLDED = sql`
  select * from ranked where ${IS_KEPT}
  union all
  select day, dimension, ${OTHER}, ${numbersOfItems(sql`count(distinct visitor)`)}, null
  from (
    select item.day, item.dimension, item.visitor, item.started, bool_or(item.counts) as counts,
      sum(item.pageviews) as pageviews, sum(item.events) as events, bool_or(item.is_bounce) as is_bounce,
      bool_or(item.has_pageview) as has_pageview, max(item.duration) as duration
    from ranked join item on item.day = ranked.day and item.dimension = ranked.dimension
      and coalesce(item.value, '') = coalesce(ranked.value, '') and (item.value is null) = (ranked.value is null)
    where not (${IS_KEPT})
    group by item.day, item.dimension, item.visitor, item.started
  ) other
  group by day, dimension`;
