import type { Day, HitJournal } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, raw, sql } from '../connection/sql.ts';
import { KEPT_FROM } from '../reading/day-sources.ts';
import { storedTable, type TableName } from '../tables/tables.ts';
import { summarise } from './summarise.ts';

/** The tables whose rows of days before `kept_from` are deleted. */
const OF_KEPT_DAYS: readonly TableName[] = ['hit', 'visitor_day'];
/** Longer than a read takes: one that began before may still look for visits of days that are only summarised now. */
const GRACE_SECONDS = 60;

/**
 * Summarises the days before `day`, and notes that their hits no longer count; reads then take these days from summaries. A
 * minute later, a further call deletes their hits and visits, whole months by dropping partitions.
 */
export async function deleteHitsBefore(
  server: ClickHouse,
  journal: Pick<HitJournal, 'exclusively' | 'findZones' | 'importNumbers'>,
  cluster: string | undefined,
  day: Day,
): Promise<boolean> {
  const before = sql`day < ${dayLiteral(day)}`;
  if (await summarise(server, journal, before, () => true)) return true;
  await server.write(sql`
    insert into retention (kept_from, since)
    select ${dayLiteral(day)} as kept_from, now() as since where ${dayLiteral(day)} > ${KEPT_FROM}`);
  const [kept] = await server.read<{ day: Day; is_due: boolean }>(sql`
    select kept_from as day, since < now() - ${GRACE_SECONDS} as is_due from retention order by kept_from desc limit 1`);
  if (kept === undefined || !kept.is_due) return false;
  for (const table of OF_KEPT_DAYS) await deleteRowsBefore(server, table, cluster, kept.day);
  return false;
}

async function deleteRowsBefore(
  server: ClickHouse,
  table: TableName,
  cluster: string | undefined,
  day: Day,
): Promise<void> {
  const stored = storedTable(table, cluster);
  const months = await server.read<{ month: number; last: Day }>(sql`
    select toYYYYMM(day) as month, toLastDayOfMonth(day) as last from ${raw(table)}
    where day < ${dayLiteral(day)} group by month, last order by month`);
  for (const { month, last } of months) {
    if (last < day) await server.write(sql`alter table ${stored} drop partition ${month}`);
    else await server.write(sql`delete from ${stored} where day < ${dayLiteral(day)}`);
  }
}
