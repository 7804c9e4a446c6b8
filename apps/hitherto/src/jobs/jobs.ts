import type { SendReportsDependencies } from '@hitherto/domain';
import type { Database } from '../database.ts';
import { reportJobs } from './report-jobs.ts';
import type { Job } from './run-jobs.ts';
import { type StatisticsJobsDependencies, statisticsJobs } from './statistics-jobs.ts';

const MINUTE_MS = 60_000;

export interface JobsDependencies extends Omit<StatisticsJobsDependencies, 'maintenance' | 'salts'> {
  readonly database: Database;
  /** `undefined` where no reports are sent. */
  readonly reports: SendReportsDependencies | undefined;
}

/** The background work of the service. */
export function jobsOf({ database, reports, ...deps }: JobsDependencies): readonly Job[] {
  const { idempotency, sessions, maintenance, salts } = database;
  const { now } = deps;
  return [
    ...statisticsJobs({ ...deps, maintenance, salts }),
    ...(reports === undefined ? [] : reportJobs(reports)),
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
