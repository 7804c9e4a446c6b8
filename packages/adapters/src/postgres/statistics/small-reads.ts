import { addDays, type Day, DROP_REASONS, type DropReason } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../system.ts';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';

export async function readCurrentVisitors(database: Database, websiteId: string, since: Date): Promise<number> {
  if (!isId(websiteId)) return 0;
  // A day begins up to 14 hours earlier than in UTC. The bound keeps PostgreSQL from reading other months.
  const firstDay = addDays(since.toISOString().slice(0, 10), -1);
  const [row] = await database.read(
    once(sql<{ visitors: number }>`
      select count(distinct visitor)::double precision as visitors from hit
      where website_number = (select number from website where id = ${websiteId})
        and time >= ${since} and day >= ${firstDay}::date`),
  );
  return row?.visitors ?? 0;
}

export async function readDropped(
  database: Database,
  websiteId: string,
  from: Day,
  to: Day,
): Promise<{ reason: DropReason; hits: number }[]> {
  if (!isId(websiteId)) return [];
  return database.read(
    once(sql<{ reason: DropReason; hits: number }>`
      select reason, sum(hits)::double precision as hits from dropped_hit
      where website_number = (select number from website where id = ${websiteId})
        and day between ${from}::date and ${to}::date and reason = any(${DROP_REASONS})
      group by reason order by sum(hits) desc, reason`),
  );
}

export async function readFirstDay(database: Database, websiteId: string): Promise<Day | undefined> {
  if (!isId(websiteId)) return undefined;
  const [row] = await database.read(
    once(sql<{ day: Day | null }>`
      select least(
        (select min(day) from website_day where website_number = website.number),
        (select min(day) from changed_visitor where website_number = website.number
          and day >= (select kept_from from hit_retention))
      )::text as day
      from website where id = ${websiteId}`),
  );
  return row?.day ?? undefined;
}
