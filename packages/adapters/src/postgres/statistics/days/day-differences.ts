import type { Day, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { codeOf, IS_NOT_ZERO, isOfHits, type Kind, NUMBERS, SUMS_TO_STORE } from '../summary-columns.ts';
import { FOR_NUMBERS, valuesOfVisit } from './day-values.ts';
import { HOUR_VALUE, type Hours, hourOf, hoursAround } from './hours.ts';

/**
 * The changes that visits make in the numbers of each website, day, kind and value: those with `sign` 1 are added, those with
 * -1 subtracted. Nothing is folded, and rows of zeros are left out.
 *
 * A visit is simple for a kind if it has one value of it and is its visitor's only visit on the day; nearly all are. Simple
 * visits are counted by their rows. The others are split into items, a visit and one of its values each, so that visitors can
 * be distinguished. No table is joined with another one, because the planner does not know how many rows they have and could
 * choose nested loops.
 *
 * @param visits from `changedVisits` or `knownVisits`
 * @param zone of the websites
 * @param days of the visits
 * @param isCounted a condition on visits
 */
export function dayDifferences(
  visits: Cte,
  kinds: readonly Kind[],
  zone: TimeZone,
  days: readonly Day[],
  isCounted: RawBuilder<unknown> = sql`true`,
): Cte {
  const hours = hoursAround(zone, days);
  const visitor = sql`website_number, day, sign, visitor`;
  const withSimple = kinds.filter((kind) => kind !== 'event');
  const counted = cte(
    'counted_change',
    sql`
      select *, ${FOR_NUMBERS}, (${visitor}) in (
        select ${visitor} from ${visits} group by ${visitor} having count(*) > 1
      ) as repeats
      from ${visits} where ${isCounted}`,
    { materialized: true },
  );
  const ofSimple = withSimple.length > 0 ? sql`union all ${numbersOfSimpleVisits(counted, withSimple, hours)}` : sql``;
  const difference = cte('difference', sql`${numbersOfOtherVisits(counted, kinds, hours)} ${ofSimple}`, {
    columns: sql`website_number, day, dimension, value, ${NUMBERS}`,
  });
  return cte(
    'day_difference',
    sql`
      select website_number, day, dimension, value, ${SUMS_TO_STORE}
      from ${difference} group by website_number, day, dimension, value having ${IS_NOT_ZERO}`,
  );
}

/** Selects the numbers of visits for the kinds for which they are simple. Each kind has a column, and a grouping set. */
function numbersOfSimpleVisits(counted: Cte, kinds: readonly Kind[], hours: Hours): RawBuilder<unknown> {
  const names = kinds.map((kind) => sql.ref(kind));
  const columns = kinds.map((kind) => sql`${simpleValue(kind, hours)} as ${sql.ref(kind)}`);
  const codes = kinds.map((kind) => sql`when grouping(${sql.ref(kind)}) = 0 then ${codeOf(kind)}`);
  // A column that is not grouped by is null.
  const values = kinds.map((kind) => (kind === 'hour' ? HOUR_VALUE : sql.ref(kind)));
  return sql`
    select website_number, day, dimension, value, visits, visits, pageviews,
      case when dimension = ${codeOf('page')} then 0 else events end, bounces, visits_with_pageviews, duration
    from (
      select website_number, day, case ${sql.join(codes, sql` `)} end as dimension, coalesce(${sql.join(values)}) as value,
        sum(sign) as visits,
        sum(sign * pageviews) as pageviews,
        sum(sign * events) as events,
        coalesce(sum(sign) filter (where is_bounce), 0) as bounces,
        coalesce(sum(sign) filter (where has_pageview), 0) as visits_with_pageviews,
        sum(sign * duration) as duration
      from (
        select website_number, day, sign, pageviews, events, is_bounce, has_pageview, duration, ${sql.join(columns)}
        from ${counted} visit where not repeats
      ) visit
      group by website_number, day, grouping sets (${sql.join(names)})
    ) grouped
    where dimension not in (${codeOf('page')}, ${codeOf('hour')}) or value is not null`;
}

/** The value of a visit that is its visitor's only one; null if it has none, or several pages or hours. */
function simpleValue(kind: Kind, hours: Hours): RawBuilder<unknown> {
  switch (kind) {
    case 'total':
      return sql`null::text collate "C"`;
    case 'page':
      return sql`case when visit.pageviews = 1 then visit.entry_page end`;
    case 'hour':
      return sql`case when ${isOfOneHour(hours)} then ${hourOf('visit.started', hours)} end`;
    default:
      return sql.ref(`visit.${kind}`);
  }
}

function isOfOneHour(hours: Hours): RawBuilder<unknown> {
  return sql`${hourOf('visit.started', hours)} = ${hourOf('visit.ended', hours)}`;
}

/** Selects the numbers of visits for the kinds for which they are not simple. */
function numbersOfOtherVisits(counted: Cte, kinds: readonly Kind[], hours: Hours): RawBuilder<unknown> {
  const ofVisits = kinds.filter((kind) => !isOfHits(kind));
  const items = [
    ...(ofVisits.length > 0 ? [itemsOf(counted, sql`repeats`, visitItems(ofVisits))] : []),
    ...(kinds.includes('page') ? [itemsOf(counted, sql`repeats or pageviews > 1`, PAGE_ITEMS)] : []),
    ...(kinds.includes('event') ? [itemsOf(counted, sql`events > 0`, EVENT_ITEMS)] : []),
    ...(kinds.includes('hour') ? [itemsOf(counted, sql`repeats or not ${isOfOneHour(hours)}`, hourItems(hours))] : []),
  ];
  return sql`
    select website_number, day, dimension, value, sign * count(distinct visitor),
      sign * count(*) filter (where counts), sign * sum(pageviews)::bigint, sign * sum(events)::bigint,
      sign * count(*) filter (where counts and is_bounce), sign * count(*) filter (where counts and has_pageview),
      sign * coalesce(sum(duration) filter (where counts), 0)::bigint
    from (${sql.join(items, sql` union all `)}) item
    group by website_number, day, sign, dimension, value`;
}

/**
 * Selects the items of the visits that meet a condition.
 *
 * @param values a select of a visit's values, each with pageviews and events, and whether the visit counts there
 */
function itemsOf(counted: Cte, isSplit: RawBuilder<unknown>, values: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select visit.website_number, visit.day, visit.sign, visit.visitor, visit.is_bounce, visit.has_pageview, visit.duration,
      of_visit.*
    from (select * from ${counted} visit where ${isSplit}) visit
      cross join lateral (${values}) of_visit (dimension, value, counts, pageviews, events)`;
}

function visitItems(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`
    select dimension, value, true, visit.pageviews::bigint, visit.events::bigint
    from (values ${valuesOfVisit(kinds)}) of_row (dimension, value)`;
}

const PAGE_ITEMS = sql`
  select ${codeOf('page')}, page, true, count(*), 0::bigint from unnest(visit.pages) page group by page`;

const EVENT_ITEMS = sql`
  select ${codeOf('event')}, name, true, 0::bigint, count(*) from unnest(visit.names) name group by name`;

function hourItems(hours: Hours): RawBuilder<unknown> {
  return sql`
    select ${codeOf('hour')}, ${HOUR_VALUE}, hour = ${hourOf('visit.started', hours)}, sum(pageviews), sum(events)
    from (
      select ${hourOf('time', hours)} as hour, 1 as pageviews, 0 as events from unnest(visit.page_times) time
      union all
      select ${hourOf('time', hours)}, 0, 1 from unnest(visit.event_times) time
    ) hit
    group by hour`;
}
