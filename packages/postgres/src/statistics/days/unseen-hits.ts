import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { type Cte, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { inScope, type WebsiteDays } from '../visits/chosen-visits.ts';
import { changedHits, changedVisits, mismatches } from '../visits/visit-changes.ts';

/** The changes that hits will make which `visit` and the running summaries of these days do not know yet. */
export function unseenChanges(days: WebsiteDays): Cte {
  return changedVisits(unseenHits(days).changedHit);
}

/** The days on which unseen hits change visits that do not match the known hits: their differences would be wrong. */
export async function mismatchedDays(transaction: Transaction, scope: WebsiteDays): Promise<readonly Day[]> {
  const { changed, changedHit } = unseenHits(scope);
  const oldVisit = cte(
    'old_visit',
    sql`
      select visit.* from ${changed} changed cross join lateral (
        select website_number, day, visitor, pageviews, events from visit
        where website_number = changed.website_number and day = changed.day and visitor = changed.visitor
          and ${inScope('visit', scope)}
        offset 0
      ) visit`,
  );
  const { rows } = await transaction.query(
    once(sql<{ day: Day }>`select distinct day::text as day from (${mismatches(oldVisit, changedHit)}) mismatched`),
  );
  return rows.map(({ day }) => day);
}

/** The marked visitors of these days, and all their hits. */
function unseenHits(scope: WebsiteDays): { readonly changed: Cte; readonly changedHit: Cte } {
  const changed = cte(
    'changed',
    sql`
      select website_number, day, visitor, array_agg(xmin) as batches from changed_visitor
      where ${inScope('changed_visitor', scope)}
      group by website_number, day, visitor`,
    { materialized: true },
  );
  return { changed, changedHit: changedHits(changed, inScope('hit', scope)) };
}
