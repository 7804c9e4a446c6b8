import type { PersonMail } from '@hitherto/domain/people';
import type { ClaimedTask, TaskQueue } from '@hitherto/domain/tasks';
import type { State, Task } from './state.ts';

/** Stores tasks in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createTaskQueue(state: State): TaskQueue {
  const put = (task: Task) => state.tasks.set(keyOf(task), task);
  const ofKind = (kind: Task['kind']) => [...state.tasks.values()].filter((task) => task.kind === kind);
  /** The task, while its claim holds. */
  const held = (claimed: ClaimedTask) => {
    const task = state.tasks.get(keyOf(claimed));
    const isHeld = task?.state === 'waiting' && task.dueAt.getTime() === claimed.leasedUntil.getTime();
    return isHeld ? task : undefined;
  };

  return {
    async claim(kind, now, leasedUntil) {
      const [task] = ofKind(kind)
        .filter(({ state, dueAt }) => state === 'waiting' && dueAt <= now)
        .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
      if (task === undefined) return undefined;
      put({ ...task, dueAt: new Date(leasedUntil) });
      const { websiteId, key, payload, token, failures, failure } = task;
      return structuredClone({ kind, websiteId, key, payload, token, failures, failure, leasedUntil });
    },

    async finish(claimed, outcome) {
      const task = state.tasks.get(keyOf(claimed));
      if (task?.state !== 'waiting' && task?.state !== 'failed') return;
      put({ ...task, state: outcome, failure: undefined, token: undefined });
    },

    async fail(claimed, failure, retryAt) {
      const task = held(claimed);
      if (task === undefined) return;
      put({
        ...task,
        state: retryAt === undefined ? 'failed' : 'waiting',
        failures: task.failures + 1,
        token: retryAt === undefined ? undefined : task.token,
        dueAt: new Date(retryAt ?? failure.at),
        failure: structuredClone(failure),
      });
    },

    async drop(claimed) {
      if (held(claimed) !== undefined) state.tasks.delete(keyOf(claimed));
    },

    async records(kind, websiteId) {
      return ofKind(kind)
        .filter((task) => task.websiteId === websiteId)
        .sort((one, other) => (one.key < other.key ? 1 : -1))
        .map(({ key, state, failure }) => structuredClone({ key, state, failure }));
    },

    async deleteBefore(kind, time) {
      const old = ofKind(kind).filter(({ dueAt }) => dueAt < time);
      for (const task of old) state.tasks.delete(keyOf(task));
      return old.length;
    },
  };
}

/** Records a task that is due at `dueAt`, unless it is recorded already; returns whether it was not. */
export function addTask(
  state: State,
  task: Pick<Task, 'kind' | 'websiteId' | 'key'> & Partial<Pick<Task, 'payload' | 'token'>>,
  dueAt: Date,
): boolean {
  if (state.tasks.has(keyOf(task))) return false;
  const fresh = { state: 'waiting', failures: 0, dueAt: new Date(dueAt), failure: undefined } as const;
  state.tasks.set(keyOf(task), { ...fresh, payload: undefined, token: undefined, ...structuredClone(task) });
  return true;
}

export function taskOf(state: State, name: Pick<Task, 'kind' | 'websiteId' | 'key'>): Task | undefined {
  return state.tasks.get(keyOf(name));
}

/** Records a mail to a person as a task. */
export function addMail(state: State, { id: key, at, about, token }: PersonMail): void {
  addTask(state, { kind: 'mail', websiteId: null, key, payload: { at: at.toISOString(), about }, token }, at);
}

/** Forgets the tasks of a website that is deleted. */
export function forgetTasks(state: State, websiteId: string): void {
  for (const [key, task] of state.tasks) if (task.websiteId === websiteId) state.tasks.delete(key);
}

function keyOf({ kind, websiteId, key }: Pick<Task, 'kind' | 'websiteId' | 'key'>): string {
  return [kind, websiteId, key].join(' ');
}
