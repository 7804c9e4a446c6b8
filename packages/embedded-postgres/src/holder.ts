import { connect, type Socket } from 'node:net';
import { systemCode } from './errors.ts';
import type { EmbeddedConnection } from './types.ts';

/** A service keeps the folder until it is stopped; a command for as long as it runs. */
export type Role = 'service' | 'command';

/** What a holder tells, one JSON line each time it changes. */
export interface Announcement {
  pid: number;
  role: Role;
  /** Undefined while the server does not answer. */
  connection: EmbeddedConnection | undefined;
}

/** The live process that holds a folder. */
export interface Holder {
  readonly pid: number;
  readonly role: Role;
  /** Waits for the server to answer; undefined when the holder went away or `ms` milliseconds passed. */
  waitForConnection(ms: number): Promise<EmbeddedConnection | undefined>;
  /** Waits until the holder lets the folder go; false when `ms` milliseconds passed before. */
  waitUntilGone(ms: number): Promise<boolean>;
  /** Ends the watching. */
  close(): void;
}

/** A holder answers at once; one that is stopped or starved is still the holder. */
const ANSWER_WITHIN_MS = 3_000;

/** Connects to a holder's socket; undefined when nobody listens. `pid` is what the socket's name says. */
export async function watchHolder(path: string, pid: number): Promise<Holder | undefined> {
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(systemCode(error) ?? '')) return undefined;
    // Of a socket that this user may not ask, only the process number tells.
    if (systemCode(error) === 'EACCES' && !isAlive(pid)) return undefined;
    return {
      pid,
      role: 'service',
      waitForConnection: async () => undefined,
      waitUntilGone: async () => false,
      close() {},
    };
  }

  const line = follow(socket);
  await line.wait(() => line.latest() !== undefined || line.gone(), ANSWER_WITHIN_MS);
  // It was about to end when it was asked: what it held is free, or goes to whoever asks first.
  if (line.gone()) return undefined;
  return {
    pid: line.latest()?.pid ?? pid,
    role: line.latest()?.role ?? 'service',
    async waitForConnection(ms) {
      await line.wait(() => line.latest()?.connection !== undefined || line.gone(), ms);
      return line.gone() ? undefined : line.latest()?.connection;
    },
    waitUntilGone: (ms) => line.wait(line.gone, ms),
    close: () => socket.destroy(),
  };
}

/** Follows what comes on a line. */
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
    /** True once `met` is; false when `ms` milliseconds passed before. */
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
  const connection = 'connection' in value && isConnection(value.connection) ? value.connection : undefined;
  return { pid: value.pid, role: value.role, connection };
}

function isConnection(value: unknown): value is EmbeddedConnection {
  return (
    typeof value === 'object' &&
    value !== null &&
    'host' in value &&
    typeof value.host === 'string' &&
    'port' in value &&
    typeof value.port === 'number' &&
    'user' in value &&
    typeof value.user === 'string' &&
    'database' in value &&
    typeof value.database === 'string' &&
    'ssl' in value &&
    value.ssl === false
  );
}

/** Whether a process has this number, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
