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
  for (const since = performance.now(); ; await sleep(5)) {
    const holds = await isSo();
    const ms = performance.now() - since;
    if (ms > withinMs) throw new Error(`After ${withinMs} ms ${complaint()}`);
    if (holds) return ms;
  }
}
