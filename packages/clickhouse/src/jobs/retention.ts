import type { Day } from '@hitherto/domain/calendar';
import type { HitJournal } from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, raw, type Sql, sql } from '../connection/sql.ts';
import { counts } from '../reading/day-forms.ts';
import { storedTable, type TableName } from '../tables/tables.ts';
import { deleteUnknownImports } from './delete-imports.ts';
import { summariseExclusively } from './summarise.ts';

type RetentionJournal = Pick<HitJournal, 'exclusively' | 'findZones' | 'findRules' | 'findPageRules' | 'importNumbers'>;

/** The tables whose rows of days before `kept_from` are deleted. */
const OF_KEPT_DAYS: readonly TableName[] = ['hit', 'visitor_day'];
/** Longer than a read takes: one that began before may still look for visits of days that are only summarised now. */
const GRACE_SECONDS = 60;

/**
 * Summarises the days before `day`, and notes that their hits no longer count; reads then take these days from summaries. A
 * minute later, a further call deletes their hits and visits, whole months by dropping partitions.
 *
 * Does nothing of this while an import runs, whose hits are in no number yet.
 */
export async function deleteHitsBefore(
  server: ClickHouse,
  journal: RetentionJournal,
  cluster: string | undefined,
  day: Day,
): Promise<boolean> {
  const [kept] = await server.read<{ day: Day; is_due: boolean }>(sql`
    select kept_from as day, since < now() - ${GRACE_SECONDS} as is_due from retention order by kept_from desc limit 1`);
  if (kept === undefined || kept.day < day) {
    // Summaries with hits of deleted imports would count from now on.
    await deleteUnknownImports(server, journal, cluster);
    return keepFrom(server, journal, day);
  }
  if (!kept.is_due || (await isImporting(journal))) return false;
  const isCounted = counts(await journal.importNumbers('done'));
  for (const table of OF_KEPT_DAYS) await deleteRowsBefore(server, table, cluster, kept.day, isCounted);
  return false;
}

/** Returns whether more days are left to summarise before. */
function keepFrom(server: ClickHouse, journal: RetentionJournal, day: Day): Promise<boolean> {
  const before = sql`day < ${dayLiteral(day)}`;
  return journal.exclusively(async (version) => {
    if (await isImporting(journal)) return false;
    if (await summariseExclusively(server, journal, before, () => true, version)) return true;
    await server.write(sql`insert into retention (kept_from, since) select ${dayLiteral(day)}, now()`);
    return false;
  });
}

async function isImporting(journal: RetentionJournal): Promise<boolean> {
  return (await journal.importNumbers('running')).length > 0;
}

/** @param isCounted a condition on rows: rows of an import that has begun since stay, except in months that are dropped */
async function deleteRowsBefore(
  server: ClickHouse,
  table: TableName,
  cluster: string | undefined,
  day: Day,
  isCounted: Sql,
): Promise<void> {
  const stored = storedTable(table, cluster);
  const isOld = sql`day < ${dayLiteral(day)} and ${isCounted}`;
  const months = await server.read<{ month: number; last: Day }>(sql`
    select toYYYYMM(day) as month, toLastDayOfMonth(day) as last from ${raw(table)}
    where ${isOld} group by month, last order by month`);
  for (const { month, last } of months) {
    if (last < day) await server.write(sql`alter table ${stored} drop partition ${month}`);
    else await server.write(sql`delete from ${stored} where ${isOld}`);
  }
}
