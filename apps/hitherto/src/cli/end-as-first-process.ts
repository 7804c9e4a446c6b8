import { constants } from 'node:os';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Ends the first process of a container at a signal until somebody else handles it: the kernel drops signals that this process does
 * not handle, so the container would not stop while the service starts.
 */
export function endAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}
