import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';

const timeZones = statement(
  'find_time_zones',
  () => sql<{ name: string }>`select distinct time_zone as name from website where time_zone is not null`,
);

/** The time zones that are set for websites. */
export async function findTimeZones(database: Pick<Database, 'query'>): Promise<string[]> {
  const { rows } = await database.query(timeZones.with({}));
  return rows.map(({ name }) => name);
}
