import { descendantsOf, processesOn, type Remembered, readCommand } from './postgres-processes.ts';
import { until } from './until.ts';

/**
 * Waits until nothing of a service that was killed runs any more: none of the processes that were seen before, and none that
 * has to do with its folder, but for the service that has been started on it since and its processes.
 * @throws {Error} that names what is left.
 */
export async function untilNothingIsLeft(
  killed: Remembered,
  dataDir: string,
  next: number | undefined,
  isFull: boolean,
): Promise<void> {
  const left = () => {
    const found = new Set([...killed.running(), ...processesOn(dataDir)]);
    for (const pid of next === undefined ? [] : [next, ...descendantsOf(next)]) found.delete(pid);
    return [...found];
  };
  await until(
    () => left().length === 0,
    isFull ? 10_000 : 60_000,
    () =>
      `still runs: ${left()
        .map((pid) => `${pid} (${readCommand(pid)})`)
        .join(', ')}`,
  );
}
