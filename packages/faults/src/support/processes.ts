import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, isRunning, startOf } from '@hitherto/testing/proc';
import { until } from './until.ts';

/** The first process of the embedded server on a data folder. */
export function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** Suspends or resumes all processes of a server. */
export function signalServer(postmaster: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const each of [postmaster, ...childrenOf(postmaster)]) process.kill(each, signal);
}

/** The processes of a server that serve connections; all connections of the suite use Unix sockets. */
export function backendsOf(postmaster: number): number[] {
  return childrenOf(postmaster).filter((pid) => readCommand(pid).includes('[local]'));
}

/** All descendants of a process. */
function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The processes that have a folder, or something in it, open or as their working directory. */
function processesOn(folder: string): number[] {
  const isInside = (link: string) => {
    try {
      const path = readlinkSync(link);
      return path === folder || path.startsWith(`${folder}/`);
    } catch {
      return false;
    }
  };
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (pid) => isInside(`/proc/${pid}/cwd`) || list(`/proc/${pid}/fd`).some((fd) => isInside(`/proc/${pid}/fd/${fd}`)),
    )
    .map(Number);
}

/** Processes at one time, with their start times, because their numbers may be reused later. */
export interface Remembered {
  readonly count: number;
  /** Those that still run. */
  running(): number[];
}

export function remember(pids: readonly number[]): Remembered {
  const known = [...new Set(pids)].map((pid) => ({ pid, start: startOf(pid) }));
  return {
    count: known.length,
    running: () =>
      known
        .filter(({ pid, start }) => start !== undefined && isRunning(pid) && startOf(pid) === start)
        .map(({ pid }) => pid),
  };
}

/** The processes of a service on a data folder. */
export function serviceOn(pid: number, dataDir: string): Remembered {
  return remember([pid, ...descendantsOf(pid), ...processesOn(dataDir)]);
}

/**
 * Waits until all processes of a killed service have ended: those seen before, and all that use its folder, except those of
 * the service that has been started on it since.
 * @throws {Error} that names the remaining processes
 */
export async function untilNothingIsLeft(
  killed: Remembered,
  dataDir: string,
  patience: number,
  next?: number,
): Promise<void> {
  const left = () => {
    const found = new Set([...killed.running(), ...processesOn(dataDir)]);
    for (const pid of next === undefined ? [] : [next, ...descendantsOf(next)]) found.delete(pid);
    return [...found].map((pid) => `${pid} (${readCommand(pid)})`);
  };
  await until(
    () => left().length === 0,
    patience * 10_000,
    () => `still runs: ${left().join(', ')}`,
  );
}

/** The command line of a process, for a message. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
