import { unavailable } from '@hitherto/domain';

interface Queue {
  active: number;
  /** Starts each that waits, the first to come first. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs at most `limit` tasks of one account at a time, so that no account takes everything that all share. Further tasks of
 * that account wait, at most `waitMs` milliseconds.
 *
 * @throws DomainError `unavailable` where a task has waited so long
 */
export function createConcurrencyLimit(
  limit: number,
  waitMs: number,
): <Result>(accountId: string, task: () => Promise<Result>) => Promise<Result> {
  const queues = new Map<string, Queue>();

  const wait = ({ waiting }: Queue) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timeout);
        waiting.delete(start);
        resolve();
      };
      const timeout = setTimeout(() => {
        waiting.delete(start);
        reject(unavailable('The account has too many requests of this kind under way.'));
      }, waitMs);
      waiting.add(start);
    });

  return async (accountId, task) => {
    const queue = queues.get(accountId) ?? { active: 0, waiting: new Set() };
    queues.set(accountId, queue);
    if (queue.active < limit) queue.active += 1;
    else await wait(queue);
    try {
      return await task();
    } finally {
      // The place passes to the next, or is given up.
      const [next] = queue.waiting;
      if (next !== undefined) next();
      else if (--queue.active === 0) queues.delete(accountId);
    }
  };
}
