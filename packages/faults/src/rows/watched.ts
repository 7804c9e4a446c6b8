import { row, type Trials } from '../row.ts';
import { withNumbers } from '../support/numbers-text.ts';
import type { Watched } from '../support/watched.ts';

/** Sums up a count of all rows; a finding has already failed the row in which it happened. */
function sumOf({ watched }: Trials, findings: 'secrets' | 'strangers', count: (one: Watched) => number): number {
  const found = watched.flatMap((one) => one[findings]);
  if (found.length > 0) throw new Error(found.slice(0, 10).join('; '));
  const sum = watched.reduce((total, one) => total + count(one), 0);
  if (sum === 0) throw new Error('Nothing was watched: this row sums up others. Run them all, without --row.');
  return sum;
}

const options = { small: 1, isTested: true, isSum: true } as const;

const secrets = row('secrets', 1, 'search', options, async (trials) => {
  const megabytes = sumOf(trials, 'secrets', ({ bytes }) => bytes) / 1e6;
  return withNumbers`0 in ${megabytes} MB of output and responses of ${trials.watched.length} rows`;
});

const connections = row('connections', 1, 'search', options, async (trials) => {
  const made = sumOf(trials, 'strangers', (one) => one.connections);
  const programs = sumOf(trials, 'strangers', (one) => one.programs);
  return withNumbers`${made} connections of ${programs} programs in ${trials.watched.length} rows, all to the database`;
});

export const sums = [secrets, connections];
