import { addDays, type Day, daysOf, namedPeriod } from '../calendar/days.ts';
import { dayOf, sameTimeOn, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { DayVisitors, Glance } from '../engine/glances.ts';
import type { StatisticsRepository } from '../engine/statistics-repository.ts';
import { areVisitorsAtMost } from '../visits/totals.ts';
import type { WebsiteName } from '../websites/website-name.ts';
import { CURRENT_MS } from './show-statistics.ts';

/** A website counts as silent after so many hours without a hit, if it has usually had so many visitors a day. */
const SILENT_HOURS = 24;
const USUAL_VISITORS = 5;

const HOUR_MS = 60 * 60 * 1000;
const DAYS = 28;

/** What a list of websites shows of one: its visitors of 28 days, today included. */
export interface WebsiteNumbers {
  readonly from: Day;
  readonly to: Day;
  readonly visitors: number;
  /** There are at most as many visitors. */
  readonly isAtMost: boolean;
  /** Those of the 28 days before, the last one until the same time; `undefined` if they cannot be compared. */
  readonly before: number | undefined;
  /** By day, in order of time. */
  readonly days: readonly number[];
  readonly current: number;
  readonly lastHit: Date | undefined;
  /** Has never had a hit, or has had none for long, although it usually has visitors. */
  readonly state: 'waiting' | 'silent' | 'counting';
}

export interface ShowWebsitesDependencies {
  readonly statistics: StatisticsRepository;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/** The numbers of websites, in their order, in one read. */
export async function showWebsites(
  { statistics, zone: installation, now: clock }: ShowWebsitesDependencies,
  websites: readonly Pick<WebsiteName, 'id' | 'timeZone'>[],
): Promise<readonly WebsiteNumbers[]> {
  const now = clock();
  const periods = websites.map((website) => {
    const zone = zoneOf(website, installation);
    const period = namedPeriod('28d', dayOf(zone, now));
    const cut = addDays(period.to, -DAYS);
    return { ...period, before: addDays(period.from, -DAYS), cut: { day: cut, until: sameTimeOn(zone, now, cut) } };
  });
  const glances = await statistics.glances(
    periods.map(({ to, before, cut }, index) => ({
      websiteId: websites[index]?.id ?? '',
      from: before,
      to,
      cut,
      // Hits from servers may be a little ahead of now.
      since: new Date(now.getTime() - CURRENT_MS),
      now,
    })),
  );
  // Nearly all websites are in a few zones, and so have the same days.
  const known = new Map<Day, readonly Day[]>();
  const daysFrom = (from: Day, to: Day) => {
    const days = known.get(from) ?? daysOf(from, to);
    known.set(from, days);
    return days;
  };
  return periods.map(({ from, to, cut }, index) =>
    numbersOf(glances[index], { from, to, cut: cut.day, dates: daysFrom(from, to) }, now),
  );
}

function numbersOf(
  glance: Glance | undefined,
  { from, to, cut, dates }: { readonly from: Day; readonly to: Day; readonly cut: Day; readonly dates: readonly Day[] },
  now: Date,
): WebsiteNumbers {
  const { days = [], current = 0, lastHit, firstDay } = glance ?? {};
  const shown = visitorsByDay(days, dates);
  const visitors = shown.reduce((sum, day) => sum + day, 0);
  const whole = days.filter(({ day }) => day < cut).reduce((sum, day) => sum + day.visitors, 0);
  const before = glance?.cut === undefined ? undefined : whole + glance.cut;
  const isUsual = visitors / DAYS >= USUAL_VISITORS;
  const isSilent = lastHit !== undefined && now.getTime() - lastHit.getTime() >= SILENT_HOURS * HOUR_MS;
  return {
    ...{ from, to, visitors, current, lastHit },
    days: shown,
    isAtMost: days.some((day) => day.day >= from && areVisitorsAtMost(day)),
    before: before === 0 ? undefined : before,
    state: firstDay === undefined ? 'waiting' : isSilent && isUsual ? 'silent' : 'counting',
  };
}

/** The visitors of each of these dates; both are in order. */
function visitorsByDay(days: readonly DayVisitors[], dates: readonly Day[]): readonly number[] {
  let next = days.findIndex(({ day }) => day >= (dates[0] ?? ''));
  return dates.map((date) => {
    if (days[next]?.day !== date) return 0;
    next += 1;
    return days[next - 1]?.visitors ?? 0;
  });
}

/** The whole hours since the last hit. */
export function hoursSince(lastHit: Date, now: Date): number {
  return Math.floor((now.getTime() - lastHit.getTime()) / HOUR_MS);
}
