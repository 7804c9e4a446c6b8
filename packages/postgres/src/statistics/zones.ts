import { type Day, dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
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

/**
 * The condition that a row of `website_day` is of a day that is over in the zone of its website. Zones are computed here and not
 * in PostgreSQL, because their tables of zones may differ.
 *
 * @param installation the zone of websites without their own
 */
export async function dayIsOver(database: Database, installation: TimeZone, now: Date): Promise<RawBuilder<unknown>> {
  const today = dayOf(installation, now);
  const others = new Map<Day, string[]>();
  for (const timeZone of await findTimeZones(database)) {
    const day = dayOf(zoneOf({ timeZone }, installation), now);
    if (day !== today) others.set(day, [...(others.get(day) ?? []), timeZone]);
  }
  if (others.size === 0) return isBefore(today);
  const isIn = (zones: readonly string[]) =>
    sql`website_number in (select number from website where time_zone = any(${zones}::text[]))`;
  const ahead = [...others].filter(([day]) => day > today);
  const behind = [...others].filter(([day]) => day < today);
  const isOver = [isBefore(today), ...ahead.map(([day, zones]) => sql`${isBefore(day)} and ${isIn(zones)}`)];
  const isNotYet = behind.map(([day, zones]) => sql`and not (day >= ${day}::date and ${isIn(zones)})`);
  // The last day by itself is a condition that the index of days can use.
  const last = [...others.keys(), today].sort().at(-1) ?? today;
  return sql`(${isBefore(last)} and (${sql.join(isOver, sql` or `)}) ${sql.join(isNotYet, sql` `)})`;
}

/** The condition that a row is of a day before this one. */
export function isBefore(day: Day): RawBuilder<unknown> {
  return sql`day < ${day}::date`;
}
