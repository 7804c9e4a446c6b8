import {
  type CheckAlertsDependencies,
  checkDueAlerts,
  deleteOldAlerts,
  type Job,
  type SendAlertsDependencies,
  sendDueAlerts,
} from '@hitherto/domain';
import { unlessStopped } from './unless-stopped.ts';

const MINUTE_MS = 60_000;
/** An alert is checked once a minute among all instances; asking more often keeps it from being late by another minute. */
const EVERY_MS = 15_000;

/** Checks alerts, and sends their mails unless there is no mail server. */
export function alertJobs(
  checker: CheckAlertsDependencies,
  sender: SendAlertsDependencies | undefined,
): readonly Job[] {
  const check: Job = {
    name: 'check alerts',
    every: EVERY_MS,
    work: async (signal) => {
      await checkDueAlerts(checker, signal);
      return false;
    },
  };
  if (sender === undefined) return [check];
  return [
    check,
    {
      name: 'send mails of alerts',
      every: EVERY_MS,
      work: async (signal) => {
        await unlessStopped(sendDueAlerts(sender, signal), signal);
        return false;
      },
    },
    {
      name: 'delete old mails of alerts',
      every: 60 * MINUTE_MS,
      work: async () => {
        await deleteOldAlerts(sender);
        return false;
      },
    },
  ];
}
