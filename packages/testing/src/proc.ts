import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kernel's clock ticks per second. */
const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly parent: number;
  readonly seconds: number;
  readonly secondsOfEndedChildren: number;
}

/** The CPU time of a process; `undefined` without /proc or if there is no such process. */
export function cpuOf(pid: number): number | undefined {
  return statOf(pid)?.seconds;
}

/** The CPU time of a server and its processes, including ended ones. */
export function cpuOfServer(pid: number): number | undefined {
  const own = statOf(pid);
  if (own === undefined) return undefined;
  const children = processes()
    .map(statOf)
    .filter((stat) => stat?.parent === pid);
  return children.reduce((sum, stat) => sum + (stat?.seconds ?? 0), own.seconds + own.secondsOfEndedChildren);
}

/** A process's share of the memory that it has, in MB: memory that several processes have is split among them. */
export function shareOfMemory(pid: number): number | undefined {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`)) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** Resident memory in MB, and its highest value so far. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } | undefined {
  const text = readIfThere(`/proc/${pid}/status`);
  const value = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  // An ending process has none.
  return text.includes('VmHWM:') ? { now: value('VmRSS'), peak: value('VmHWM') } : undefined;
}

/** The running children of a process. */
export function childrenOf(pid: number): number[] {
  return processes().filter((other) => statOf(other)?.parent === pid);
}

/** Whether the process runs: it exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  const state = fieldsOf(pid)?.[0];
  return state !== undefined && state !== 'Z';
}

/** The parent of a process. */
export function parentOf(pid: number): number | undefined {
  return statOf(pid)?.parent;
}

/** The first process of the embedded server that runs on a data folder. */
export function postmasterOf(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** When a process started, in kernel ticks. Together with it, an id names one process only. */
export function startOf(pid: number): string | undefined {
  return fieldsOf(pid)?.[19];
}

function statOf(pid: number): ProcessStat | undefined {
  const fields = fieldsOf(pid)?.map(Number);
  if (fields === undefined) return undefined;
  const [, parent = 0] = fields;
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return {
    parent,
    seconds: (user + system) / TICKS_PER_SECOND,
    secondsOfEndedChildren: (childUser + childSystem) / TICKS_PER_SECOND,
  };
}

/** The fields of /proc/PID/stat from the third one on; the second one can contain spaces. */
function fieldsOf(pid: number): string[] | undefined {
  const text = readIfThere(`/proc/${pid}/stat`);
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** All processes. */
export function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** A file's text; empty if it cannot be read. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
