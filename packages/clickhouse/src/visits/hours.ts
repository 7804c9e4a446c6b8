import { remembered } from '@hitherto/domain/base';
import { addDays, type Day, daysOf, startOfHour, type TimeZone } from '@hitherto/domain/calendar';
import { join, raw, type Sql, sql, timeLiteral } from '../connection/sql.ts';

const HOUR_MS = 60 * 60 * 1000;

/**
 * The start of the hour of a time, in seconds. Zones are computed here and not in ClickHouse, because their tables of zones
 * may differ: only when hours begin matters, which hardly ever changes.
 */
export function hourOf(time: Sql, zone: TimeZone, from: Day, to: Day): Sql {
  // The time zone may have been another one when the hits arrived.
  const [first, ...changes] = shiftsOf(zone, addDays(from, -2), addDays(to, 3));
  const milliseconds = sql`toUnixTimestamp64Milli(${time})`;
  const since = (change: Shift) => [sql`${time} >= ${timeLiteral(change.since)}`, sql`${change.shift}`];
  const shift =
    changes.length === 0
      ? sql`${first?.shift ?? 0}`
      : sql`multiIf(${join([...changes.toReversed().flatMap(since), sql`${first?.shift ?? 0}`])})`;
  return sql`intDiv(${milliseconds} - positiveModulo(${milliseconds} - ${shift}, ${HOUR_MS}), 1000)`;
}

/** From a time on, hours begin this many milliseconds after the hours of UTC. */
interface Shift {
  readonly since: Date;
  readonly shift: number;
}

/** How many years of zones are remembered: looking at each day of a long period takes longer than reading it. */
const MAX_YEARS = 4_000;
const years = new Map<string, readonly Shift[]>();

function shiftsOf(zone: TimeZone, from: Day, to: Day): Shift[] {
  const [first, last] = [from, to].map((day) => Number(day.slice(0, 4)));
  const all: Shift[] = [];
  for (let year = first ?? 0; year <= (last ?? 0); year += 1) {
    all.push(...remembered(years, `${year} ${zone.name}`, MAX_YEARS, () => shiftsOfYear(zone, year)));
  }
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const within = all.filter(({ since }, place) => {
    const next = all[place + 1];
    return since.getTime() <= end && (next === undefined || next.since.getTime() > start);
  });
  return within.filter(({ shift }, place) => shift !== within[place - 1]?.shift);
}

function shiftsOfYear(zone: TimeZone, year: number): readonly Shift[] {
  const shiftAt = (time: number) => startOfHour(zone, new Date(time)).getTime() % HOUR_MS;
  const firstOf = (of: number) => `${String(of).padStart(4, '0')}-01-01`;
  const shifts: Shift[] = [];
  let before = Number.NaN;
  // To the next year, because clocks may change on the last day.
  for (const day of daysOf(firstOf(year), firstOf(year + 1))) {
    const time = Date.parse(day);
    const shift = shiftAt(time);
    if (shift === before) continue;
    // Clocks changed by a part of an hour since the day before.
    let [same, changed] = [time - 24 * HOUR_MS, time];
    while (shifts.length > 0 && changed - same > 1) {
      const middle = Math.floor((same + changed) / 2);
      if (shiftAt(middle) === shift) changed = middle;
      else same = middle;
    }
    shifts.push({ since: new Date(changed), shift });
    before = shift;
  }
  return shifts;
}

/** The starts of the hours of a visit's hits, in their order. */
export function hoursOfHits(zone: TimeZone, from: Day, to: Day): Sql {
  const time = raw('addMilliseconds(started, t)');
  return sql`arrayMap(t -> ${hourOf(time, zone, from, to)}, times)`;
}
