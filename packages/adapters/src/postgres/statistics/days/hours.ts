import { addDays, type Day, startOfDay, startOfHour, type TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';

const HOUR_MS = 60 * 60 * 1000;

/** The hours of a time zone, in order of time. */
export interface Hours {
  /** The first instant of each hour. */
  readonly from: readonly Date[];
  /**
   * When the clock of the zone showed the start of each hour. If clocks change by half an hour, that may be earlier.
   */
  readonly start: readonly Date[];
}

/**
 * All hours that can contain hits of these days. The time zone may have been another one when the hits arrived; zones
 * are at most 26 hours apart.
 */
export function hoursAround(zone: TimeZone, days: readonly Day[]): Hours {
  const sorted = days.toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  const hours: { from: Date[]; start: Date[] } = { from: [], start: [] };
  if (first === undefined || last === undefined) return hours;
  const end = startOfDay(zone, addDays(last, 3));
  for (let from = startOfDay(zone, addDays(first, -2)); from < end; ) {
    const start = startOfHour(zone, from);
    hours.from.push(from);
    hours.start.push(start);
    from = new Date(start.getTime() + HOUR_MS);
  }
  return hours;
}

/** The start of the hour of a time. */
export function hourOf(time: string, hours: Hours): RawBuilder<unknown> {
  const times = (dates: readonly Date[]) => sql`${dates.map((date) => date.toISOString())}::timestamptz[]`;
  return sql`(${times(hours.start)})[width_bucket(${sql.ref(time)}, ${times(hours.from)})]`;
}

/** The column `hour` as a value of the kind `hour`: its start in seconds. */
export const HOUR_VALUE: RawBuilder<unknown> = sql`extract(epoch from hour)::bigint::text collate "C"`;
