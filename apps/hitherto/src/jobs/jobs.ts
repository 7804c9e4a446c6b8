import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CheckAlertsDependencies,
  checkDueAlerts,
  deleteOldAlerts,
  type SendAlertsDependencies,
  sendDueAlerts,
} from '@hitherto/domain/alerts';
import type { Job } from '@hitherto/domain/base';
import { type RunChecksDependencies, runChecks } from '@hitherto/domain/checks';
import { endAbandonedImport } from '@hitherto/domain/imports';
import { REPORT_KEPT_MS } from '@hitherto/domain/insight';
import { deleteOldMails, type SendMailsDependencies, sendDueMails } from '@hitherto/domain/mails';
import { deleteOldReports, type SendReportsDependencies, sendDueReports } from '@hitherto/domain/reports';
import type { TaskQueue } from '@hitherto/domain/tasks';
import { type DeliverDependencies, deleteOldDeliveries, deliverDue } from '@hitherto/domain/webhooks';
import type { OpenedDatabase } from '../installation/database.ts';
import { type StatisticsJobsDependencies, statisticsJobs } from './statistics-jobs.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface JobsDependencies extends Omit<StatisticsJobsDependencies, keyof OpenedDatabase> {
  readonly database: OpenedDatabase;
  /** `undefined` where no reports are sent. */
  readonly reports: SendReportsDependencies | undefined;
  readonly deliveries: DeliverDependencies;
  readonly alertChecker: CheckAlertsDependencies;
  readonly checks: RunChecksDependencies;
  /** `undefined` where no mails are sent. */
  readonly alertSender: SendAlertsDependencies | undefined;
  /** As above. */
  readonly mailSender: SendMailsDependencies | undefined;
  /** For how many days the audit trail is kept; 0 for good. */
  readonly auditRetentionDays: number;
}

/** The background work of the service. */
export function jobsOf({
  database,
  reports,
  deliveries,
  alertChecker,
  checks,
  alertSender,
  mailSender,
  auditRetentionDays,
  ...deps
}: JobsDependencies): readonly Job[] {
  const { audit, coverages, idempotency, personLinks, recipients, sessions, tasks } = database;
  const { now } = deps;
  return [
    ...statisticsJobs({ ...database, ...deps }),
    ...(reports === undefined ? [] : reportJobs(reports)),
    ...alertJobs(alertChecker, alertSender, tasks),
    checkJob(checks),
    ...mailJobs(mailSender, { tasks, recipients, now }),
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
      every: 10 * SECOND_MS,
      work: () => endAbandonedImport({ ...database, now }),
    },
    {
      name: 'delete old reports of coverage',
      every: 60 * MINUTE_MS,
      work: async () => {
        await coverages.deleteBefore(new Date(now().getTime() - REPORT_KEPT_MS));
        return false;
      },
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
      name: 'delete expired sessions and links',
      every: 60 * MINUTE_MS,
      work: async () => {
        await sessions.deleteExpired(now());
        await personLinks.deleteExpired(now());
        return false;
      },
    },
  ];
}

/** Sends the reports. */
export function reportJobs(deps: SendReportsDependencies): readonly Job[] {
  return [
    {
      name: 'send reports',
      every: MINUTE_MS,
      work: async (signal) => {
        await unlessStopped(sendDueReports(deps, signal), signal);
        return false;
      },
    },
    {
      name: 'delete old records of reports',
      every: 60 * MINUTE_MS,
      work: async () => {
        await deleteOldReports(deps);
        return false;
      },
    },
  ];
}

/** An alert is checked once a minute among all instances; asking more often keeps it from being late by another minute. */
const ALERTS_MS = 15 * SECOND_MS;

/** Checks alerts, and sends their mails unless there is no mail server. */
export function alertJobs(
  checker: CheckAlertsDependencies,
  sender: SendAlertsDependencies | undefined,
  tasks: TaskQueue,
): readonly Job[] {
  const check: Job = {
    name: 'check alerts',
    every: ALERTS_MS,
    work: async (signal) => {
      await checkDueAlerts(checker, signal);
      return false;
    },
  };
  const send = (mails: SendAlertsDependencies): Job => ({
    name: 'send mails of alerts',
    every: ALERTS_MS,
    work: async (signal) => {
      await unlessStopped(sendDueAlerts(mails, signal), signal);
      return false;
    },
  });
  const clean: Job = {
    name: 'delete old mails of alerts',
    every: 60 * MINUTE_MS,
    work: async () => {
      await deleteOldAlerts({ tasks, now: checker.now });
      return false;
    },
  };
  return [check, ...(sender === undefined ? [] : [send(sender)]), clean];
}

/** How soon a website is checked after its midnight. */
const CHECKS_MS = 10 * MINUTE_MS;

/** Checks websites on their days that are over. */
function checkJob(deps: RunChecksDependencies): Job {
  return {
    name: 'check websites',
    every: CHECKS_MS,
    work: async (signal) => {
      await runChecks(deps, signal);
      return false;
    },
  };
}

/** How soon a mail to a person is sent, who may wait for its link. Asking costs one statement on an index. */
const MAILS_MS = 5 * SECOND_MS;

/** Sends mails to people, unless there is no mail server. */
function mailJobs(
  sender: SendMailsDependencies | undefined,
  records: Parameters<typeof deleteOldMails>[0],
): readonly Job[] {
  const send = (mails: SendMailsDependencies): Job => ({
    name: 'send mails to people',
    every: MAILS_MS,
    work: async (signal) => {
      await unlessStopped(sendDueMails(mails, signal), signal);
      return false;
    },
  });
  const clean: Job = {
    name: 'delete old mails to people',
    every: 60 * MINUTE_MS,
    work: async () => {
      await deleteOldMails(records);
      return false;
    },
  };
  return [...(sender === undefined ? [] : [send(sender)]), clean];
}

/** How soon an event is sent. Asking costs one statement on an index. */
const DELIVERIES_MS = 5 * SECOND_MS;

/** Delivers to webhooks. */
function webhookJobs(deps: DeliverDependencies): readonly Job[] {
  return [
    {
      name: 'deliver to webhooks',
      every: DELIVERIES_MS,
      work: async (signal) => {
        await unlessStopped(deliverDue(deps, signal), signal);
        return false;
      },
    },
    {
      name: 'delete old deliveries to webhooks',
      every: 60 * MINUTE_MS,
      work: async () => {
        await deleteOldDeliveries(deps);
        return false;
      },
    },
  ];
}

/** How long a stopping service waits for messages that are being sent. Other instances send the rest when the leases end. */
const STOP_MS = 5 * SECOND_MS;

/** Resolves when the work is done, or a while after the signal aborts. */
async function unlessStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([work, sometimeAfter(signal, ended.signal)]);
  } finally {
    // The signal lives as long as the service: listeners of every run would add up.
    ended.abort();
  }
}

/** Resolves a while after `signal` aborts, and never before; stops listening when `ended` aborts. */
async function sometimeAfter(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true, signal: ended });
    });
  }
  await sleep(STOP_MS, undefined, { ref: false });
}
