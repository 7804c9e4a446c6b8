import { type RawBuilder, sql } from 'kysely';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { NESTED_LOOPS } from '../planner.ts';
import { NEWEST_KIND } from '../summary-columns.ts';
import { VISIT_COLUMNS, visitsOfHits } from '../visits/visits.ts';
import { rowsOfDays, tableOfDays, type WebsiteDay } from '../website-days.ts';

/**
 * Makes the visits of these days again. The caller holds the lock under which visits change.
 *
 * @param hits a select of the hits that they are made of, by default all of the days
 */
export async function rebuildVisits(
  transaction: Transaction,
  days: readonly WebsiteDay[],
  hits: RawBuilder<unknown> = rowsOfDays('hit', sql`*`, days),
): Promise<void> {
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await transaction.query(
    once(sql`
      delete from visit using ${tableOfDays(days)} chosen
      where visit.website_number = chosen.website_number and visit.day = chosen.day`),
  );
  await transaction.query(once(sql`insert into visit (${columnsOf(VISIT_COLUMNS)}) ${visitsOfHits(hits)}`));
}

/** The days among these that have a visit without a kind, because an earlier version made it. */
export async function daysWithEarlierVisits(
  transaction: Transaction,
  days: readonly WebsiteDay[],
): Promise<readonly WebsiteDay[]> {
  if (days.length === 0) return [];
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  const visits = rowsOfDays('visit', sql`website_number, day, newest_kind`, days);
  const { rows } = await transaction.query(
    once(sql<WebsiteDay>`
      select distinct website_number as "websiteNumber", day::text as day from (${visits}) visit
      where newest_kind < ${NEWEST_KIND}`),
  );
  return rows;
}
