import type { CountedHit } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../../system.ts';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { ImportKey } from '../../imports/record-import.ts';
import { IMPORTED_HIT_COLUMNS, importedHitRow } from '../../journal/hit-rows.ts';

const COPY = `copy import_hit (${IMPORTED_HIT_COLUMNS.join(', ')}) from stdin`;

/** Stores hits of a running import; those of one that does not run are left out. */
export async function stage(database: Database, importId: string, hits: readonly CountedHit[]): Promise<void> {
  if (!isId(importId) || hits.length === 0) return;
  await database.transaction(async (transaction) => {
    const { rows } = await transaction.query(
      once(sql<ImportKey>`
        select number, website_number as "websiteNumber" from import
        where id = ${importId} and status = 'running' for key share`),
    );
    const [running] = rows;
    if (running === undefined) return;
    const { number, websiteNumber } = running;
    const text = hits.map((hit) => importedHitRow(hit, websiteNumber, number)).join('');
    await transaction.copy(COPY, [text]);
  });
}

/** How many staged hits one statement deletes. */
const MAX_ROWS = 50_000;

/** Deletes the staged hits of an import that does not run, and those without an import. */
export async function discard(database: Database, importId: string): Promise<void> {
  if (!isId(importId)) return;
  for (;;) {
    const { count } = await database.query(
      once(sql`
        delete from import_hit where ctid = any(array(
          select ctid from import_hit
          where import_number = (select number from import where id = ${importId} and status <> 'running')
          limit ${MAX_ROWS}
        ))`),
    );
    if (count < MAX_ROWS) return;
  }
}
