import { type Check, NO_FIX } from './check.ts';

const MIN_ROWS = 10;

export interface Clock {
  readonly rows: number;
}

/** Imported rows and log lines that are ahead of now. */
export const clock: Check<Clock> = {
  find({ imports, days }) {
    const [first = '', last = ''] = [days[0], days.at(-1)];
    const recent = imports.filter(({ createdAt }) => createdAt.toISOString().slice(0, 10) >= first);
    const future = recent.flatMap(({ skipped }) => skipped.filter(({ reason }) => reason === 'future'));
    const rows = future.reduce((sum, each) => sum + each.rows, 0);
    return rows < MIN_ROWS ? [] : [{ subject: '', since: last, size: rows, evidence: { rows } }];
  },

  fix: () => NO_FIX,
};
