import type { Row } from '../row.ts';
import { killDatabases } from '../support/database-kills.ts';

export const killBackend: Row = {
  name: 'kill-backend',
  what: 'kill -9 of a PostgreSQL backend, own and embedded, under writes',
  required: 'acknowledged ⊆ stored; writes without a response all or nothing; Hitherto is not restarted',
  unit: 'kills',
  full: 100,
  small: 1,
  run: (trials) =>
    killDatabases(trials, {
      together: Number.POSITIVE_INFINITY,
      choose: ({ backends }, backend, { random }) => backend ?? backends[random.below(backends.length)],
    }),
};
