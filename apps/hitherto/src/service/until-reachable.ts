import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError, type Log } from '@hitherto/domain/base';
import { describeError } from '@hitherto/http';

const FIRST_RETRY_MS = 250;
/** With the 2 s that a connection may take to fail, a database that comes back is noticed within 3 s. */
const LAST_RETRY_MS = 1_000;

/**
 * Runs `work` in the database, again and again while the database is unreachable, until the signal aborts. Rejects with any
 * other error, which the operator has to fix.
 *
 * @returns whether the work is done
 */
export async function untilReachable(work: () => Promise<void>, log: Log, signal: AbortSignal): Promise<boolean> {
  for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
    try {
      await work();
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
      log('warn', 'the database is not reachable yet', { error: describeError(error), retry_in_ms: wait });
    }
    await sleep(wait, undefined, { signal }).catch(() => {});
  }
  return false;
}
