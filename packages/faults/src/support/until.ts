import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until something is so, and answers after how many milliseconds it was.
 * @throws {Error} of the complaint where it is not so in time.
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  withinMs: number,
  complaint: () => string,
): Promise<number> {
  const since = performance.now();
  while (!(await isSo())) {
    if (performance.now() - since > withinMs) throw new Error(`After ${withinMs} ms ${complaint()}`);
    await sleep(5);
  }
  return performance.now() - since;
}
