import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '@hitherto/domain/base';

/**
 * Runs each job immediately and then regularly, independently of other jobs, until the signal aborts; resolves when the running
 * jobs have ended. A job that fails runs again after its interval; of several failures in a row only the first is reported.
 */
export async function runJobs(
  jobs: readonly Job[],
  onError: (job: string, error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  // Each job listens while it sleeps; from 11 on, Node would warn of a leak.
  setMaxListeners(0, signal);
  await Promise.all(jobs.map((job) => runRegularly(job, onError, signal)));
}

async function runRegularly(
  { name, every, work }: Job,
  onError: (job: string, error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    let isMoreLeft = false;
    try {
      isMoreLeft = await work(signal);
      isFailing = false;
    } catch (error) {
      if (!isFailing && !signal.aborted) onError(name, error);
      isFailing = true;
    }
    if (!isMoreLeft) await sleep(every, undefined, { signal }).catch(() => {});
  }
}
