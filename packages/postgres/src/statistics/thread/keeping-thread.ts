import type { Log } from '@hitherto/domain/base';
import type { Keeping } from '../jobs/keeping.ts';
import type { ThreadData } from './messages.ts';
import { openThread, type Thread } from './thread.ts';

/** Keeps days in a thread. */
export interface KeepingThread extends Pick<Thread, 'interrupt' | 'close'> {
  readonly keeping: Keeping;
}

/** It is needed once a day. */
const IDLE_MS = 30_000;

/** Keeps days in a thread of its own. */
export function openKeepingThread(data: ThreadData, log: Log): KeepingThread {
  const module = new URL('./keeping-worker.js', import.meta.url);
  const { ask, interrupt, close } = openThread({ module, name: 'keeping', data, log, idleMs: IDLE_MS });
  const methodOf =
    (method: keyof Keeping) =>
    async (...args: readonly unknown[]) =>
      (await ask((id) => ({ is: 'keep', id, method, args }))) === true;
  const keeping: Keeping = {
    handOver: methodOf('handOver'),
    joinDays: methodOf('joinDays'),
    summarise: methodOf('summarise'),
    summariseImported: methodOf('summariseImported'),
    joinParts: methodOf('joinParts'),
    deleteHitsBefore: methodOf('deleteHitsBefore'),
  };
  return { keeping, interrupt, close };
}
