import type { Day } from '../calendar/days.ts';
import { bySize, type Check, type CheckNumbers, type Found } from './check.ts';

/** How many pageviews a page had on each of how many days, and for how many it has had none. */
export const USUAL_PAGEVIEWS = 20;
export const USUAL_DAYS = 14;
export const SILENT_DAYS = 3;
/** How much of the usual pageviews the other pages have to have. */
const ELSEWHERE_SHARE = 0.5;

export interface PageSilent {
  readonly page: string;
  readonly days: number;
  /** Its pageviews on a usual day. */
  readonly usual: number;
}

/** A page that was viewed every day, and is no longer, while others are: it may have lost its snippet. */
export const pageSilent: Check<PageSilent> = {
  find: (numbers) =>
    [...numbers.quietPages].flatMap(([page, views]) => findSilence(numbers, page, views) ?? []).sort(bySize),
  fix: () => ({ kind: 'snippet' }),
};

function findSilence(
  { days, byDay }: CheckNumbers,
  page: string,
  views: ReadonlyMap<Day, number>,
): Found<PageSilent> | undefined {
  const lastView = days.findLastIndex((day) => (views.get(day) ?? 0) > 0);
  const silent = days.slice(lastView + 1);
  const usual = days.slice(Math.max(0, lastView + 1 - USUAL_DAYS), lastView + 1);
  const viewsOf = (day: Day) => views.get(day) ?? 0;
  if (silent.length < SILENT_DAYS || usual.length < USUAL_DAYS) return undefined;
  if (usual.some((day) => viewsOf(day) < USUAL_PAGEVIEWS)) return undefined;
  const elsewhere = (some: readonly Day[]) => mean(some.map((day) => (byDay.get(day)?.pageviews ?? 0) - viewsOf(day)));
  if (elsewhere(silent) < ELSEWHERE_SHARE * elsewhere(usual) || elsewhere(silent) === 0) return undefined;
  const pageviews = Math.round(mean(usual.map(viewsOf)));
  return {
    subject: page,
    since: silent[0] ?? '',
    size: pageviews,
    evidence: { page, days: silent.length, usual: pageviews },
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}
