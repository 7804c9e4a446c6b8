import type { Row } from '../row.ts';
import { killDatabases } from '../support/database-kills.ts';

export const killPostmaster: Row = {
  name: 'kill-postmaster',
  what: 'kill -9 of the PostgreSQL postmaster, own and embedded, under writes',
  required: 'acknowledged ⊆ stored; writes without a response all or nothing; Hitherto is not restarted',
  unit: 'kills',
  full: 60,
  small: 1,
  run: (trials) =>
    killDatabases(trials, {
      // A server that keeps dying is restarted after growing delays.
      together: 6,
      choose: ({ postmaster }) => postmaster,
    }),
};
