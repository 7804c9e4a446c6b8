import { once } from 'node:events';
import { cpuOf, cpuOfServer, memoryOf } from '@hitherto/testing/proc';
import { MAIN, startNode } from '../servers.ts';

/** A command that has run: its time and CPU in seconds, and its memory in MB. */
export interface MeasuredCommand {
  readonly seconds: number;
  readonly nodeCpu: number;
  /** NaN for a command that starts its own database. */
  readonly databaseCpu: number;
  readonly peakMemory: number;
}

const SAMPLE_MS = 50;

/**
 * Runs a command of the program, as `npm run hitherto` does, on the database of a data folder.
 *
 * @param postmaster the first process of the database, if a service uses the folder
 */
export async function runCommand(
  dataDir: string,
  args: readonly string[],
  postmaster = Number.NaN,
): Promise<MeasuredCommand> {
  const databaseCpu = () => cpuOfServer(postmaster) ?? Number.NaN;
  const [from, before] = [performance.now(), databaseCpu()];
  const words = ['--max-semi-space-size=8', MAIN, ...args];
  const child = startNode(words, { DATA_DIR: dataDir }, ['ignore', 'ignore', 'pipe']);
  const errors: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  let [nodeCpu, peakMemory] = [Number.NaN, Number.NaN];
  const sample = () => {
    nodeCpu = cpuOf(child.pid ?? 0) ?? nodeCpu;
    peakMemory = memoryOf(child.pid ?? 0)?.peak ?? peakMemory;
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${errors.at(-1)}`);
  const seconds = (performance.now() - from) / 1_000;
  return { seconds, nodeCpu, databaseCpu: databaseCpu() - before, peakMemory };
}
