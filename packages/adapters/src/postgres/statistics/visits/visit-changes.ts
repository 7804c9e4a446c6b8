import { type RawBuilder, sql } from 'kysely';
import { inScope, type WebsiteDays } from './chosen-visits.ts';
import { visitsWithHits } from './visits.ts';

/**
 * The table `changed_hit`: all hits of the visitors in `changed`. `is_new` tells the hits that the table of visits does not
 * know yet: a transaction writes hits together with the marks of their visitors, and `changed` has the transactions of the
 * marks in `batches`.
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
 * The table `changed_visit`: the visits of all hits in `changed_hit`, with `sign` 1, and those of the hits that are not new,
 * with -1, which are what `visit` has. Both have the columns of `visitsWithHits`.
 *
 * @param isOfSummary a condition on hits; visits that are in no summary need not be subtracted
 */
export function changedVisits(isOfSummary: RawBuilder<unknown> = sql`true`): RawBuilder<unknown> {
  const hits = sql`
    select 1 as sign, * from changed_hit
    union all
    select -1 as sign, * from changed_hit where not is_new and ${isOfSummary}`;
  return sql`changed_visit as materialized (${visitsWithHits(hits, ['sign'])})`;
}

/** A select of the hits of these days that the table of visits knows: those that were not written with a mark in the queue. */
export function knownHits(days: WebsiteDays): RawBuilder<unknown> {
  return sql`
    select * from hit where ${inScope('hit', days)} and not exists (
      select from changed_visitor mark
      where ${inScope('mark', days)} and mark.day = hit.day and mark.visitor = hit.visitor and mark.xmin = hit.xmin
    )`;
}
