import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '@hitherto/testing/machine';
import { cpuOf, cpuOfServer, memoryOf } from '@hitherto/testing/proc';
import { start } from '@hitherto/testing/processes';
import { embeddedPid } from '../database.ts';

/** A command that has run: its time and CPU in seconds, and its memory in MB. */
export interface MeasuredCommand {
  readonly seconds: number;
  readonly nodeCpu: number;
  /** Absent of a command that ran its own database. */
  readonly databaseCpu: number;
  readonly peakMemory: number;
}

const SAMPLE_MS = 50;

/** Runs a command of the program, as `npm run hitherto` does, on the database of a data folder, which a service may use. */
export async function runCommand(dataDir: string, args: readonly string[]): Promise<MeasuredCommand> {
  const server = await embeddedPid(dataDir).catch(() => undefined);
  const databaseCpu = () => (server === undefined ? undefined : cpuOfServer(server)) ?? Number.NaN;
  const [from, before] = [performance.now(), databaseCpu()];
  const child = start(
    process.execPath,
    ['--max-semi-space-size=8', join(root, 'apps/hitherto/dist/main.js'), ...args],
    {
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', DATA_DIR: dataDir },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const told: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => told.push(text));
  let [nodeCpu, peakMemory] = [Number.NaN, Number.NaN];
  const sample = () => {
    nodeCpu = cpuOf(child.pid ?? 0) ?? nodeCpu;
    peakMemory = memoryOf(child.pid ?? 0)?.peak ?? peakMemory;
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${told.at(-1)}`);
  const seconds = (performance.now() - from) / 1_000;
  return { seconds, nodeCpu, databaseCpu: databaseCpu() - before, peakMemory };
}
