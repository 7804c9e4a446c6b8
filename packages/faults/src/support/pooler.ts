import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { newFolder } from '@hitherto/testing/folder';
import { freePort } from '@hitherto/testing/free-port';
import { start, stop } from '@hitherto/testing/processes';
import { until } from './until.ts';

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

/** The version of the installed PgBouncer; `undefined` without one. */
export function poolerVersion(): string | undefined {
  const { status, stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n', 1)[0] : undefined;
}

/** Starts PgBouncer before a database, with its defaults except for the mode. */
export async function startPooler(databaseUrl: string, mode: 'session' | 'transaction') {
  const server = new URL(databaseUrl);
  const port = await freePort();
  const folder = newFolder();
  await chmod(folder.path, 0o755);
  const file = join(folder.path, 'pgbouncer.ini');
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
    await until('PgBouncer accepted no connection.', 10_000, () => accepts(port));
  };
  let child: ChildProcess | undefined;
  await launch();
  return {
    /** For DATABASE_URL; stays the same after a kill. */
    url: `postgresql://${server.username}@127.0.0.1:${port}${server.pathname}?sslmode=disable`,
    /** Ends it with SIGKILL. */
    async kill() {
      if (child === undefined) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    /** Starts it again; resolves when it accepts connections. */
    restart: launch,
    async close() {
      if (child !== undefined) await stop(child);
      folder.close();
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(Boolean, () => false);
  socket.destroy();
  return isOpen;
}
