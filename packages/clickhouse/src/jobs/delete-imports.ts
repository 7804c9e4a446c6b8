import type { HitJournal } from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { counts, IS_KEPT } from '../reading/day-forms.ts';
import { MOVED, OF_IMPORTS, storedTable, type TableName } from '../tables/tables.ts';
import { makeVisits } from '../visits/make-visits.ts';
import { outdateSummaries } from './summarise.ts';
import { type CountedDay, isOfAny } from './website-days.ts';

type ImportJournal = Pick<HitJournal, 'exclusively' | 'importNumbers'>;
type SummarisedDay = Pick<CountedDay, 'website' | 'day'>;

/** Deletes what is left of imports that neither run nor count: the service died while it deleted them. */
export async function deleteUnknownImports(
  server: ClickHouse,
  journal: ImportJournal,
  cluster: string | undefined,
): Promise<void> {
  const selects = OF_IMPORTS.map((table) => sql`select distinct import from ${raw(table)} where import > 0`);
  const found = await server.read<{ import: string }>(sql`select distinct import from (${unionAll(selects)})`);
  // Read later and in this order, so that an import that has just begun, or has just finished, is known.
  const running = await journal.importNumbers('running');
  const known = new Set([...running, ...(await journal.importNumbers('done'))].map(String));
  const unknown = found.filter((row) => !known.has(row.import)).map((row) => BigInt(row.import));
  if (unknown.length > 0) await deleteImported(server, journal, cluster, sql`import in (${join(unknown)})`);
}

/**
 * Deletes what is left of imports that no longer count: their rows, and the summaries with their hits. It can be killed at any point
 * and repeated.
 *
 * @param isOwn the condition that a row is of one of them
 */
export async function deleteImported(
  server: ClickHouse,
  journal: ImportJournal,
  cluster: string | undefined,
  isOwn: Sql,
): Promise<void> {
  const days = await daysWhere(server, 'hit', sql`${isOwn} and ${IS_KEPT}`);
  if (days.length > 0) {
    await journal.exclusively(async (version) => {
      await server.write(makeVisits(isOfSharedVisitor(isOwn), version));
      await server.write(outdateSummaries(isOfAny(days), version));
    });
    const isCounted = counts(await journal.importNumbers('done'));
    const left = new Set((await daysWhere(server, 'visitor_day', sql`${isOfAny(days)} and ${isCounted}`)).map(keyOf));
    await deleteSummaries(
      server,
      cluster,
      days.filter((day) => !left.has(keyOf(day))),
    );
  }
  await deleteRows(server, cluster, isOwn);
}

/** The condition that a hit stays, of a visitor who has hits that do not. */
function isOfSharedVisitor(isOwn: Sql): Sql {
  const key = raw('website, day, visitor');
  return sql`not (${isOwn}) and (${key}) in (select ${key} from hit where ${isOwn} and batch = ${MOVED})`;
}

/** Deletes rows of imports that never counted, or no longer do. */
export async function deleteRows(server: ClickHouse, cluster: string | undefined, isOwn: Sql): Promise<void> {
  for (const table of OF_IMPORTS) {
    const rows = await server.read(sql`select website from ${raw(table)} where ${isOwn} limit 1`);
    if (rows.length > 0) await server.write(sql`delete from ${storedTable(table, cluster)} where ${isOwn}`);
  }
}

export async function deleteSummaries(
  server: ClickHouse,
  cluster: string | undefined,
  days: readonly SummarisedDay[],
): Promise<void> {
  if (days.length === 0) return;
  await server.write(sql`delete from ${storedTable('summary', cluster)} where ${isOfAny(days)}`);
}

async function daysWhere(server: ClickHouse, table: TableName, condition: Sql): Promise<SummarisedDay[]> {
  const rows = await server.read<{ website: string; day: string }>(sql`
    select distinct website, day from ${raw(table)} where ${condition}`);
  return rows.map(({ website, day }) => ({ website: BigInt(website), day }));
}

function keyOf({ website, day }: SummarisedDay): string {
  return `${website} ${day}`;
}
