import { type RawBuilder, sql } from 'kysely';
import { code, FOR_NUMBERS, HOUR_VALUE, hourOf, valuesOfVisit } from './day-values.ts';
import type { Hours } from './hours.ts';
import type { Kind } from './kinds.ts';
import { BIGINT_SUMS, IS_NOT_ZERO, NUMBERS } from './numbers.ts';

/**
 * Tables for a `with` clause, the last of which, `day_value`, holds what the visits of `changed_visit` change in the numbers of
 * each website, day, kind and value: those with `sign` 1 are added, those with -1 subtracted. Nothing is folded, and rows of
 * zeros are left out.
 *
 * The only visit of a visitor, and nearly all are, counts by its row: for a page or an hour too if it has no other. All else
 * is an item: a visit and one of its values. No table is joined with another one, because the planner does not know
 * how many rows they have and could choose nested loops.
 *
 * @param hours those that can contain the visits' hits
 * @param isCounted a condition on visits
 */
export function dayDifferences(
  kinds: readonly Kind[],
  hours: Hours,
  isCounted: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const visitor = sql`website_number, day, sign, visitor`;
  const byRow = kinds.filter((kind) => kind !== 'event');
  const differences = [numbersOfItems(kinds, hours), ...(byRow.length > 0 ? [numbersOfRows(byRow, hours)] : [])];
  return sql`
    counted_visit as materialized (
      select *, ${FOR_NUMBERS}, (${visitor}) in (
        select ${visitor} from changed_visit group by ${visitor} having count(*) > 1
      ) as repeats
      from changed_visit where ${isCounted}
    ),
    difference (website_number, day, dimension, value, ${NUMBERS})
      as (${sql.join(differences, sql` union all `)}),
    day_value as (
      select website_number, day, dimension, value, ${BIGINT_SUMS}
      from difference group by website_number, day, dimension, value having ${IS_NOT_ZERO}
    )`;
}

/** A select of what visits count for by their rows. It has a column and a grouping set for each kind. */
function numbersOfRows(kinds: readonly Kind[], hours: Hours): RawBuilder<unknown> {
  const names = kinds.map((kind) => sql.ref(kind));
  const columns = kinds.map((kind) => sql`${valueOfRow(kind, hours)} as ${sql.ref(kind)}`);
  const codes = kinds.map((kind) => sql`when grouping(${sql.ref(kind)}) = 0 then ${code(kind)}`);
  // A column that is not grouped by is null.
  const values = kinds.map((kind) => (kind === 'hour' ? HOUR_VALUE : sql.ref(kind)));
  return sql`
    select website_number, day, dimension, value, visits, visits, pageviews,
      case when dimension = ${code('page')} then 0 else events end, bounces, visits_with_pageviews, duration
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
        from counted_visit visit where not repeats
      ) visit
      group by website_number, day, grouping sets (${sql.join(names)})
    ) grouped
    where dimension not in (${code('page')}, ${code('hour')}) or value is not null`;
}

/** What a visit counts for by its row; null if it has several pages or hours. */
function valueOfRow(kind: Kind, hours: Hours): RawBuilder<unknown> {
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

/** A select of what visits count for by their items. */
function numbersOfItems(kinds: readonly Kind[], hours: Hours): RawBuilder<unknown> {
  const ofRows = kinds.filter((kind) => kind !== 'page' && kind !== 'event' && kind !== 'hour');
  const items = [
    ...(ofRows.length > 0 ? [itemsOf(sql`repeats`, rowItems(ofRows))] : []),
    ...(kinds.includes('page') ? [itemsOf(sql`repeats or pageviews > 1`, PAGE_ITEMS)] : []),
    ...(kinds.includes('event') ? [itemsOf(sql`events > 0`, EVENT_ITEMS)] : []),
    ...(kinds.includes('hour') ? [itemsOf(sql`repeats or not ${isOfOneHour(hours)}`, hourItems(hours))] : []),
  ];
  return sql`
    select website_number, day, dimension, value, sign * count(distinct visitor),
      sign * count(*) filter (where begins), sign * sum(pageviews)::bigint, sign * sum(events)::bigint,
      sign * count(*) filter (where begins and is_bounce), sign * count(*) filter (where begins and has_pageview),
      sign * coalesce(sum(duration) filter (where begins), 0)::bigint
    from (${sql.join(items, sql` union all `)}) item
    group by website_number, day, sign, dimension, value`;
}

/**
 * A select of items of the visits that meet a condition.
 *
 * @param values a select of a visit's values, each with pageviews and events, and whether the visit begins with it
 */
function itemsOf(isCounted: RawBuilder<unknown>, values: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select visit.website_number, visit.day, visit.sign, visit.visitor, visit.is_bounce, visit.has_pageview, visit.duration,
      of_visit.*
    from (select * from counted_visit visit where ${isCounted}) visit
      cross join lateral (${values}) of_visit (dimension, value, begins, pageviews, events)`;
}

function rowItems(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`
    select dimension, value, true, visit.pageviews::bigint, visit.events::bigint
    from (values ${valuesOfVisit(kinds)}) of_row (dimension, value)`;
}

const PAGE_ITEMS = sql`select ${code('page')}, page, true, count(*), 0::bigint from unnest(visit.pages) page group by page`;

const EVENT_ITEMS = sql`select ${code('event')}, name, true, 0::bigint, count(*) from unnest(visit.names) name group by name`;

function hourItems(hours: Hours): RawBuilder<unknown> {
  return sql`
    select ${code('hour')}, ${HOUR_VALUE}, hour = ${hourOf('visit.started', hours)}, sum(pageviews), sum(events)
    from (
      select ${hourOf('time', hours)} as hour, 1 as pageviews, 0 as events from unnest(visit.page_times) time
      union all
      select ${hourOf('time', hours)}, 0, 1 from unnest(visit.event_times) time
    ) hit
    group by hour`;
}
