import { FIRST_HIT_DIMENSIONS } from '@hitherto/domain/hits';
import { VISIT_GAP_MS } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../connection/statement.ts';

/** The columns that a visit takes from its first hit. They also order hits that are otherwise equal (`compareHits`). */
export const FIRST_HIT_COLUMNS = FIRST_HIT_DIMENSIONS;

/** The columns of `visit`. */
export const VISIT_COLUMNS = [
  'website_number',
  'day',
  'visitor',
  'started',
  'ended',
  'pageviews',
  'events',
  'entry_page',
  'exit_page',
  'other_pages',
  'event_names',
  'is_only',
  ...FIRST_HIT_COLUMNS,
] as const;

/** How many other pages and events a visit lists at most: a row with more would not fit into a block. */
const MAX_LISTED = 50;

/** The condition that the visit's columns hold all pages of its pageviews. If not, they have to be read from its hits. */
export const HAS_PAGES = sql`(visit.pageviews <= 2 or visit.other_pages is not null)`;

/** The condition that the visit's columns hold the names of all its events. */
export const HAS_EVENT_NAMES = sql`(visit.events = 0 or visit.event_names is not null)`;

/** The condition that a hit belongs to a visit; a visitor's visits do not overlap. */
export const IS_OF_VISIT = sql`hit.website_number = visit.website_number and hit.day = visit.day
  and hit.visitor = visit.visitor and hit.time between visit.started and visit.ended`;

/** The order of a visitor's hits (`compareHits` in the domain). */
export const HIT_ORDER = sql`
  hit.time, hit.name is not null, hit.page, hit.name, ${columnsOf(FIRST_HIT_COLUMNS, 'hit')},
  coalesce((
    select array_agg(array[name collate "C", value collate "C"] order by name collate "C")
    from jsonb_each_text(hit.props) property (name, value)
  ), '{}')`;

/**
 * Computes rows of `visit` (`VISIT_COLUMNS`) from rows of `hit`, which must include all hits of each visitor
 * (counting.md, "Words").
 */
export function visitsOfHits(hits: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${columnsOf(VISIT_COLUMNS, 'with_hits')} from (${visitsWithHits(hits)}) with_hits`;
}

/**
 * As {@link visitsOfHits}, with lists of each visit's hits in order: the `pages` and `page_times` of its pageviews, the `names`
 * and `event_times` of its events. A list of none is null.
 *
 * @param groups further columns of hits, which are the same for all hits of a visit
 */
export function visitsWithHits(hits: RawBuilder<unknown>, groups: readonly string[] = []): RawBuilder<unknown> {
  const visitor = columnsOf([...groups, 'website_number', 'day', 'visitor']);
  return sql`
    select ${visitor}, started, ended, pageviews, events, entry_page, exit_page,
      case when pageviews > 2 then (
        select case when count(*) <= ${MAX_LISTED} then coalesce(array_agg(page order by page), '{}') end
        from (select distinct page from unnest(pages) page where page not in (entry_page, exit_page)) other
      ) end as other_pages,
      case when events <= ${MAX_LISTED} then names end as event_names, is_only,
      ${columnsOf(FIRST_HIT_COLUMNS)}, pages, page_times, names, event_times
    from (
      -- A row for each visit: its hits, and the columns of the first one.
      select ${visitor}, min(time) as started, max(time) as ended,
        (count(*) filter (where name is null))::integer as pageviews,
        (count(*) filter (where name is not null))::integer as events,
        array_agg(page order by place) filter (where name is null) as pages,
        -- Once for each visit: reading the last element of an array takes as long as the array is.
        (array_agg(page order by place) filter (where name is null))[1] as entry_page,
        (array_agg(page order by place) filter (where name is null))[count(*) filter (where name is null)] as exit_page,
        array_agg(time order by place) filter (where name is null) as page_times,
        array_agg(name order by place) filter (where name is not null) as names,
        array_agg(time order by place) filter (where name is not null) as event_times,
        max(visits) = 1 as is_only,
        ${sql.join(FIRST_HIT_COLUMNS.map((column) => sql`min(${sql.ref(column)}) filter (where begins) as ${sql.ref(column)}`))}
      from (
        -- A row for each hit: which of its visitor's visits it belongs to, and how many there are.
        select *, count(*) filter (where begins) over (partition by ${visitor} order by time) as visit,
          count(*) filter (where begins) over (partition by ${visitor}) as visits
        from (
          -- A row for each hit: its place among those of its visitor, and whether it begins a visit.
          select *, row_number() over ordered as place,
            coalesce(time - lag(time) over ordered > ${`${VISIT_GAP_MS} milliseconds`}::interval, true) as begins
          from (${hits}) hit
          window ordered as (
            partition by ${visitor}
            order by time, name is not null, page, name, ${columnsOf(FIRST_HIT_COLUMNS)}
          )
        ) placed
      ) of_visit
      group by ${visitor}, visit
    ) grouped`;
}
