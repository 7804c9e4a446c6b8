import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { gatherDays } from '../statistics/book/read-day-hits.ts';
import { deletedHitRows } from '../statistics/book/read-hit-rows.ts';
import { storeParts } from '../statistics/book/store-part.ts';
import { makePart } from '../statistics/columns/make-part.ts';

/** Moves hits of imports into the book; backups from before the first release have them in rows. */
export async function storeOldImports(transaction: Transaction): Promise<void> {
  await transaction.query(
    once(sql`create index hit_of_import on hit (website_number, day, import_number) where import_number is not null`),
  );
  const { rows: days } = await transaction.query(
    once(sql<{ website: string; day: Day; origin: string }>`
      select distinct website_number as website, day::text as day, import_number as origin from hit
      where import_number is not null`),
  );
  for (const { website, day, origin } of days) {
    const gathered = gatherDays();
    const isChosen = sql`
      where website_number = ${sql.lit(website)} and day = ${sql.lit(day)} and import_number = ${sql.lit(origin)}`;
    await gathered.addRows(transaction, deletedHitRows(isChosen));
    for (const { hits } of gathered.days()) {
      await storeParts(transaction, [{ ...(await makePart(hits)), websiteNumber: website, origin, part: 0 }]);
    }
  }
  await transaction.query(once(sql`drop index hit_of_import`));
}
