import { Temporal } from 'temporal-polyfill';
import { remembered } from '../base/remembered.ts';
import { DAY_MS, type Day, dayOfNumber } from './days.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
/** Each zone that websites use remembers as many: hours of three months. */
const MAX_REMEMBERED = 2_000;

/** An IANA time zone with a cache of its offsets; made by {@link timeZone}. */
export interface TimeZone {
  /** As given, such as `Europe/Berlin`. */
  readonly name: string;
  /** Offsets at the beginnings of the hours since 1970 in UTC, in milliseconds. */
  readonly offsets: Map<number, number>;
  readonly days: Map<number, Day>;
}

/** The zones that have been asked for, by name. */
const zones = new Map<string, TimeZone>();

/**
 * The time zone of an IANA name, the same object for the same zone.
 *
 * @throws RangeError if there is no such zone
 */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  // Temporal also accepts fixed offsets such as +01:00, which are not IANA names.
  if (/^[+-]/.test(name)) throw new RangeError(`Invalid time zone specified: ${name}`);
  const { timeZoneId } = new Temporal.ZonedDateTime(0n, name);
  // In other letter cases there are too many names to remember.
  return remembered(zones, timeZoneId, MAX_REMEMBERED, () => ({
    name: timeZoneId,
    offsets: new Map(),
    days: new Map(),
  }));
}

/**
 * The zone of a website's days. A name that another version of Node knows and this one does not counts as none.
 *
 * @param installation the zone of websites without their own
 */
export function zoneOf({ timeZone: name }: { readonly timeZone: string | null }, installation: TimeZone): TimeZone {
  if (name === null) return installation;
  try {
    return timeZone(name);
  } catch (error) {
    if (error instanceof RangeError) return installation;
    throw error;
  }
}

/** The day in the zone where it begins last. When it is over, it is over everywhere. */
export function lastDayOnEarth(time: Date): Day {
  return dayOf(timeZone('Etc/GMT+12'), time);
}

/** What the zone's clock shows at an instant, both in milliseconds since 1970. */
export function shownAt(zone: TimeZone, time: number): number {
  return time + offsetAt(zone, time);
}

/** The calendar day of an instant. */
export function dayOf(zone: TimeZone, time: Date): Day {
  const number = Math.floor(shownAt(zone, time.getTime()) / DAY_MS);
  return remembered(zone.days, number, MAX_REMEMBERED, () => dayOfNumber(number));
}

/** The first instant of a day; if the zone skipped the day, of the next one. */
export function startOfDay(zone: TimeZone, day: Day): Date {
  return new Date(Temporal.PlainDate.from(day).toZonedDateTime(zone.name).epochMilliseconds);
}

/** The first instant after a day, also after 9999-12-31. */
export function endOfDay(zone: TimeZone, day: Day): Date {
  return new Date(Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(zone.name).epochMilliseconds);
}

/**
 * The instant at which the zone's clock shows a time: of two, when clocks are put back, the second; of none, when they are put
 * forward, one that is an hour off.
 *
 * @param shown the time that the clock shows, as milliseconds since 1970 on it
 */
export function instantOf(zone: TimeZone, shown: number): Date {
  if (Number.isNaN(shown)) return new Date(Number.NaN);
  const near = shown - offsetAt(zone, shown);
  return new Date(shown - offsetAt(zone, near));
}

/**
 * The instant at which the zone's clock shows on another day what it shows now. Where that day's clock skips this time or
 * shows it twice, the instant as long after midnight.
 */
export function sameTimeOn(zone: TimeZone, now: Date, day: Day): Date {
  const shown = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone.name).toPlainTime();
  const there = Temporal.PlainDate.from(day).toPlainDateTime(shown).toZonedDateTime(zone.name);
  return new Date(there.epochMilliseconds);
}

/** The instant at which the hour on the zone's clock began. */
export function startOfHour(zone: TimeZone, time: Date): Date {
  return new Date(time.getTime() - sinceHour(zone, time.getTime()));
}

/** The beginnings of all hours from the start of one day to the end of another: 23 or 25 for a day when clocks change. */
export function hoursOf(zone: TimeZone, from: Day, to: Day): Date[] {
  const hours: Date[] = [];
  const end = endOfDay(zone, to).getTime();
  for (let time = startOfDay(zone, from).getTime(); time < end; time += HOUR_MS - sinceHour(zone, time)) {
    hours.push(startOfHour(zone, new Date(time)));
  }
  return hours;
}

/**
 * An instant on the zone's clock with its offset, to the second: `2026-11-01T14:00:00+01:00`; UTC's is `+00:00`. The clock has
 * the offset that is written: RFC 3339 has no seconds there, which a zone had until 1972.
 */
export function formatWithOffset(zone: TimeZone, time: Date): string {
  const offset = Math.round(offsetAt(zone, time.getTime()) / MINUTE_MS) * MINUTE_MS;
  const minutes = Math.abs(offset) / MINUTE_MS;
  const local = new Date(time.getTime() + offset).toISOString().slice(0, 19);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** The zone's offset from UTC, in milliseconds. Clocks change at most once between the beginnings of two hours. */
function offsetAt(zone: TimeZone, time: number): number {
  const hour = Math.floor(time / HOUR_MS);
  const offset = remembered(zone.offsets, hour, MAX_REMEMBERED, () => exactOffsetAt(zone, hour * HOUR_MS));
  const next = remembered(zone.offsets, hour + 1, MAX_REMEMBERED, () => exactOffsetAt(zone, (hour + 1) * HOUR_MS));
  return offset === next ? offset : exactOffsetAt(zone, time);
}

function exactOffsetAt(zone: TimeZone, time: number): number {
  // The zone of most installations, without a look-up for each of the thousands of hours of a year.
  if (zone.name === 'UTC') return 0;
  return Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone.name).offsetNanoseconds / 1e6;
}

function sinceHour(zone: TimeZone, time: number): number {
  return (((time + offsetAt(zone, time)) % HOUR_MS) + HOUR_MS) % HOUR_MS;
}
