import { connect, type Socket } from 'node:net';
import { systemCode } from './errors.ts';
import { SERVER } from './settings.ts';
import type { EmbeddedConnection } from './types.ts';

/** A service holds the folder until it is stopped, a command for as long as it runs. */
export type HolderRole = 'service' | 'command';

/** The state that a holder announces: one JSON line for each change. */
export interface Announcement {
  pid: number;
  role: HolderRole;
  /** Undefined while the server does not respond. */
  connection: EmbeddedConnection | undefined;
}

/** The live process that holds a folder. */
export interface Holder {
  readonly pid: number;
  readonly role: HolderRole;
  /** Waits for the server to respond; undefined if the holder goes away or `ms` milliseconds pass. */
  waitForConnection(ms: number): Promise<EmbeddedConnection | undefined>;
  /** Waits until the holder releases the folder; false if `ms` milliseconds pass first. */
  waitUntilGone(ms: number): Promise<boolean>;
  /** Stops watching. */
  close(): void;
}

/** A holder normally responds immediately. One that is suspended or starved is still the holder. */
const RESPONSE_WITHIN_MS = 3_000;

/** Connects to a holder's socket; undefined if no process listens. `pid` comes from the socket's name. */
export async function watchHolder(path: string, pid: number): Promise<Holder | undefined> {
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    if (['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTSOCK'].includes(systemCode(error) ?? '')) return undefined;
    // If this user may not connect, the process number is all there is.
    if (systemCode(error) === 'EACCES' && !isAlive(pid)) return undefined;
    return {
      pid,
      role: 'service',
      waitForConnection: async () => undefined,
      waitUntilGone: async () => false,
      close() {},
    };
  }

  const announcements = follow(socket);
  await announcements.wait(() => announcements.latest() !== undefined || announcements.gone(), RESPONSE_WITHIN_MS);
  // It was about to end: the folder is free, or goes to the first process that claims it.
  if (announcements.gone()) return undefined;
  return {
    pid: announcements.latest()?.pid ?? pid,
    role: announcements.latest()?.role ?? 'service',
    async waitForConnection(ms) {
      await announcements.wait(() => announcements.latest()?.connection !== undefined || announcements.gone(), ms);
      return announcements.gone() ? undefined : announcements.latest()?.connection;
    },
    waitUntilGone: (ms) => announcements.wait(announcements.gone, ms),
    close: () => socket.destroy(),
  };
}

/** Follows the states that a holder announces on its socket. */
function follow(socket: Socket) {
  let latest: Announcement | undefined;
  let gone = false;
  let rest = '';
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('close', () => {
    gone = true;
    changed();
  });
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    latest = lines.map(parse).findLast((announcement) => announcement !== undefined) ?? latest;
    changed();
  });

  return {
    latest: () => latest,
    gone: () => gone,
    /** True once `met` returns true; false if `ms` milliseconds pass first. */
    wait(met: () => boolean, ms: number): Promise<boolean> {
      return new Promise((resolve) => {
        const finish = (outcome: boolean) => {
          clearTimeout(timer);
          listeners.delete(check);
          resolve(outcome);
        };
        const check = () => {
          if (met()) finish(true);
        };
        const timer = setTimeout(() => finish(false), ms);
        listeners.add(check);
        check();
      });
    },
  };
}

function parse(line: string): Announcement | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
    return undefined;
  if (!('role' in value) || (value.role !== 'service' && value.role !== 'command')) return undefined;
  const announced = 'connection' in value && isConnection(value.connection) ? value.connection : undefined;
  const connection = announced && { host: announced.host, ...SERVER };
  return { pid: value.pid, role: value.role, connection };
}

function isConnection(value: unknown): value is { host: string } {
  return typeof value === 'object' && value !== null && 'host' in value && typeof value.host === 'string';
}

/** Whether a process of any user has this number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
