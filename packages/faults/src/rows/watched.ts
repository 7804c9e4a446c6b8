import type { Row } from '../row.ts';
import { told } from '../support/told.ts';
import type { Watched } from '../support/watched.ts';

/** A row that sums up the others; a finding has already failed the row in which it happened. */
function sumRow(
  row: Pick<Row, 'name' | 'what' | 'unit'>,
  findingsOf: (one: Watched) => readonly string[],
  sumUp: (sum: (of: (one: Watched) => number) => number, rows: number) => { n: number; found: string },
): Row {
  const fixed = { required: '0', full: 1, small: 1, isTested: true, isSum: true } as const;
  return {
    ...row,
    ...fixed,
    async run({ watched }) {
      const findings = watched.flatMap(findingsOf);
      if (findings.length > 0) throw new Error(findings.slice(0, 10).join('; '));
      return sumUp((of) => watched.reduce((sum, one) => sum + of(one), 0), watched.length);
    },
  };
}

export const secrets = sumRow(
  {
    name: 'secrets',
    what: 'canary secrets in logs, errors, metrics; the first-start line excepted',
    unit: 'MB searched',
  },
  (one) => one.secrets,
  (sum, rows) => {
    const bytes = sum((one) => one.bytes);
    if (bytes === 0) throw new Error('Nothing was searched.');
    return { n: Math.max(1, Math.floor(bytes / 1e6)), found: `0 in the output and responses of ${rows} rows` };
  },
);

export const connections = sumRow(
  { name: 'connections', what: 'outbound connections other than to the database', unit: 'programs' },
  (one) => one.strangers,
  (sum, rows) => {
    const [programs, made] = [sum((one) => one.programs), sum((one) => one.connections)];
    if (made === 0) throw new Error('No connection was seen, not even one to a database.');
    return { n: programs, found: told`${made} connections in ${rows} rows, all to the database` };
  },
);
