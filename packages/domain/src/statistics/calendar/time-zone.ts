import { DAY_MS, type Day, dayNumberOf, dayOfNumber } from './days.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Offsets change only at quarters of an hour in UTC (true since 1972). */
const SLOT_MS = 15 * 60 * 1000;
const MAX_REMEMBERED = 10_000;

/** An IANA time zone with a cache of its offsets; made by {@link timeZone}. */
export interface TimeZone {
  /** As given, such as `Europe/Berlin`. */
  readonly name: string;
  readonly formatter: Intl.DateTimeFormat;
  /** Offsets by quarter of an hour since 1970, in milliseconds. */
  readonly offsets: Map<number, number>;
  readonly days: Map<number, Day>;
}

/**
 * The time zone of an IANA name.
 *
 * @throws RangeError if Intl does not know the name
 */
export function timeZone(name: string): TimeZone {
  // Intl takes fixed offsets such as +01:00, too, which are not IANA names.
  if (/^[+-]/.test(name)) throw new RangeError(`Invalid time zone specified: ${name}`);
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  // Intl corrects the letter case, but also replaces names by older ones: Asia/Kolkata by Asia/Calcutta.
  const known = formatter.resolvedOptions().timeZone;
  const isSame = known.toLowerCase() === name.toLowerCase();
  return { name: isSame ? known : name, formatter, offsets: new Map(), days: new Map() };
}

/** The calendar day of an instant. */
export function dayOf(zone: TimeZone, time: Date): Day {
  const number = Math.floor((time.getTime() + offsetAt(zone, time.getTime())) / DAY_MS);
  return remembered(zone.days, number, () => dayOfNumber(number));
}

/** The first instant of a day; if the zone skipped the day, of the next one. */
export function startOfDay(zone: TimeZone, day: Day): Date {
  return startOfDayNumber(zone, dayNumberOf(day));
}

/** The first instant after a day. */
export function endOfDay(zone: TimeZone, day: Day): Date {
  return startOfDayNumber(zone, dayNumberOf(day) + 1);
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

/** An instant on the zone's clock with its offset, to the second: `2026-11-01T14:00:00+01:00`; UTC's is `+00:00`. */
export function formatWithOffset(zone: TimeZone, time: Date): string {
  const offset = offsetAt(zone, time.getTime());
  const minutes = Math.abs(offset) / 60_000;
  const local = new Date(time.getTime() + offset).toISOString().slice(0, 19);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** The zone's offset from UTC, in milliseconds. */
function offsetAt(zone: TimeZone, time: number): number {
  const slot = Math.floor(time / SLOT_MS);
  return remembered(zone.offsets, slot, () => {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of zone.formatter.formatToParts(slot * SLOT_MS)) shown[type] = Number(value);
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - slot * SLOT_MS;
  });
}

function sinceHour(zone: TimeZone, time: number): number {
  return (((time + offsetAt(zone, time)) % HOUR_MS) + HOUR_MS) % HOUR_MS;
}

/** The first quarter of an hour whose day is `number` or later, by bisection: offsets lie between -12 and +14 hours. */
function startOfDayNumber(zone: TimeZone, number: number): Date {
  const midnight = number * DAY_MS;
  let before = (midnight - DAY_MS) / SLOT_MS;
  let reached = (midnight + DAY_MS) / SLOT_MS;
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2);
    const time = middle * SLOT_MS;
    if (time + offsetAt(zone, time) >= midnight) reached = middle;
    else before = middle;
  }
  return new Date(reached * SLOT_MS);
}

function remembered<T>(known: Map<number, T>, key: number, make: () => T): T {
  const value = known.get(key);
  if (value !== undefined) return value;
  if (known.size >= MAX_REMEMBERED) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}
