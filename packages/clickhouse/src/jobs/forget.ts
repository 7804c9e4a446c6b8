import type { HitJournal } from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { join, raw, sql } from '../connection/sql.ts';
import { storedTable, TABLES, type TableName } from '../tables/tables.ts';

/** The tables with rows of websites. */
const OF_WEBSITES: readonly TableName[] = ['hit', 'visitor_day', 'summary', 'imported_sum'];

/** Deletes the rows of a deleted website. They no longer count from then on; the disk is freed by {@link freeDisk}. */
export async function forget(
  server: ClickHouse,
  journal: Pick<HitJournal, 'exclusively' | 'findDeleted'>,
  cluster: string | undefined,
  websiteId: string,
): Promise<void> {
  const numbers = await journal.findDeleted(websiteId);
  if (numbers.length === 0) return;
  await journal.exclusively(async () => {
    for (const table of OF_WEBSITES) {
      const isOfWebsite = sql`website in (${join(numbers)})`;
      const rows = await server.read(sql`select website from ${raw(table)} where ${isOfWebsite} limit 1`);
      if (rows.length > 0) await server.write(sql`delete from ${storedTable(table, cluster)} where ${isOfWebsite}`);
    }
  });
}

/** Removes the rows that deletions left on the disk. */
export async function freeDisk(server: ClickHouse, cluster: string | undefined): Promise<void> {
  for (const table of Object.keys(TABLES) as TableName[]) {
    const stored = cluster === undefined ? table : `${table}_local`;
    const parts = await server.read(sql`
      select name from system.parts
      where database = currentDatabase() and table = ${stored} and active and has_lightweight_delete limit 1`);
    if (parts.length > 0) await server.write(sql`alter table ${storedTable(table, cluster)} apply deleted mask`);
  }
}
