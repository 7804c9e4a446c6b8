import { readdirSync, readlinkSync } from 'node:fs';
import { childrenOf, isRunning, processes, readIfThere, startOf } from '@hitherto/testing/proc';
import { until } from './until.ts';

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
  const hasOpen = (pid: number) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => isInside(`/proc/${pid}/fd/${fd}`));
    } catch {
      return false;
    }
  };
  return processes().filter((pid) => isInside(`/proc/${pid}/cwd`) || hasOpen(pid));
}

/** Remembers processes with their start times, because their numbers may be reused later; `running` are those that still run. */
export function remember(pids: readonly number[]) {
  const known = [...new Set(pids)].map((pid) => ({ pid, start: startOf(pid) }));
  const still = ({ pid, start }: (typeof known)[number]) => isRunning(pid) && startOf(pid) === start;
  return { count: known.length, running: () => known.filter(still).map(({ pid }) => pid) };
}

export type Remembered = ReturnType<typeof remember>;

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
  const complaint = () => `still runs: ${left().join(', ')}`;
  await until(complaint, patience * 10_000, () => left().length === 0);
}

/** The command line of a process, for a message. */
function readCommand(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}
