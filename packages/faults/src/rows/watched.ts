import type { Row } from '../row.ts';

// Findings have already failed the row in which they happened; these two rows sum up.

export const secrets: Row = {
  name: 'secrets',
  what: 'canary secrets in logs, errors, metrics; the first-start line excepted',
  required: '0',
  unit: 'MB searched',
  full: 1,
  small: 1,
  isTested: true,
  isSum: true,
  async run({ watched }) {
    const bytes = watched.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes === 0) throw new Error('Nothing was searched.');
    const findings = watched.flatMap((one) => one.secrets);
    if (findings.length > 0) throw new Error(findings.slice(0, 10).join('; '));
    return {
      n: Math.max(1, Math.floor(bytes / 1e6)),
      found: `0 in the output and responses of ${watched.length} rows`,
    };
  },
};

export const connections: Row = {
  name: 'connections',
  what: 'outbound connections other than to the database',
  required: '0',
  unit: 'programs',
  full: 1,
  small: 1,
  isTested: true,
  isSum: true,
  async run({ watched }) {
    const programs = watched.reduce((sum, one) => sum + one.programs, 0);
    if (programs === 0) throw new Error('No program was watched.');
    const findings = watched.flatMap((one) => one.strangers);
    if (findings.length > 0) throw new Error(findings.slice(0, 10).join('; '));
    const made = watched.reduce((sum, one) => sum + one.connections, 0);
    if (made === 0) throw new Error('No connection was seen, not even one to a database.');
    return {
      n: programs,
      found: `${made.toLocaleString('en')} connections in ${watched.length} rows, all to the database`,
    };
  },
};
