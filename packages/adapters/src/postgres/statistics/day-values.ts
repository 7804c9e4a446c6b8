import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { chosenVisits, IS_OF_VISIT, inScope, type Scope } from './chosen-visits.ts';
import type { Hours } from './hours.ts';
import { CODES, type Kind } from './kinds.ts';

/** The numbers of a row of `summary` and of `day_value`. */
export const NUMBER_COLUMNS = [
  'visitors',
  'visits',
  'pageviews',
  'events',
  'bounces',
  'visits_with_pageviews',
  'duration',
] as const;

export interface DayValuesRequest extends Scope {
  readonly kinds: readonly Kind[];
  /** The hours that can contain the scope's hits; used by the kind `hour`. */
  readonly hours: Hours;
}

/**
 * Tables for a `with` clause, the last of which, `day_value`, holds the numbers of each day, kind and value. It makes
 * summaries and reads days without one, so summarising a day changes no number. Without filters, the values of a day
 * beyond the first `MAX_VALUES_PER_DAY` are folded into `OTHER_VALUES`.
 */
export function dayValues(request: DayValuesRequest): RawBuilder<unknown> {
  const isFolded = request.filters.length === 0;
  return sql`
    ${chosenVisits(request)},
    repeated as (select day, visitor from chosen_visit group by day, visitor having count(*) > 1),
    counted_visit as (
      select *, (day, visitor) in (select day, visitor from repeated) as repeats from chosen_visit
    ),
    item (day, dimension, value, visitor, started, repeats, begins, pageviews, events, is_bounce, has_pageview, duration)
      as (${sql.join(itemSelects(request), sql` union all `)}),
    counted as (
      select day, dimension, value, ${numbers(sql`count(*)`)}
      from item where not repeats group by day, dimension, value
      union all
      select day, dimension, value, ${numbers(sql`count(distinct visitor)`)}
      from item where repeats group by day, dimension, value
    ),
    ranked as (
      select day, dimension, value, ${sql.join(NUMBER_COLUMNS.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`))},
        row_number() over (partition by day, dimension order by sum(visitors) desc, value) as rank
      from counted group by day, dimension, value
    ),
    day_value as (${isFolded ? folded() : sql`select * from ranked`})`;
}

/**
 * Columns made of rows of `item`, which has a row for each visit and each of its values. Counting distinct visitors takes a
 * sort, which visitors with a single visit, nearly all, can do without.
 */
const numbers = (visitors: RawBuilder<unknown>) => sql`
  ${visitors} as visitors,
  count(*) filter (where begins) as visits,
  sum(pageviews)::bigint as pageviews,
  sum(events)::bigint as events,
  count(*) filter (where begins and is_bounce) as bounces,
  count(*) filter (where begins and has_pageview) as visits_with_pageviews,
  coalesce(sum(duration) filter (where begins), 0)::bigint as duration`;

/** The columns of an item's visit that the numbers need. */
const OF_VISIT = sql`
  visit.pageviews = 1 and visit.events = 0 as is_bounce,
  visit.pageviews > 0 as has_pageview,
  (extract(epoch from visit.ended - visit.started) * 1000)::bigint as duration`;

const GROUP_BY_VISIT = sql`visit.visitor, visit.repeats, visit.started, visit.ended, visit.pageviews, visit.events`;

function itemSelects(request: DayValuesRequest): RawBuilder<unknown>[] {
  const ofHits = { page: pageItems, event: eventItems, hour: hourItems };
  const isOfHits = (kind: Kind): kind is keyof typeof ofHits => Object.hasOwn(ofHits, kind);
  const ofVisits = request.kinds.filter((kind) => !isOfHits(kind));
  return [
    ...(ofVisits.length > 0 ? [visitItems(ofVisits)] : []),
    ...request.kinds.filter(isOfHits).map((kind) => ofHits[kind](request)),
  ];
}

function visitItems(kinds: readonly Kind[]): RawBuilder<unknown> {
  const values = kinds.map(
    (kind) => sql`(${code(kind)}, ${kind === 'total' ? sql`null::text collate "C"` : sql.ref(`visit.${kind}`)})`,
  );
  return sql`
    select visit.day, of_visit.dimension, of_visit.value, visit.visitor, visit.started, visit.repeats, true, visit.pageviews, visit.events, ${OF_VISIT}
    from counted_visit visit cross join lateral (values ${sql.join(values)}) of_visit (dimension, value)`;
}

function pageItems(request: DayValuesRequest): RawBuilder<unknown> {
  return sql`
    select visit.day, ${code('page')}, hit.page, visit.visitor, visit.started, visit.repeats, true, count(*), 0, ${OF_VISIT}
    from counted_visit visit join hit on ${IS_OF_VISIT}
    where ${inScope('hit', request)} and hit.name is null
    group by visit.day, hit.page, ${GROUP_BY_VISIT}`;
}

function eventItems(request: DayValuesRequest): RawBuilder<unknown> {
  return sql`
    select visit.day, ${code('event')}, hit.name, visit.visitor, visit.started, visit.repeats, true, 0, count(*), ${OF_VISIT}
    from counted_visit visit join hit on ${IS_OF_VISIT}
    where ${inScope('hit', request)} and hit.name is not null
    group by visit.day, hit.name, ${GROUP_BY_VISIT}`;
}

/** An hour's value is its start in seconds. A visit counts in the hour in which it begins. */
function hourItems(request: DayValuesRequest): RawBuilder<unknown> {
  const times = (dates: readonly Date[]) => sql`${dates.map((date) => date.toISOString())}::timestamptz[]`;
  const { from, start } = request.hours;
  const hourOf = (time: string) => sql`(${times(start)})[width_bucket(${sql.ref(time)}, ${times(from)})]`;
  return sql`
    select day, ${code('hour')}, extract(epoch from hour)::bigint::text collate "C", visitor, started, repeats, hour = first_hour,
      pageviews, events, is_bounce, has_pageview, duration
    from (
      select visit.day, visit.visitor, visit.started, visit.repeats, ${hourOf('hit.time')} as hour,
        ${hourOf('visit.started')} as first_hour, count(*) filter (where hit.name is null) as pageviews,
        count(*) filter (where hit.name is not null) as events, ${OF_VISIT}
      from counted_visit visit join hit on ${IS_OF_VISIT}
      where ${inScope('hit', request)}
      group by visit.day, hour, ${GROUP_BY_VISIT}
    ) hourly`;
}

/** Folded values count as one value, so a visit with several of them counts once. */
function folded(): RawBuilder<unknown> {
  const other = sql`${OTHER_VALUES}::text collate "C"`;
  const isKept = sql`ranked.rank <= ${MAX_VALUES_PER_DAY} and ranked.value is distinct from ${other}`;
  return sql`
    select * from ranked where ${isKept}
    union all
    select day, dimension, ${other}, ${numbers(sql`count(distinct visitor)`)}, null
    from (
      select item.day, item.dimension, item.visitor, item.started, bool_or(item.begins) as begins,
        sum(item.pageviews) as pageviews, sum(item.events) as events, bool_or(item.is_bounce) as is_bounce,
        bool_or(item.has_pageview) as has_pageview, max(item.duration) as duration
      from ranked join item on item.day = ranked.day and item.dimension = ranked.dimension
        and coalesce(item.value, '') = coalesce(ranked.value, '') and (item.value is null) = (ranked.value is null)
      where not (${isKept})
      group by item.day, item.dimension, item.visitor, item.started
    ) other
    group by day, dimension`;
}

function code(kind: Kind): RawBuilder<unknown> {
  return sql`${CODES[kind]}::smallint`;
}
