import type { Database } from '../database.ts';
import type { Job } from './run-jobs.ts';
import { type StatisticsJobsDependencies, statisticsJobs } from './statistics-jobs.ts';

const MINUTE_MS = 60_000;

export interface JobsDependencies extends Omit<StatisticsJobsDependencies, 'maintenance' | 'salts'> {
  readonly database: Database;
}

/** The background work of the service. */
export function jobsOf({ database, ...deps }: JobsDependencies): readonly Job[] {
  const { idempotency, sessions, maintenance, salts } = database;
  const { now } = deps;
  return [
    ...statisticsJobs({ ...deps, maintenance, salts }),
    {
      name: 'delete expired idempotency records',
      every: 10 * MINUTE_MS,
      work: async () => {
        await idempotency.deleteExpired(now());
        return false;
      },
    },
    {
      name: 'delete expired sessions',
      every: 60 * MINUTE_MS,
      work: async () => {
        await sessions.deleteExpired(now());
        return false;
      },
    },
  ];
}
