import { setTimeout as sleep } from 'node:timers/promises';
import { deleteOldReports, type Job, type SendReportsDependencies, sendDueReports } from '@hitherto/domain';

const MINUTE_MS = 60_000;
/** How long a stopping service waits for mails that are being sent. Other instances send the rest when the leases end. */
const STOP_MS = 5_000;

/** Sends the weekly reports. */
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
