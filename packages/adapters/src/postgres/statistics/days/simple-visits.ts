import { type RawBuilder, sql } from 'kysely';
import type { Cte } from '../../connection/statement.ts';
import { codeOf, type Kind } from '../summary-columns.ts';
import { HOUR_VALUE, type Hours, hourOf } from './hours.ts';

/** The columns of a visit that numbers need, computed once for all its items. */
export const FOR_NUMBERS: RawBuilder<unknown> = sql`
  pageviews = 1 and events = 0 as is_bounce,
  pageviews > 0 as has_pageview,
  (extract(epoch from ended - started) * 1000)::bigint as duration`;

/** Rows of kinds and the values that the columns of `visit` have for them. */
export function valuesOfVisit(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql.join(
    kinds.map(
      (kind) => sql`(${codeOf(kind)}, ${kind === 'total' ? sql`null::text collate "C"` : sql.ref(`visit.${kind}`)})`,
    ),
  );
}

/**
 * Selects the numbers of visits for the kinds for which they are simple: each has one value of the kind, and is its visitor's
 * only visit on the day. Each kind has a column, and a grouping set.
 *
 * @param counted visits with their `sign`, and whether their visitor `repeats`
 */
export function numbersOfSimpleVisits(counted: Cte, kinds: readonly Kind[], hours: Hours): RawBuilder<unknown>[] {
  // A visit has any number of events.
  const simple = kinds.filter((kind) => kind !== 'event');
  if (simple.length === 0) return [];
  const names = simple.map((kind) => sql.ref(kind));
  const columns = simple.map((kind) => sql`${simpleValue(kind, hours)} as ${sql.ref(kind)}`);
  const codes = simple.map((kind) => sql`when grouping(${sql.ref(kind)}) = 0 then ${codeOf(kind)}`);
  // A column that is not grouped by is null.
  const values = simple.map((kind) => (kind === 'hour' ? HOUR_VALUE : sql.ref(kind)));
  return [
    sql`
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
    where dimension not in (${codeOf('page')}, ${codeOf('hour')}) or value is not null`,
  ];
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

/** The condition on a visit that it is not simple for a kind, though it may have values of it. */
export function isSplit(kind: Kind, hours: Hours): RawBuilder<unknown> {
  switch (kind) {
    case 'page':
      return sql`(visit.repeats or visit.pageviews > 1)`;
    case 'event':
      return sql`visit.events > 0`;
    case 'hour':
      return sql`(visit.repeats or not ${isOfOneHour(hours)})`;
    default:
      return sql`visit.repeats`;
  }
}

function isOfOneHour(hours: Hours): RawBuilder<unknown> {
  return sql`${hourOf('visit.started', hours)} = ${hourOf('visit.ended', hours)}`;
}
