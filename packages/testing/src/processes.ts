import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOf } from './proc.ts';

/** The processes that were started, so that the next run can end what this one could not. */
const RECORD = join(tmpdir(), 'hitherto-processes.json');

const children = new Map<number, ChildProcess>();

/** Starts a process that ends with this one at the latest. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} cannot be started.`);
  children.set(pid, child);
  child.once('exit', () => children.delete(pid));
  const record = [...children.keys()].map((id) => ({ pid: id, start: startOf(id) }));
  writeFileSync(RECORD, JSON.stringify(record));
  return child;
}

/** Ends a process; resolves when it has gone. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await gone;
  clearTimeout(late);
}

export async function stopAll(): Promise<void> {
  await Promise.all([...children.values()].map(stop));
  rmSync(RECORD, { force: true });
}

/** Ends what a run before, which was killed, has left: only processes that are still the ones it started. */
export function stopLeftOvers(): void {
  let record: { pid: number; start?: string }[];
  try {
    record = JSON.parse(readFileSync(RECORD, 'utf8'));
  } catch {
    return;
  }
  for (const { pid, start: started } of record) {
    if (started !== undefined && startOf(pid) === started) process.kill(pid, 'SIGTERM');
  }
  rmSync(RECORD, { force: true });
}
