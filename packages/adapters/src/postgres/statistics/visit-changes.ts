import { type RawBuilder, sql } from 'kysely';
import type { VisitSource } from './day-values.ts';
import { visitColumns } from './visits.ts';

/**
 * The table `changed_hit`: all hits of the visitors in `changed`, which has the transactions (`batches`) of their marks. A
 * transaction writes hits together with their marks, so `is_new` tells the hits that the visitor's visits do not know yet.
 *
 * @param isOfDays a condition on `hit`, by which partitions are pruned
 */
export function changedHits(isOfDays: RawBuilder<unknown> = sql`true`): RawBuilder<unknown> {
  return sql`
    changed_hit as materialized (
      select hit.*, hit.batch = any(changed.batches) as is_new
      from changed cross join lateral (
        select *, xmin as batch from hit
        where website_number = changed.website_number and day = changed.day and visitor = changed.visitor and ${isOfDays}
        offset 0
      ) hit
    )`;
}

/**
 * Selects websites and days (some repeatedly) with visits in `old_visit` that were not made of exactly the hits in
 * `changed_hit` that are not new: after a rebuild, or after hits or marks were written again, by a restore for example.
 */
export const MISMATCHES = sql`
  select website_number, day from (
    select website_number, day, visitor, pageviews + events as hits from old_visit
    union all
    select website_number, day, visitor, -1 from changed_hit where not is_new
  ) hits_of_visitor
  group by website_number, day, visitor having sum(hits) <> 0`;

/**
 * What changes a running summary: visits of `old_visit` and their hits to subtract, those of `new_visit` to add.
 *
 * @param isOfSummary a condition on either table
 */
export function visitChanges(isOfSummary: RawBuilder<unknown> = sql`true`): VisitSource {
  return {
    visits: sql`
      chosen_visit as (
        select -1 as sign, ${visitColumns('old_visit')} from old_visit where ${isOfSummary}
        union all
        select 1 as sign, ${visitColumns('new_visit')} from new_visit where ${isOfSummary}
      )`,
    hits: sql`
      select -1 as sign, * from changed_hit where not is_new
      union all
      select 1 as sign, * from changed_hit`,
  };
}
