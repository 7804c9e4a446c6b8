import { type RawBuilder, sql } from 'kysely';
import type { Cte } from '../../connection/statement.ts';
import { codeOf, isOfHits, type Kind, type KindOfHits } from '../summary-columns.ts';
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

/** The condition that a visit is its visitor's first one with this value on the day, as nulls are equal. */
const isFirst = (kind: Kind) =>
  sql`array_position(array_agg(${sql.ref(`visit.${kind}`)}) over earlier, ${sql.ref(`visit.${kind}`)}) is null`;

/**
 * Selects the numbers of visits for the kinds for which each visit has one value. Each kind has a column, and a grouping set. A
 * visitor counts with the first of the visits that have the same value, so there is no need for a count of distinct visitors, which
 * would sort all visits for each kind.
 *
 * @param counted visits with their `sign`, and whether their visitor `repeats`: has several of this sign on the day
 */
export function numbersOfVisits(counted: Cte, kinds: readonly Kind[], hours: Hours): RawBuilder<unknown>[] {
  // A visit has any number of events.
  const grouped = kinds.filter((kind) => kind !== 'event');
  if (grouped.length === 0) return [];
  const firsts = grouped.filter((kind) => !isOfHits(kind));
  const columns = (first: (kind: Kind) => RawBuilder<unknown>) =>
    sql.join([
      sql`website_number, day, sign, pageviews, events, is_bounce, has_pageview, duration`,
      ...grouped.map((kind) => sql`${valueToCount(kind, hours)} as ${sql.ref(kind)}`),
      ...firsts.map((kind) => sql`${first(kind)} as ${firstOf(kind)}`),
    ]);
  const sets = grouped.map((kind) => (isOfHits(kind) ? sql.ref(kind) : sql`(${sql.ref(kind)}, ${firstOf(kind)})`));
  const codes = grouped.map((kind) => sql`when grouping(${sql.ref(kind)}) = 0 then ${codeOf(kind)}`);
  // A column that is not grouped by is null.
  const values = grouped.map((kind) => (kind === 'hour' ? HOUR_VALUE : sql.ref(kind)));
  return [
    sql`
    select website_number, day, dimension, value, case when is_first then visits else 0 end, visits, pageviews,
      case when dimension = ${codeOf('page')} then 0 else events end, bounces, visits_with_pageviews, duration
    from (
      select website_number, day, case ${sql.join(codes, sql` `)} end as dimension, coalesce(${sql.join(values)}) as value,
        coalesce(${sql.join([...firsts.map(firstOf), sql`true`])}) as is_first,
        sum(sign) as visits,
        sum(sign * pageviews) as pageviews,
        sum(sign * events) as events,
        coalesce(sum(sign) filter (where is_bounce), 0) as bounces,
        coalesce(sum(sign) filter (where has_pageview), 0) as visits_with_pageviews,
        sum(sign * duration) as duration
      from (
        select ${columns(() => sql`true`)} from ${counted} visit where not repeats
        union all
        select ${columns((kind) => (kind === 'total' ? sql`count(*) over earlier = 0` : isFirst(kind)))}
        from ${counted} visit where repeats
        window earlier as (
          partition by website_number, day, sign, visitor order by started rows between unbounded preceding and 1 preceding
        )
      ) visit
      group by website_number, day, grouping sets (${sql.join(sets)})
    ) grouped
    where dimension not in (${codeOf('page')}, ${codeOf('hour')}) or value is not null`,
  ];
}

function firstOf(kind: Kind): RawBuilder<unknown> {
  return sql.ref(`first_${kind}`);
}

/** The value that a visit is counted with; null if it is split into several pages or hours. */
function valueToCount(kind: Kind, hours: Hours): RawBuilder<unknown> {
  switch (kind) {
    case 'total':
      return sql`null::text collate "C"`;
    case 'page':
      return sql`case when visit.pageviews = 1 and not visit.repeats then visit.entry_page end`;
    case 'hour':
      return sql`case when not ${isSplit('hour', hours)} then ${hourOf('visit.started', hours)} end`;
    default:
      return sql.ref(`visit.${kind}`);
  }
}

/** The condition on a visit that it is split into its pages, events or hours: it may have several, or another one of its visitor may. */
export function isSplit(kind: KindOfHits, hours: Hours): RawBuilder<unknown> {
  switch (kind) {
    case 'page':
      return sql`(visit.repeats or visit.pageviews > 1)`;
    case 'event':
      return sql`visit.events > 0`;
    case 'hour':
      return sql`(visit.repeats or ${hourOf('visit.started', hours)} <> ${hourOf('visit.ended', hours)})`;
  }
}
