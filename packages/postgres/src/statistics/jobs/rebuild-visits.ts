import { sql } from 'kysely';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { NESTED_LOOPS } from '../planner.ts';
import { VISIT_COLUMNS, visitsOfHits } from '../visits/visits.ts';
import { rowsOfDays, tableOfDays, type WebsiteDay } from '../website-days.ts';

/** Makes the visits of these days again. The caller holds the lock under which visits change. */
export async function rebuildVisits(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await transaction.query(
    once(sql`
      delete from visit using ${tableOfDays(days)} chosen
      where visit.website_number = chosen.website_number and visit.day = chosen.day`),
  );
  await transaction.query(
    once(sql`insert into visit (${columnsOf(VISIT_COLUMNS)}) ${visitsOfHits(rowsOfDays('hit', sql`*`, days))}`),
  );
}
