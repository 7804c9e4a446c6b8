import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hitherto/testing/free-port';
import { start, stop } from '@hitherto/testing/processes';
import { until } from './until.ts';

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

/** A PgBouncer with its defaults, except for the mode. */
export interface Pooler {
  /** `postgresql://…`, for DATABASE_URL; stays the same after a kill. */
  readonly url: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it accepts connections. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The version of the installed PgBouncer; `undefined` without one. */
export function poolerVersion(): string | undefined {
  const { status, stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n', 1)[0] : undefined;
}

/** Starts PgBouncer before a database. */
export async function startPooler(databaseUrl: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const server = new URL(databaseUrl);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-faults-pooler-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const settings = `
[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`;
  await writeFile(file, settings);
  const launch = async () => {
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    child = start('pgbouncer', [file], { ...user, stdio: 'ignore' });
    await until(
      () => accepts(port),
      10_000,
      () => 'PgBouncer accepted no connection.',
    );
  };
  let child: ChildProcess | undefined;
  await launch();
  return {
    url: `postgresql://${server.username}@127.0.0.1:${port}${server.pathname}?sslmode=disable`,
    async kill() {
      if (child === undefined) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    restart: launch,
    async close() {
      if (child !== undefined) await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const say = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => say(true)).once('error', () => say(false));
  });
}
