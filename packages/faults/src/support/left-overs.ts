import { descendantsOf, processesOn, type Remembered, readCommand } from './postgres-processes.ts';
import { until } from './until.ts';

/**
 * Waits until all processes of a killed service have ended: those seen before, and all that use its folder, except those of
 * the service that has been started on it since.
 * @throws {Error} that names the remaining processes
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
