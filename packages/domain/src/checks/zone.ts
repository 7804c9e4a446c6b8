import { type Check, NO_FIX } from './check.ts';

const MIN_SHARE = 0.4;

export interface Zone {
  readonly share: number;
  readonly visits: number;
}

/** Most visits begin in the first hour of the day: their times of day are missing. */
export const zone: Check<Zone> = {
  find({ byDay, firstHours, days }) {
    const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);
    const visits = sum([...byDay.values()].map((day) => day.visits));
    const share = Math.round((1_000 * sum(firstHours.values())) / Math.max(1, visits)) / 1_000;
    const since = days.at(-1) ?? '';
    return share < MIN_SHARE ? [] : [{ subject: '', since, size: share, evidence: { share, visits } }];
  },

  fix: () => NO_FIX,
};
