import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, startOf } from './proc.ts';

/** Lists the processes that this one has started, so that a later run can end what is left. */
const RECORD = 'hitherto-processes-';
const OWN_RECORD = join(tmpdir(), `${RECORD}${process.pid}.json`);

const children = new Map<number, ChildProcess>();

/** Starts a process that ends no later than this one. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} cannot be started.`);
  children.set(pid, child);
  child.once('exit', () => children.delete(pid));
  const record = [...children.keys()].map((id) => ({ pid: id, start: startOf(id) }));
  writeFileSync(OWN_RECORD, JSON.stringify(record));
  return child;
}

/** Ends a process, and resolves when it has ended. */
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
  rmSync(OWN_RECORD, { force: true });
}

/** Ends processes that killed runs have left behind, if they are still the ones those runs started. */
export function stopLeftOvers(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(RECORD) ? Number.parseInt(name.slice(RECORD.length), 10) : Number.NaN;
    if (!(owner > 0) || isRunning(owner)) continue;
    const file = join(tmpdir(), name);
    let record: { pid: number; start?: string }[];
    try {
      record = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      continue;
    }
    for (const { pid, start: started } of record) {
      if (started !== undefined && startOf(pid) === started) process.kill(pid, 'SIGTERM');
    }
    rmSync(file, { force: true });
  }
}
