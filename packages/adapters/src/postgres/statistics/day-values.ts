import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Hours } from './hours.ts';
import { CODES, type Kind } from './kinds.ts';
import { BIGINT_SUMS } from './numbers.ts';
import { IS_OF_VISIT } from './visits.ts';

/** What numbers are made of. */
export interface VisitSource {
  /** Tables for a `with` clause, the last of which, `chosen_visit`, has the visits. */
  readonly visits: RawBuilder<unknown>;
  /** A select of hits, among them all of these visits. */
  readonly hits: RawBuilder<unknown>;
}

export interface DayValuesRequest {
  readonly source: VisitSource;
  readonly kinds: readonly Kind[];
  /** The hours that can contain the source's hits; used by the kind `hour`. */
  readonly hours: Hours;
}

/**
 * Tables for a `with` clause, the last of which, `day_value`, holds the numbers of each day, kind and value. It makes
 * summaries and reads days without one, so summarising a day changes no number. The source is of one website.
 *
 * @param isFolded whether the values of a day beyond the first `MAX_VALUES_PER_DAY` become `OTHER_VALUES`
 */
export function dayValues(request: DayValuesRequest, isFolded: boolean): RawBuilder<unknown> {
  return sql`
    ${countedItems(request)},
    ranked as (
      select day, dimension, value, ${BIGINT_SUMS},
        row_number() over (partition by day, dimension order by sum(visitors) desc, value) as rank
      from counted group by day, dimension, value
    ),
    day_value as (${isFolded ? folded() : sql`select * from ranked`})`;
}

/** Tables, the last of which, `counted`, has up to two rows of numbers for each day, kind and value. */
function countedItems(request: DayValuesRequest): RawBuilder<unknown> {
  return sql`
    ${request.source.visits},
    repeated as (select day, visitor from chosen_visit group by day, visitor having count(*) > 1),
    counted_visit as (
      select *, (day, visitor) in (select day, visitor from repeated) as repeats, ${FOR_NUMBERS} from chosen_visit
    ),
    item (day, dimension, value, visitor, started, repeats, begins, pageviews, events, is_bounce, has_pageview, duration)
      as (${sql.join(itemSelects(request), sql` union all `)}),
    counted as (
      select day, dimension, value, ${numbers(sql`count(*)`)}
      from item where not repeats group by day, dimension, value
      union all
      select day, dimension, value, ${numbers(sql`count(distinct visitor)`)}
      from item where repeats group by day, dimension, value
    )`;
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

/** What numbers need of a visit, computed once for all its items. */
export const FOR_NUMBERS: RawBuilder<unknown> = sql`
  pageviews = 1 and events = 0 as is_bounce,
  pageviews > 0 as has_pageview,
  (extract(epoch from ended - started) * 1000)::bigint as duration`;

const OF_VISIT = sql`visit.is_bounce, visit.has_pageview, visit.duration`;

const GROUP_BY_VISIT = sql`visit.visitor, visit.repeats, visit.started, ${OF_VISIT}`;

function itemSelects(request: DayValuesRequest): RawBuilder<unknown>[] {
  const ofHits = { page: pageItems, event: eventItems, hour: hourItems };
  const isOfHits = (kind: Kind): kind is keyof typeof ofHits => Object.hasOwn(ofHits, kind);
  const ofVisits = request.kinds.filter((kind) => !isOfHits(kind));
  return [
    ...(ofVisits.length > 0 ? [visitItems(ofVisits)] : []),
    ...request.kinds.filter(isOfHits).map((kind) => ofHits[kind](request)),
  ];
}

/** Rows of kinds and the values that the columns of `visit` have for them. */
export function valuesOfVisit(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql.join(
    kinds.map(
      (kind) => sql`(${code(kind)}, ${kind === 'total' ? sql`null::text collate "C"` : sql.ref(`visit.${kind}`)})`,
    ),
  );
}

function visitItems(kinds: readonly Kind[]): RawBuilder<unknown> {
  return sql`
    select visit.day, of_visit.dimension, of_visit.value, visit.visitor, visit.started, visit.repeats, true, visit.pageviews, visit.events, ${OF_VISIT}
    from counted_visit visit cross join lateral (values ${valuesOfVisit(kinds)}) of_visit (dimension, value)`;
}

function pageItems({ source }: DayValuesRequest): RawBuilder<unknown> {
  return sql`
    select visit.day, ${code('page')}, hit.page, visit.visitor, visit.started, visit.repeats, true, count(*), 0, ${OF_VISIT}
    from counted_visit visit join (${source.hits}) hit on ${IS_OF_VISIT}
    where hit.name is null
    group by visit.day, hit.page, ${GROUP_BY_VISIT}`;
}

function eventItems({ source }: DayValuesRequest): RawBuilder<unknown> {
  return sql`
    select visit.day, ${code('event')}, hit.name, visit.visitor, visit.started, visit.repeats, true, 0, count(*), ${OF_VISIT}
    from counted_visit visit join (${source.hits}) hit on ${IS_OF_VISIT}
    where hit.name is not null
    group by visit.day, hit.name, ${GROUP_BY_VISIT}`;
}

/** The start of the hour of a time. */
export function hourOf(time: string, hours: Hours): RawBuilder<unknown> {
  const times = (dates: readonly Date[]) => sql`${dates.map((date) => date.toISOString())}::timestamptz[]`;
  return sql`(${times(hours.start)})[width_bucket(${sql.ref(time)}, ${times(hours.from)})]`;
}

/** The value of the column `hour`: its start in seconds. */
export const HOUR_VALUE: RawBuilder<unknown> = sql`extract(epoch from hour)::bigint::text collate "C"`;

/** A visit counts in the hour in which it begins. */
function hourItems({ source, hours }: DayValuesRequest): RawBuilder<unknown> {
  return sql`
    select day, ${code('hour')}, ${HOUR_VALUE}, visitor, started, repeats, hour = first_hour,
      pageviews, events, is_bounce, has_pageview, duration
    from (
      select visit.day, visit.visitor, visit.started, visit.repeats, ${hourOf('hit.time', hours)} as hour,
        ${hourOf('visit.started', hours)} as first_hour, count(*) filter (where hit.name is null) as pageviews,
        count(*) filter (where hit.name is not null) as events, ${OF_VISIT}
      from counted_visit visit join (${source.hits}) hit on ${IS_OF_VISIT}
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

export function code(kind: Kind): RawBuilder<unknown> {
  return sql`${CODES[kind]}::smallint`;
}
