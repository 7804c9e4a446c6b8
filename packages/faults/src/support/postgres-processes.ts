import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, isRunning, startOf } from '@hitherto/testing/proc';

/** The first process of the embedded server on a data folder. */
export function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** The processes of a server that serve connections; all connections of the suite use Unix sockets. */
export function backendsOf(postmaster: number): number[] {
  return childrenOf(postmaster).filter((pid) => readCommand(pid).includes('[local]'));
}

/** All descendants of a process. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The processes that have a folder, or something in it, open or as their working directory. */
export function processesOn(folder: string): number[] {
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

/** The command line of a process, for a message. */
export function readCommand(pid: number): string {
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
