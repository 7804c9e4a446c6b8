import { unavailable } from '@hitherto/domain/base';

interface Queue {
  active: number;
  /** The starts of waiting tasks, in order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs at most `limit` tasks of one account at a time, so that no account takes a shared resource for itself.
 * Further tasks of that account wait for at most `waitMs` milliseconds.
 *
 * @throws DomainError `unavailable` if a task has waited that long
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
      // The slot passes to the next task, or is released.
      const [next] = queue.waiting;
      if (next !== undefined) next();
      else if (--queue.active === 0) queues.delete(accountId);
    }
  };
}
