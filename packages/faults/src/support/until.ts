import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds; returns how many milliseconds that took.
 * @throws {Error} with the complaint if it does not hold in time
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
