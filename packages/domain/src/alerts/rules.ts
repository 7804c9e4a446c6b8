import type { Day } from '../calendar/days.ts';
import type { DropReason } from '../hits/hit.ts';
import type { AlertRule } from './alert.ts';

// The rules as functions of numbers and the past (alerts.md).

/** A day on which an alert fires more often than this is one of alarm already. */
const MAX_FIRED_A_DAY = 2;
const MIN_SPIKE = 20;
const SPIKE_FACTOR = 3;
const MIN_USUAL = 50;
const DROP_SHARE = 0.3;
const MIN_HITS = 100;

/** Whether current visitors are a spike: at least `threshold`, or far more than the highest 5-minute count of the past. */
export function isSpike(current: number, threshold: number | null, highest: number): boolean {
  if (threshold !== null) return current >= threshold;
  return current >= MIN_SPIKE && current >= SPIKE_FACTOR * highest;
}

/** Whether a day so far has far fewer visitors than the same weekdays by that time. */
export function isDrop(visitors: number, past: readonly number[]): boolean {
  const usual = median(past);
  return usual !== undefined && usual >= MIN_USUAL && visitors < DROP_SHARE * usual;
}

/** Whether a website that has had visitors in the last 4 weeks has none any more. */
export function isSilence(recent: number, ofFourWeeks: number): boolean {
  return recent === 0 && ofFourWeeks > 0;
}

/** The hits of the last hour. */
export interface HourOfHits {
  readonly counted: number;
  /** Dropped hits by reason, most frequent first. */
  readonly dropped: readonly { readonly reason: DropReason; readonly hits: number }[];
}

/** The share of hits that were dropped, in percent; `undefined` if there are too few to tell. */
export function droppedPercent({ counted, dropped }: HourOfHits): number | undefined {
  const droppedHits = dropped.reduce((sum, { hits }) => sum + hits, 0);
  const all = counted + droppedHits;
  return all < MIN_HITS ? undefined : (100 * droppedHits) / all;
}

/** The middle of numbers; of an even count, the mean of both in the middle. */
export function median(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** The result of the last check of an alert. */
export interface AlertState {
  /** Whether the condition held then. */
  readonly holds: boolean;
  /** The day of the last check in the website's time zone; `null` before the first. */
  readonly day: Day | null;
  /** How often it fired on that day. */
  readonly fired: number;
  /** When it fired last, in ISO 8601; absent if it never has. */
  readonly firedAt?: string;
  /** Of `dropped`: counters of the last hour, the oldest first. */
  readonly samples: readonly HitSample[];
}

/** The counters of a day at some time. */
export interface HitSample {
  /** ISO 8601. */
  readonly at: string;
  readonly day: Day;
  readonly counted: number;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
}

/** The state before the first check, and after a change of the alert. */
export const NEW_STATE: AlertState = { holds: false, day: null, fired: 0, samples: [] };

/** The state after a check, and whether the alert fires: when its condition becomes true, a goal's once a day. */
export function nextState(
  rule: AlertRule,
  state: AlertState,
  day: Day,
  holds: boolean,
): { readonly state: AlertState; readonly fires: boolean } {
  const isSameDay = state.day === day;
  const held = state.holds && (rule !== 'goal' || isSameDay);
  const firedBefore = isSameDay ? state.fired : 0;
  const fires = holds && !held && firedBefore < MAX_FIRED_A_DAY && !(rule === 'goal' && firedBefore > 0);
  return { state: { ...state, holds, day, fired: firedBefore + (fires ? 1 : 0) }, fires };
}

const HOUR_MS = 3_600_000;
/** A check may be late. */
const LATE_MS = 5 * 60_000;

/** The sample that the last hour begins with: an hour old, or the oldest of a shorter time; `undefined` if all are too old. */
export function baselineOf(samples: readonly HitSample[], now: Date): HitSample | undefined {
  const ageOf = ({ at }: HitSample) => now.getTime() - new Date(at).getTime();
  const usable = samples.filter((sample) => ageOf(sample) >= 0 && ageOf(sample) <= HOUR_MS + LATE_MS);
  return usable.findLast((sample) => ageOf(sample) >= HOUR_MS) ?? usable[0];
}

/** The samples to keep: those from the baseline on, and the new one. */
export function keptSamples(samples: readonly HitSample[], fresh: HitSample, now: Date): HitSample[] {
  const baseline = baselineOf(samples, now);
  const kept = baseline === undefined ? [] : samples.slice(samples.indexOf(baseline));
  return [...kept.filter(({ at }) => at < fresh.at), fresh];
}
