import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Runnable } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { openForServer } from './paths.ts';
import { clearFolder } from './postmaster.ts';
import { whyNotReady } from './ready.ts';
import { openServerLog } from './server-log.ts';
import type { ServerUser } from './server-user.ts';
import { serverArguments } from './settings.ts';
import { type Supervised, supervise } from './supervisor.ts';
import type { EmbeddedConnection, EmbeddedLog } from './types.ts';

const ORPHAN_MAY_TAKE_MS = 10_000;
const RESPONSE_WITHIN_MS = 60_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const STABLE_AFTER_MS = 30_000;

export interface ServerOptions {
  binaries: Runnable;
  clusterDir: string;
  socketFolder: string;
  logFile: string;
  connection: EmbeddedConnection;
  user: ServerUser | undefined;
  settings: Record<string, string>;
  log: EmbeddedLog;
  onProgress: (text: string) => void;
  /** Called when the server starts and stops responding. */
  onAvailable: (available: boolean) => void;
}

/** Starts the server, resolves once it responds, and restarts it with growing delays whenever it dies. */
export async function runServer(options: ServerOptions): Promise<{ stop(): Promise<void> }> {
  const shutdown = new AbortController();
  let running = await launch(options, shutdown.signal);
  options.onAvailable(true);
  const kept = keep();

  async function keep(): Promise<void> {
    let delay = FIRST_DELAY_MS;
    for (;;) {
      const since = performance.now();
      const { reason } = await running.ended;
      if (shutdown.signal.aborted) return;
      options.onAvailable(false);
      if (performance.now() - since > STABLE_AFTER_MS) delay = FIRST_DELAY_MS;
      options.log('error', 'The embedded PostgreSQL died and is started again', {
        reason,
        logFile: options.logFile,
        inMs: delay,
      });
      for (let again = true; again; ) {
        await wait(delay, undefined, { signal: shutdown.signal }).catch(() => {});
        if (shutdown.signal.aborted) return;
        delay = Math.min(delay * 2, LONGEST_DELAY_MS);
        try {
          running = await launch(options, shutdown.signal);
          again = false;
        } catch (error) {
          if (shutdown.signal.aborted) return;
          options.log('error', 'The embedded PostgreSQL could not be restarted', {
            error: String(error),
            inMs: delay,
          });
        }
      }
      options.onAvailable(true);
      options.log('info', 'The embedded PostgreSQL responds again');
    }
  }

  return {
    async stop() {
      shutdown.abort();
      await kept;
    },
  };
}

/** One run of the server, from the moment it responds; `signal` ends it. */
async function launch(options: ServerOptions, signal: AbortSignal): Promise<Supervised> {
  const gone = await clearFolder(options.clusterDir, ORPHAN_MAY_TAKE_MS);
  const log = await openServerLog(options.logFile);
  const data = await openForServer(options.clusterDir, options.user, 3);
  const socket =
    options.socketFolder === options.clusterDir
      ? { ...data, descriptors: [], close: async () => {} }
      : await openForServer(options.socketFolder, options.user, 4);
  try {
    const server = supervise({
      command: [
        join(options.binaries.root, 'bin/postgres'),
        ...['-D', data.path, '-k', quoteFolder(socket.path), ...serverArguments(options.settings)],
      ],
      user: options.user,
      environment: { ...options.binaries.environment, ...ignoring(gone) },
      stdout: log.descriptor,
      stderr: log.descriptor,
      descriptors: [...data.descriptors, ...socket.descriptors],
    });
    const end = () => server.end();
    signal.addEventListener('abort', end);
    void server.ended.then(() => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
    try {
      await untilReady(server, options);
      return server;
    } catch (error) {
      server.end();
      const { reason } = await server.ended;
      if (error instanceof EmbeddedPostgresError) throw error;
      throw new EmbeddedPostgresError(
        'failed',
        `PostgreSQL did not start (${reason}). Its log says: ${await log.tail()}`,
        { cause: error },
      );
    }
  } finally {
    await Promise.all([log.close(), data.close(), socket.close()]);
  }
}

/**
 * Lets PostgreSQL ignore the process number of a server that is gone. In a new container, processes get the same numbers as in
 * the last one, so the number soon belongs to another of this user, and PostgreSQL would not start.
 */
function ignoring(pid: number | undefined): Record<string, string> {
  return pid === undefined ? {} : { PG_GRANDPARENT_PID: String(pid) };
}

async function untilReady(server: Supervised, options: ServerOptions): Promise<void> {
  let ended: string | undefined;
  void server.ended.then(({ reason }) => {
    ended = reason;
  });
  let recovering = false;
  let deadline = performance.now() + RESPONSE_WITHIN_MS;
  for (;;) {
    const fault = await whyNotReady(options.connection);
    if (ended !== undefined) throw new Error(`the server ended: ${ended}`);
    if (fault === undefined) return;
    if (fault === 'starting') {
      // Recovery has no time limit.
      deadline = performance.now() + RESPONSE_WITHIN_MS;
      if (!recovering) options.onProgress('starting the database');
      recovering = true;
    }
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        'unreachable',
        `PostgreSQL runs but does not respond on its socket in ${options.connection.host}: ${fault}. Its log is ${options.logFile}.`,
      );
    }
    await wait(20);
  }
}

/** A folder as an entry of PostgreSQL's list of socket folders, in which commas and quotes are special. */
function quoteFolder(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`;
}
