import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds; returns how many milliseconds that took.
 * @throws {Error} with the complaint if it does not hold in time
 */
export async function until(
  complaint: string | (() => string),
  withinMs: number,
  isSo: () => boolean | Promise<boolean>,
): Promise<number> {
  for (const since = performance.now(); ; await sleep(5)) {
    const holds = await isSo();
    const ms = performance.now() - since;
    if (ms > withinMs)
      throw new Error(`After ${withinMs} ms ${typeof complaint === 'string' ? complaint : complaint()}`);
    if (holds) return ms;
  }
}
