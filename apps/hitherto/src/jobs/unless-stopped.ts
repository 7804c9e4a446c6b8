import { setTimeout as sleep } from 'node:timers/promises';

/** How long a stopping service waits for what is being sent. Other instances send the rest when the leases end. */
const STOP_MS = 5_000;

/** Resolves when the work is done, or a while after the signal aborts. */
export async function unlessStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([work, sometimeAfter(signal, ended.signal)]);
  } finally {
    // The signal lives as long as the service: listeners of every run would add up.
    ended.abort();
  }
}

/** Resolves a while after `signal` aborts, and never before; stops listening when `ended` aborts. */
async function sometimeAfter(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true, signal: ended });
    });
  }
  await sleep(STOP_MS, undefined, { ref: false });
}
