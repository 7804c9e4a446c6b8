import type { Job, SendReportsDependencies } from '@hitherto/domain';
import type { Database } from '../database.ts';
import { reportJobs } from './report-jobs.ts';
import { type StatisticsJobsDependencies, statisticsJobs } from './statistics-jobs.ts';

const MINUTE_MS = 60_000;

export interface JobsDependencies extends Omit<StatisticsJobsDependencies, keyof Database> {
  readonly database: Database;
  /** `undefined` where no reports are sent. */
  readonly reports: SendReportsDependencies | undefined;
}

/** The background work of the service. */
export function jobsOf({ database, reports, ...deps }: JobsDependencies): readonly Job[] {
  const { idempotency, sessions } = database;
  const { now } = deps;
  return [
    ...statisticsJobs({ ...database, ...deps }),
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
