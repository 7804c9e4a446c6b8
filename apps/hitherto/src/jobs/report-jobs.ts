import { setTimeout as sleep } from 'node:timers/promises';
import { deleteOldReports, type SendReportsDependencies, sendDueReports } from '@hitherto/domain';
import type { Job } from './run-jobs.ts';

const MINUTE_MS = 60_000;
/** How long a service that stops waits for mails that are being sent. Others send what is left when the leases end. */
const STOP_MS = 5_000;

/** Sends the weekly reports. */
export function reportJobs(deps: SendReportsDependencies): readonly Job[] {
  return [
    {
      name: 'send reports',
      every: MINUTE_MS,
      work: async (signal) => {
        await Promise.race([sendDueReports(deps, signal), sometimeAfter(signal)]);
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

/** Resolves a while after the signal aborts, and never before. */
async function sometimeAfter(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await sleep(STOP_MS, undefined, { ref: false });
}
