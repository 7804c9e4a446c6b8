import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { inScope, type WebsiteDays } from './chosen-visits.ts';
import { visitsWithHits } from './visits.ts';

/**
 * All hits of the visitors in `changed`. `is_new` marks the hits that the table of visits does not contain yet: a transaction
 * writes hits together with the marks of their visitors, and `changed` has the transactions of the marks in `batches`.
 *
 * @param isOfDays a condition on `hit`, by which partitions are pruned
 */
export function changedHits(changed: Cte, isOfDays: RawBuilder<unknown> = sql`true`): Cte {
  return cte(
    'changed_hit',
    sql`
      select hit.*, hit.batch = any(changed.batches) as is_new
      from ${changed} changed cross join lateral (
        select *, xmin as batch from hit
        where website_number = changed.website_number and day = changed.day and visitor = changed.visitor and ${isOfDays}
        offset 0
      ) hit`,
    { materialized: true },
  );
}

/**
 * Selects websites and days (some repeatedly) with old visits that were not made of exactly the changed hits that are not
 * new: after a rebuild, or after hits or marks were written again, by a restore for example.
 */
export function mismatches(oldVisit: Cte, changedHit: Cte): RawBuilder<unknown> {
  return sql`
    select website_number, day from (
      select website_number, day, visitor, pageviews + events as hits from ${oldVisit}
      union all
      select website_number, day, visitor, -1 from ${changedHit} where not is_new
    ) hits_of_visitor
    group by website_number, day, visitor having sum(hits) <> 0`;
}

/**
 * The visits of all changed hits, with `sign` 1, and those of the hits that are not new, with -1, which are those in `visit`.
 * Both have the columns of `visitsWithHits`.
 *
 * @param isOfSummary a condition on hits; visits that are in no summary need not be subtracted
 */
export function changedVisits(changedHit: Cte, isOfSummary: RawBuilder<unknown> = sql`true`): Cte {
  return signedVisits(sql`
    select 1 as sign, * from ${changedHit}
    union all
    select -1 as sign, * from ${changedHit} where not is_new and ${isOfSummary}`);
}

/** A select of the hits of these days that the table of visits knows. */
function knownHits(days: WebsiteDays): RawBuilder<unknown> {
  // Unknown hits were written together with a mark.
  return sql`
    select * from hit where ${inScope('hit', days)} and not exists (
      select from changed_visitor mark
      where ${inScope('mark', days)} and mark.day = hit.day and mark.visitor = hit.visitor and mark.xmin = hit.xmin
    )`;
}

/** The visits of all these hits, with `sign` 1. */
export function knownVisits(days: WebsiteDays): Cte {
  return signedVisits(sql`select 1 as sign, * from (${knownHits(days)}) hit`);
}

/** @param hits a select of `sign` and the columns of hits */
function signedVisits(hits: RawBuilder<unknown>): Cte {
  return cte('signed_visit', visitsWithHits(hits, ['sign']), { materialized: true });
}
