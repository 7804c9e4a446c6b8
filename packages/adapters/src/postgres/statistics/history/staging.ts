import type { CountedHit, DaySum } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../../system.ts';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { ImportKey } from '../../imports/record-import.ts';
import { IMPORTED_HIT_COLUMNS, importedHitRow } from '../../journal/hit-rows.ts';
import { COPY_SUMS, sumRow } from './sum-rows.ts';

const COPY = `copy import_hit (${IMPORTED_HIT_COLUMNS.join(', ')}) from stdin`;

/** Stores hits of a running import; those of one that does not run are left out. */
export function stage(database: Database, importId: string, hits: readonly CountedHit[]): Promise<void> {
  return copyRows(database, importId, COPY, ({ number, websiteNumber }) =>
    hits.map((hit) => importedHitRow(hit, websiteNumber, number)),
  );
}

/** Stores sums of days likewise. */
export function stageSums(database: Database, importId: string, sums: readonly DaySum[]): Promise<void> {
  return copyRows(database, importId, COPY_SUMS, (key) => sums.map((sum) => sumRow(sum, key)));
}

async function copyRows(
  database: Database,
  importId: string,
  copy: string,
  rowsOf: (key: ImportKey) => readonly string[],
): Promise<void> {
  if (!isId(importId)) return;
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query(
      once(sql<ImportKey>`
        select number, website_number as "websiteNumber" from import
        where id = ${importId} and status = 'running' for key share`),
    );
    const [running] = rows;
    if (running === undefined) return;
    await transaction.copy(copy, [rowsOf(running).join('')]);
  });
}

/** How many staged rows one statement deletes. */
const MAX_ROWS = 50_000;

/** Deletes what was staged for an import that does not run. */
export async function discard(database: Database, importId: string): Promise<void> {
  if (!isId(importId)) return;
  const isFailed = sql`import.id = ${importId} and status = 'failed'`;
  const staged = {
    import_hit: sql`import_number = (select number from import where ${isFailed})`,
    // The index begins with the website.
    imported_sum: sql`
      (website_number, import_number) = (select website_number, number from import where ${isFailed})`,
  };
  for (const [table, isOfImport] of Object.entries(staged)) {
    for (let count = MAX_ROWS; count >= MAX_ROWS; ) {
      const name = sql.table(table);
      const rows = sql`select ctid from ${name} where ${isOfImport} limit ${MAX_ROWS}`;
      ({ count } = await database.query(once(sql`delete from ${name} where ctid = any(array(${rows}))`)));
    }
  }
}
