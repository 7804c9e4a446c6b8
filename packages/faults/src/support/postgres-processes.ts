import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, isRunning, startOf } from '@hitherto/testing/proc';

/** The first process of the server on a data folder of the embedded PostgreSQL. */
export function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** The processes of a server that serve connections, on Unix sockets as all of the suite are. */
export function backendsOf(postmaster: number): number[] {
  return childrenOf(postmaster).filter((pid) => readCommand(pid).includes('[local]'));
}

/** The processes that a process has started, and those that they have, and so on. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The processes that have a folder, or something in it, open or as their current folder. */
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

/** Processes as they were at one time: their numbers may be given to others later. */
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

/** What a process calls itself, for a message. */
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
