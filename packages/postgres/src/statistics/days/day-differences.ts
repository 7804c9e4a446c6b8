import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { codeOf, IS_NOT_ZERO, type Kind, NUMBERS, SUMS_TO_STORE } from '../summary-columns.ts';
import { HOUR_VALUE, type Hours, hourOf, hoursAround, NO_HOURS } from './hours.ts';
import { FOR_NUMBERS, isSplit, numbersOfVisits } from './visit-numbers.ts';

/**
 * The changes that visits make in the numbers of each website, day, kind and value: those with `sign` 1 are added, those with
 * -1 subtracted. Values are not folded, and rows of zeros are left out.
 *
 * Most kinds have one value for each visit. Visits with several pages, events or hours are split into items, a visit and one of
 * its values each, so that visitors can be distinguished. No table is joined with another one, because the planner does not know
 * how many rows they have and could choose nested loops.
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
  const hours = kinds.includes('hour') ? hoursAround(zone, days) : NO_HOURS;
  const visitor = sql`website_number, day, sign, visitor`;
  const counted = cte(
    'counted_change',
    sql`
      select *, ${FOR_NUMBERS}, (${visitor}) in (
        select ${visitor} from ${visits} group by ${visitor} having count(*) > 1
      ) as repeats
      from ${visits} where ${isCounted}`,
    { materialized: true },
  );
  const numbers = [...numbersOfVisits(counted, kinds, hours), ...numbersOfSplitVisits(counted, kinds, hours)];
  const difference = cte('difference', sql.join(numbers, sql` union all `), {
    columns: sql`website_number, day, dimension, value, ${NUMBERS}`,
  });
  return cte(
    'day_difference',
    sql`
      select website_number, day, dimension, value, ${SUMS_TO_STORE}
      from ${difference} group by website_number, day, dimension, value having ${IS_NOT_ZERO}`,
  );
}

/** Selects the numbers of visits for the kinds for which a visit can have several values. */
function numbersOfSplitVisits(counted: Cte, kinds: readonly Kind[], hours: Hours): RawBuilder<unknown>[] {
  const items = [
    ...(kinds.includes('page') ? [itemsOf(counted, isSplit('page', hours), PAGE_ITEMS)] : []),
    ...(kinds.includes('event') ? [itemsOf(counted, isSplit('event', hours), EVENT_ITEMS)] : []),
    ...(kinds.includes('hour') ? [itemsOf(counted, isSplit('hour', hours), hourItems(hours))] : []),
  ];
  if (items.length === 0) return [];
  return [
    sql`
    select website_number, day, dimension, value, sign * count(distinct visitor),
      sign * count(*) filter (where counts), sign * sum(pageviews)::bigint, sign * sum(events)::bigint,
      sign * count(*) filter (where counts and is_bounce), sign * count(*) filter (where counts and has_pageview),
      sign * coalesce(sum(duration) filter (where counts), 0)::bigint
    from (${sql.join(items, sql` union all `)}) item
    group by website_number, day, sign, dimension, value`,
  ];
}

/**
 * Selects the items of the visits that meet a condition.
 *
 * @param values a select of a visit's values, each with pageviews and events, and whether the visit counts there
 */
function itemsOf(counted: Cte, condition: RawBuilder<unknown>, values: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select visit.website_number, visit.day, visit.sign, visit.visitor, visit.is_bounce, visit.has_pageview, visit.duration,
      of_visit.*
    from (select * from ${counted} visit where ${condition}) visit
      cross join lateral (${values}) of_visit (dimension, value, counts, pageviews, events)`;
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
