import type { Row } from '../row.ts';
import { killDatabases } from '../support/database-kills.ts';
import { backendsOf } from '../support/postgres-processes.ts';

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
      kill(postmaster, backend, { random }) {
        const backends = backendsOf(postmaster);
        const victim = backend ?? backends[random.below(backends.length)];
        if (victim === undefined) throw new Error('The service has no connection to its database.');
        process.kill(victim, 'SIGKILL');
      },
    }),
};
