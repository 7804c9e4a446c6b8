import { deleteOldReports, type Job, type SendReportsDependencies, sendDueReports } from '@hitherto/domain';
import { unlessStopped } from './unless-stopped.ts';

const MINUTE_MS = 60_000;

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
