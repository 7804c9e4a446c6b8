import { addDays, type Day, startOfHour, type TimeZone } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { WebsiteDay } from '../website-days.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The hours of a time zone, in order of time. Instants are in ISO 8601: a year has thousands of them, and statements several lists. */
export interface Hours {
  /** The first instant of each hour. */
  readonly from: readonly string[];
  /**
   * When the clock of the zone showed the start of each hour. If clocks change by half an hour, that may be earlier.
   */
  readonly start: readonly string[];
}

/** For numbers that are not by hour: a year has thousands of hours. */
export const NO_HOURS: Hours = { from: [], start: [] };

/**
 * All hours that can contain hits of these days, and none of days that are far from them. The time zone may have been another
 * one when the hits arrived: a day begins up to 14 hours before the one of UTC, and ends up to 12 hours after it.
 */
export function hoursAround(zone: TimeZone, days: readonly Day[]): Hours {
  const hours: { from: string[]; start: string[] } = { from: [], start: [] };
  let next = 0;
  for (const day of days.toSorted()) {
    const end = Date.parse(addDays(day, 2));
    next = Math.max(next, Date.parse(addDays(day, -1)));
    while (next < end) {
      const start = startOfHour(zone, new Date(next));
      hours.from.push(new Date(next).toISOString());
      hours.start.push(start.toISOString());
      // Where clocks go forward within an hour, the next one begins early.
      const last = startOfHour(zone, new Date(start.getTime() + HOUR_MS - 1));
      next = last > start ? last.getTime() : start.getTime() + HOUR_MS;
    }
  }
  return hours;
}

/** A day of a website, with the website's zone. */
export interface ZonedDay extends WebsiteDay {
  readonly zone: TimeZone;
}

/** Days with the hours of `zone`. */
export interface DaysOfZone<ADay> {
  readonly zone: TimeZone;
  readonly days: readonly ADay[];
}

/** Groups days by the hours of their zones: in nearly all zones, hours begin when they begin in UTC. */
export function groupByHours<ADay extends ZonedDay>(days: readonly ADay[]): readonly DaysOfZone<ADay>[] {
  const zones = [...new Set(days.map(({ zone }) => zone))];
  const dates = days.map(({ day }) => day);
  const groups = new Map<string, DaysOfZone<ADay>>();
  for (const zone of zones) {
    const starts = zones.length === 1 ? '' : hoursAround(zone, dates).start.join();
    const group = groups.get(starts) ?? { zone, days: [] };
    groups.set(starts, { ...group, days: [...group.days, ...days.filter((day) => day.zone === zone)] });
  }
  return [...groups.values()];
}

/** The start of the hour of a time. */
export function hourOf(time: string, hours: Hours): RawBuilder<unknown> {
  const times = (instants: readonly string[]) => sql`${instants}::timestamptz[]`;
  return sql`(${times(hours.start)})[width_bucket(${sql.ref(time)}, ${times(hours.from)})]`;
}

/** The column `hour` as a value of the kind `hour`: its start in seconds. */
export const HOUR_VALUE: RawBuilder<unknown> = sql`extract(epoch from hour)::bigint::text collate "C"`;
