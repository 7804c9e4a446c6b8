import { setTimeout as sleep } from 'node:timers/promises';

/** Work that is done regularly in the background. Every instance runs it: the database decides whose turn it is. */
export interface Job {
  /** The name in the log. */
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly every: number;
  /** Does a bounded piece of the work; resolves to `true` if more is left, which is done at once. */
  readonly work: () => Promise<boolean>;
}

/**
 * Runs each job at once and then regularly, independently of the others, until the signal aborts; resolves when the running
 * ones have ended. A run that fails is reported, and the job goes on after its interval.
 */
export async function runJobs(
  jobs: readonly Job[],
  onError: (job: string, error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(jobs.map((job) => runRegularly(job, onError, signal)));
}

async function runRegularly(
  { name, every, work }: Job,
  onError: (job: string, error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isMoreLeft = await work().catch((error: unknown) => {
      if (!signal.aborted) onError(name, error);
      return false;
    });
    if (!isMoreLeft) await sleep(every, undefined, { signal }).catch(() => {});
  }
}
