import { isId } from '@hitherto/domain/base';
import type { CountedHit } from '@hitherto/domain/hits';
import type { DaySum } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { ImportKey } from '../../imports/record-import.ts';
import { IMPORTED_HIT_COLUMNS, importedHitRow } from '../../journal/hit-rows.ts';
import { COPY_SUMS, sumRow } from './sum-rows.ts';

const COPY = `copy import_hit (${IMPORTED_HIT_COLUMNS.join(', ')}) from stdin`;

/** Stores hits of an import, if it is running. */
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
  await database.transaction(async (transaction) => {
    const running = await findRunning(transaction, importId);
    if (running !== undefined) await transaction.copy(copy, [rowsOf(running).join('')]);
  });
}

export interface RunningImport extends ImportKey {
  /** The website's own. */
  readonly timeZone: string | null;
}

/** A running import, which is not deleted before the transaction ends. */
export async function findRunning(transaction: Transaction, importId: string): Promise<RunningImport | undefined> {
  if (!isId(importId)) return undefined;
  const { rows } = await transaction.query(
    once(sql<RunningImport>`
      select import.number, website_number as "websiteNumber", time_zone as "timeZone"
      from import join website on website.number = website_number
      where import.id = ${importId} and status = 'running' for key share of import`),
  );
  return rows[0];
}

/** How many staged rows one statement deletes. */
const MAX_ROWS = 50_000;

/** Deletes the staged rows of an import that does not run. */
export async function discard(database: Database, importId: string): Promise<void> {
  if (!isId(importId)) return;
  const isFailed = sql`import.id = ${importId} and status = 'failed'`;
  const isOfImport = sql`import_number = (select number from import where ${isFailed})`;
  const staged = [
    ...TABLES_OF_HITS.map((table) => [table, isOfImport] as const),
    [
      'imported_sum',
      // The index begins with the website.
      sql`(website_number, import_number) = (select website_number, number from import where ${isFailed})`,
    ] as const,
  ];
  for (const [table, isStaged] of staged) {
    for (let count = MAX_ROWS; count >= MAX_ROWS; ) {
      const name = sql.table(table);
      const rows = sql`select ctid from ${name} where ${isStaged} limit ${MAX_ROWS}`;
      ({ count } = await database.query(once(sql`delete from ${name} where ctid = any(array(${rows}))`)));
    }
  }
}

/** The tables of staged hits, and of the numbers that are prepared of them. */
const TABLES_OF_HITS = ['import_hit', 'import_numbers'] as const;

/** Deletes the staged hits of an import, and the rows prepared from them. */
export async function deleteStagedHits(transaction: Transaction, number: string): Promise<void> {
  for (const table of TABLES_OF_HITS) {
    await transaction.query(once(sql`delete from ${sql.table(table)} where import_number = ${number}`));
  }
}
