import { type MonotonicClock, untilCertain } from '../base/outage.ts';
import type { ClaimedTask, TaskFailure, TaskKind, TaskOutcome, TaskQueue } from './task-queue.ts';

/** How long a process may take for one task; no other process does the task in that time. */
export const LEASE_MS = 10 * 60 * 1000;

/** The outcome of an attempt. Without `retryAt`, a failed task is abandoned; `dropped` tasks need not be done any more. */
export type TaskResult =
  | { readonly outcome: TaskOutcome | 'dropped' }
  | {
      readonly outcome: 'failed';
      readonly failure: TaskFailure;
      readonly retryAt: Date | undefined;
      /** The error within the service, for its log. */
      readonly error?: unknown;
    };

/** How tasks of a kind are done. */
interface TaskWork {
  readonly kind: TaskKind;
  /** Does a task. A rejection leaves the task claimed until its lease ends. */
  readonly perform: (task: ClaimedTask) => Promise<TaskResult>;
  /** Called with each result, once it is recorded. */
  readonly onResult: (task: ClaimedTask, result: TaskResult) => void;
}

export interface TaskDependencies {
  readonly tasks: TaskQueue;
  readonly now: () => Date;
  readonly clock: MonotonicClock;
}

/**
 * Does the tasks of a kind that are due and not claimed by another process, one after the other, until none is left or `signal`
 * aborts. A process that dies leaves its task to others when the lease ends. Rejects with `unavailable` while the database is
 * unreachable.
 */
export async function doDueTasks(
  { tasks, now, clock }: TaskDependencies,
  { kind, perform, onResult }: TaskWork,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const time = now();
    const deadline = clock.now() + LEASE_MS;
    const task = await tasks.claim(kind, time, new Date(time.getTime() + LEASE_MS));
    if (task === undefined) return;
    const result = await perform(task);
    // A task that was done, but is not recorded so, is done again when the lease has ended.
    await untilCertain(() => recordResult(tasks, task, result), deadline, clock);
    onResult(task, result);
  }
}

function recordResult(tasks: TaskQueue, task: ClaimedTask, result: TaskResult): Promise<void> {
  if (result.outcome === 'failed') return tasks.fail(task, result.failure, result.retryAt);
  return result.outcome === 'dropped' ? tasks.drop(task) : tasks.finish(task, result.outcome);
}
