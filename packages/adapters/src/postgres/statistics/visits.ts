import { FIRST_HIT_DIMENSIONS, VISIT_GAP_MS } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';

/** The columns that a visit takes from its first hit. They also order hits that are otherwise equal (`compareHits`). */
export const FIRST_HIT_COLUMNS = FIRST_HIT_DIMENSIONS;

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
  ...FIRST_HIT_COLUMNS,
] as const;

/**
 * Computes rows of `visit` (`VISIT_COLUMNS`) from rows of `hit`, which must include all hits of each visitor
 * (statistics.md, section 1).
 */
export function visitsOfHits(hits: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select website_number, day, visitor, min(time) as started, max(time) as ended,
      (count(*) filter (where name is null))::integer as pageviews,
      (count(*) filter (where name is not null))::integer as events,
      (array_agg(page order by place) filter (where name is null))[1] as entry_page,
      (array_agg(page order by place desc) filter (where name is null))[1] as exit_page,
      ${sql.join(FIRST_HIT_COLUMNS.map((column) => sql`min(${sql.ref(column)}) filter (where begins) as ${sql.ref(column)}`))}
    from (
      select *, count(*) filter (where begins) over (partition by website_number, day, visitor order by time) as visit
      from (
        select *, row_number() over ordered as place,
          coalesce(time - lag(time) over ordered > ${`${VISIT_GAP_MS} milliseconds`}::interval, true) as begins
        from (${hits}) hit
        window ordered as (
          partition by website_number, day, visitor
          order by time, name is not null, page, name, ${sql.join(FIRST_HIT_COLUMNS.map((column) => sql.ref(column)))}
        )
      ) placed
    ) of_visit
    group by website_number, day, visitor, visit`;
}

/** The columns of a visit, qualified with this table. */
export function visitColumns(table: string): RawBuilder<unknown> {
  return sql.join(VISIT_COLUMNS.map((column) => sql.ref(`${table}.${column}`)));
}
