import type { StatisticsMaintenance, TimeZone } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../../system.ts';
import type { Database } from '../../connection/database.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import { ALL_VISITS, inScope } from '../visits/chosen-visits.ts';
import { VISIT_COLUMNS, visitsOfHits } from '../visits/visits.ts';
import { summariseDays, type WebsiteDay } from './summarise.ts';
import { waitForWorkLock } from './work-lock.ts';

type DaysToRebuild = Parameters<StatisticsMaintenance['rebuild']>[0];

/**
 * Rebuilds the visits of each day from its hits, and its summary if it had one; a running summary ends, and is made again
 * later. Each day is a separate transaction.
 */
export async function rebuild(database: Database, zone: TimeZone, what: DaysToRebuild): Promise<number> {
  const days = await daysWithHits(database, what);
  for (const day of days) await rebuildDay(database, zone, day);
  return days.length;
}

async function daysWithHits(database: Database, { websiteId, from, to }: DaysToRebuild): Promise<WebsiteDay[]> {
  if (websiteId !== undefined && !isId(websiteId)) return [];
  const conditions = [
    sql`day >= (select kept_from from hit_retention)`,
    ...(websiteId === undefined ? [] : [sql`website_number = (select number from website where id = ${websiteId})`]),
    ...(from === undefined ? [] : [sql`day >= ${from}::date`]),
    ...(to === undefined ? [] : [sql`day <= ${to}::date`]),
  ];
  const { rows } = await database.query(
    once(sql<WebsiteDay>`
      select website_number as "websiteNumber", day::text as day
      from (select distinct website_number, day from hit where ${sql.join(conditions, sql` and `)}) kept
      where website_number in (select number from website)
      order by kept.day, website_number`),
  );
  return rows;
}

function rebuildDay(database: Database, zone: TimeZone, { websiteNumber, day }: WebsiteDay): Promise<void> {
  const scope = { websiteNumber, days: [day], ...ALL_VISITS };
  const columns = columnsOf(VISIT_COLUMNS);
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    // Retention may have reached the day meanwhile: then its summary can no longer be rebuilt.
    const { count: kept } = await transaction.query(
      once(sql`select from hit_retention where kept_from <= ${day}::date`),
    );
    if (kept === 0) return;
    await transaction.query(once(sql`delete from visit where ${inScope('visit', scope)}`));
    const { count: visits } = await transaction.query(
      once(sql`
        insert into visit (${columns})
        select ${columns} from (${visitsOfHits(sql`select * from hit where ${inScope('hit', scope)}`)}) visit`),
    );
    const { rows } = await transaction.query(
      once(sql<{ summarised: boolean }>`
        insert into website_day (website_number, day, summarised, visits)
        values (${websiteNumber}, ${day}::date, false, ${visits})
        on conflict (website_number, day) do update set visits = excluded.visits,
          summarised = website_day.summarised and website_day.running_zone is null
        returning summarised`),
    );
    if (rows[0]?.summarised) await summariseDays(transaction, zone, websiteNumber, [day]);
  });
}
