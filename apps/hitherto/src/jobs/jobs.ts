import {
  type CheckAlertsDependencies,
  type DeliverDependencies,
  endAbandonedImport,
  type Job,
  type SendAlertsDependencies,
  type SendReportsDependencies,
} from '@hitherto/domain';
import type { Database } from '../database.ts';
import { alertJobs } from './alert-jobs.ts';
import { reportJobs } from './report-jobs.ts';
import { type StatisticsJobsDependencies, statisticsJobs } from './statistics-jobs.ts';
import { webhookJobs } from './webhook-jobs.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface JobsDependencies extends Omit<StatisticsJobsDependencies, keyof Database> {
  readonly database: Database;
  /** `undefined` where no reports are sent. */
  readonly reports: SendReportsDependencies | undefined;
  readonly deliveries: DeliverDependencies;
  readonly alertChecker: CheckAlertsDependencies;
  /** `undefined` where no mails are sent. */
  readonly alertSender: SendAlertsDependencies | undefined;
  /** For how many days the audit trail is kept; 0 for good. */
  readonly auditRetentionDays: number;
}

/** The background work of the service. */
export function jobsOf({
  database,
  reports,
  deliveries,
  alertChecker,
  alertSender,
  auditRetentionDays,
  ...deps
}: JobsDependencies): readonly Job[] {
  const { audit, idempotency, sessions } = database;
  const { now } = deps;
  return [
    ...statisticsJobs({ ...database, ...deps }),
    ...(reports === undefined ? [] : reportJobs(reports)),
    ...alertJobs(alertChecker, alertSender),
    ...webhookJobs(deliveries),
    {
      name: 'delete old entries of the audit trail',
      every: 60 * MINUTE_MS,
      work: async () => {
        if (auditRetentionDays > 0) await audit.deleteBefore(new Date(now().getTime() - auditRetentionDays * DAY_MS));
        return false;
      },
    },
    {
      name: 'end abandoned imports',
      every: 10_000,
      work: () => endAbandonedImport({ ...database, now }),
    },
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
