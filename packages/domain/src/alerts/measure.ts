import { addDays, type Day } from '../calendar/days.ts';
import { dayOf, sameTimeOn, startOfDay, startOfHour, type TimeZone } from '../calendar/time-zone.ts';
import type { DefinitionRepositories } from '../definitions/definition-repository.ts';
import { countedGoal } from '../definitions/resolve-filters.ts';
import type { StatisticsRepository } from '../engine/statistics-repository.ts';
import type { DroppedHitsRepository } from '../hits/dropped-hits.ts';
import type { DropReason } from '../hits/hit.ts';
import type { Alert } from './alert.ts';
import type { DueAlert } from './alert-repository.ts';
import {
  baselineOf,
  droppedPercent,
  type HitSample,
  type HourOfHits,
  isDrop,
  isSilence,
  isSpike,
  keptSamples,
  median,
} from './rules.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CURRENT_MS = 5 * MINUTE_MS;
const PAST_WEEKS = [1, 2, 3, 4];

export interface MeasureDependencies {
  readonly statistics: Pick<StatisticsRepository, 'visitorsBetween' | 'firstDay' | 'totals' | 'goals' | 'overview'>;
  readonly droppedHits: Pick<DroppedHitsRepository, 'byReason'>;
  readonly definitions: { readonly goal: Pick<DefinitionRepositories['goal'], 'find'> };
  readonly now: () => Date;
}

/** The numbers of an alert, and whether its condition holds. */
export interface Measured {
  readonly holds: boolean;
  /** The number that the rule is about; percent of `dropped`. */
  readonly number: number;
  /** The usual number, read only where the condition holds; `undefined` where it is unknown. */
  readonly usual: () => Promise<number | undefined>;
  /** The name of the goal, or the main reason of dropped hits. */
  readonly subject: string | undefined;
  readonly samples: readonly HitSample[];
}

type Deps = MeasureDependencies & { readonly zone: TimeZone };
type Measuring = Pick<DueAlert, 'alert' | 'accountId' | 'website' | 'state'>;

/** Measures the number of an alert's rule. */
export function measure(deps: Deps, due: Measuring): Promise<Measured> {
  return MEASURES[due.alert.rule](deps, due);
}

const MEASURES: Readonly<Record<Alert['rule'], (deps: Deps, due: Measuring) => Promise<Measured>>> = {
  async spike(deps, { alert, website }) {
    const now = deps.now();
    const number = await deps.statistics.visitorsBetween(website.id, new Date(now.getTime() - CURRENT_MS), now);
    // The past takes many reads, and matters only if this could be a spike.
    if (!isSpike(number, alert.threshold, 0)) {
      return { ...NUMBER_ONLY, holds: false, number, usual: async () => undefined };
    }
    if (alert.threshold !== null) {
      return { ...NUMBER_ONLY, holds: true, number, usual: () => highestOfThePast(deps, website.id, () => false) };
    }
    const highest = await highestOfThePast(deps, website.id, (count) => !isSpike(number, null, count));
    const holds = highest !== undefined && isSpike(number, null, highest);
    return { ...NUMBER_ONLY, holds, number, usual: async () => highest };
  },

  async drop(deps, { website }) {
    const now = deps.now();
    const number = await deps.statistics.visitorsBetween(website.id, startOfDay(deps.zone, dayOf(deps.zone, now)), now);
    const past = await knownWeeks(deps, website.id);
    // Whole days take little to read, and have no fewer visitors than their parts.
    const whole = past.map(({ visitors }) => visitors);
    const parts = isDrop(number, whole) ? await visitorsByThisTime(deps, website.id, past) : [];
    return { ...NUMBER_ONLY, holds: isDrop(number, parts), number, usual: async () => median(parts) };
  },

  async silence(deps, { alert, website }) {
    const now = deps.now();
    const hours = alert.hours ?? 1;
    const before = (time: Date) => new Date(time.getTime() - hours * HOUR_MS);
    const recent = await deps.statistics.visitorsBetween(website.id, before(now), now);
    const monthAgo = new Date(now.getTime() - 28 * DAY_MS);
    const month = recent > 0 ? recent : await deps.statistics.visitorsBetween(website.id, monthAgo, now);
    const usual = async () => {
      const past = await knownWeeks(deps, website.id);
      const ends = past.map(({ weeks }) => new Date(now.getTime() - 7 * weeks * DAY_MS));
      return median(await inTurn(ends, (end) => deps.statistics.visitorsBetween(website.id, before(end), end)));
    };
    return { ...NUMBER_ONLY, holds: isSilence(recent, month), number: recent, usual };
  },

  async goal(deps, { alert, accountId, website }) {
    const key = { accountId, websiteId: website.id };
    const goal = alert.goalId === null ? undefined : await deps.definitions.goal.find(key, alert.goalId);
    if (goal === undefined) return { ...NUMBER_ONLY, holds: false, number: 0, usual: async () => undefined };
    const today = dayOf(deps.zone, deps.now());
    const conversionsOf = async (day: Day, until: Date | undefined) => {
      const query = { websiteId: website.id, from: day, to: day, filters: [], ...(until && { until }) };
      return (await deps.statistics.goals(query, [countedGoal(goal)]))[0]?.conversions ?? 0;
    };
    const number = await conversionsOf(today, undefined);
    const usual = async () => {
      const past = await knownWeeks(deps, website.id);
      return median(await inTurn(past, ({ day }) => conversionsOf(day, sameTimeOn(deps.zone, deps.now(), day))));
    };
    return { ...NUMBER_ONLY, holds: number >= (alert.threshold ?? Infinity), number, usual, subject: goal.name };
  },

  async dropped(deps, { alert, website, state }) {
    const now = deps.now();
    const fresh = await sampleHits(deps, website.id);
    const baseline = baselineOf(state.samples, now);
    const hour = baseline === undefined ? NO_HITS : await hitsSince(deps, website.id, baseline, fresh);
    const percent = droppedPercent(hour);
    const today = dayOf(deps.zone, now);
    const usual = async () => {
      const period = { from: addDays(today, -28), to: addDays(today, -1) };
      return droppedPercent(await hitsOf(deps, website.id, period.from, period.to));
    };
    return {
      holds: percent !== undefined && percent > (alert.percent ?? 100),
      number: percent ?? 0,
      usual,
      subject: hour.dropped[0]?.reason,
      samples: keptSamples(state.samples, fresh, now),
    };
  },
};

