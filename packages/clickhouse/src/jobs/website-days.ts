import type { Day, TimeZone } from '@hitherto/domain/calendar';
import type { HitJournal } from '@hitherto/domain/engine';
import { dayLiteral, join, type Sql, sql } from '../connection/sql.ts';
import { hoursOfHits } from '../visits/hours.ts';

/** A day of a website, with the number of its hits. */
export interface CountedDay {
  readonly website: bigint;
  readonly day: Day;
  readonly hits: number;
}

/** A day of a website, and the zone in which it is one. */
export interface ZonedDay extends CountedDay {
  readonly zone: TimeZone;
}

/** A row of a select of `website`, `day` and `hits`. */
export interface WebsiteDayRow {
  readonly website: string;
  readonly day: Day;
  readonly hits: string;
}

/** The days of existing websites, with their zones. */
export async function withZones(
  journal: Pick<HitJournal, 'findZones'>,
  rows: readonly WebsiteDayRow[],
): Promise<ZonedDay[]> {
  if (rows.length === 0) return [];
  const zones = await journal.findZones([...new Set(rows.map(({ website }) => BigInt(website)))]);
  return rows.flatMap(({ website, day, hits }) => {
    const zone = zones.get(BigInt(website));
    return zone === undefined ? [] : [{ website: BigInt(website), day, hits: Number(hits), zone }];
  });
}

/** The condition that a row is of any of these days. */
export function isOfAny(days: readonly Pick<CountedDay, 'website' | 'day'>[]): Sql {
  const keys = days.map(({ website, day }) => sql`(${website}, ${dayLiteral(day)})`);
  return sql`(website, day) in (${join(keys)})`;
}

/** How many days a statement is about at most, and how many hits they may have before the last of them. */
const MAX_DAYS = 500;
const MAX_HITS = 1_000_000;

/** The first of these days, as many as a statement can be about. */
export function firstBatch<ADay extends CountedDay>(days: readonly ADay[]): ADay[] {
  let hits = 0;
  const end = days.findIndex((day, place) => {
    const isFull = place >= MAX_DAYS || hits >= MAX_HITS;
    hits += day.hits;
    return isFull;
  });
  return days.slice(0, end === -1 ? days.length : end);
}

/** Days whose hours begin at the same times. */
interface DaysOfHours {
  /** The starts of the hours of a visit's hits (`hoursOfHits`). */
  readonly hours: Sql;
  readonly days: readonly ZonedDay[];
}

/** Groups days by the hours of their zones. In nearly all zones, hours begin when they begin in UTC. */
export function groupByHours(days: readonly ZonedDay[]): DaysOfHours[] {
  const dates = days.map(({ day }) => day).sort();
  const [from = '', to = ''] = [dates[0], dates.at(-1)];
  const groups = new Map<string, DaysOfHours>();
  for (const [, zone] of new Map(days.map((day) => [day.zone.name, day.zone]))) {
    const hours = hoursOfHits(zone, from, to);
    const ofZone = days.filter((day) => day.zone.name === zone.name);
    groups.set(hours.text, { hours, days: [...(groups.get(hours.text)?.days ?? []), ...ofZone] });
  }
  return [...groups.values()];
}