/** Of a measurement that is only a number. */
const NUMBER_ONLY = { subject: undefined, samples: [] } as const;
const NO_HITS: HourOfHits = { counted: 0, dropped: [] };

/** The counters of the day until now, from which later checks know the hits since. */
export async function sampleHits(deps: Deps, websiteId: string): Promise<HitSample> {
  const now = deps.now();
  const day = dayOf(deps.zone, now);
  const { counted, dropped } = await hitsOf(deps, websiteId, day, day);
  const byReason = Object.fromEntries(dropped.map(({ reason, hits }) => [reason, hits]));
  return { at: now.toISOString(), day, counted, dropped: byReason };
}

async function hitsSince(deps: Deps, websiteId: string, since: HitSample, until: HitSample): Promise<HourOfHits> {
  const { counted, dropped } = await hitsOf(deps, websiteId, since.day, until.day);
  const rest = dropped.map(({ reason, hits }) => ({ reason, hits: hits - (since.dropped[reason] ?? 0) }));
  return {
    counted: Math.max(0, counted - since.counted),
    dropped: rest.filter(({ hits }) => hits > 0).sort((one, other) => other.hits - one.hits),
  };
}

async function hitsOf(deps: Deps, websiteId: string, from: string, to: string): Promise<HourOfHits> {
  const { pageviews, events } = await deps.statistics.totals({ websiteId, from, to, filters: [] });
  const dropped: { reason: DropReason; hits: number }[] = await deps.droppedHits.byReason(websiteId, from, to);
  return { counted: pageviews + events, dropped };
}

/**
 * The highest 5-minute count of the same hour of the week in the last 4 weeks; `undefined` if no hits of these days are stored.
 *
 * @param isEnough whether a count is high enough to look no further
 */
async function highestOfThePast(
  deps: Deps,
  websiteId: string,
  isEnough: (count: number) => boolean,
): Promise<number | undefined> {
  const days = (await pastWeeks(deps, websiteId)).filter(({ isKnown }) => isKnown);
  if (days.length === 0) return undefined;
  const hours = days.map(({ day }) => startOfHour(deps.zone, sameTimeOn(deps.zone, deps.now(), day)));
  const starts = hours.flatMap((hour) =>
    Array.from({ length: HOUR_MS / CURRENT_MS }, (_, index) => new Date(hour.getTime() + index * CURRENT_MS)),
  );
  let highest = 0;
  for (const start of starts) {
    const count = await deps.statistics.visitorsBetween(websiteId, start, new Date(start.getTime() + CURRENT_MS - 1));
    highest = Math.max(highest, count);
    if (isEnough(highest)) break;
  }
  return highest;
}

/** The visitors of these days until the present time of day. */
function visitorsByThisTime(deps: Deps, websiteId: string, past: readonly PastWeek[]): Promise<number[]> {
  return inTurn(past, ({ day }) => {
    const until = sameTimeOn(deps.zone, deps.now(), day);
    return deps.statistics.visitorsBetween(websiteId, startOfDay(deps.zone, day), until);
  });
}

/** The same weekday some weeks ago. */
interface PastWeek {
  readonly weeks: number;
  readonly day: Day;
  readonly visitors: number;
  /** Whether the day’s visits can be read: not if its hits are deleted, nor if only sums were imported. */
  readonly isKnown: boolean;
}

async function pastWeeks(deps: Deps, websiteId: string): Promise<PastWeek[]> {
  const today = dayOf(deps.zone, deps.now());
  return inTurn(PAST_WEEKS, async (weeks) => {
    const day = addDays(today, -7 * weeks);
    const query = { websiteId, from: day, to: day, filters: [] };
    const { visitors } = await deps.statistics.totals(query);
    const isKnown = visitors === 0 || (await deps.statistics.totals({ ...query, onlyHits: true })).visitors > 0;
    return { weeks, day, visitors, isKnown };
  });
}

/** The same weekdays of the last 4 weeks whose visits can be read, without those before the first hit. */
async function knownWeeks(deps: Deps, websiteId: string): Promise<PastWeek[]> {
  const first = await deps.statistics.firstDay(websiteId);
  if (first === undefined) return [];
  return (await pastWeeks(deps, websiteId)).filter(({ day, isKnown }) => isKnown && day >= first);
}

/** One after the other: people who look at statistics come first. */
async function inTurn<Item, Result>(items: readonly Item[], read: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await read(item));
  return results;
}
