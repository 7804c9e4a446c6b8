import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const INSTALLED = '/usr/lib/postgresql';
const THROW_AWAY = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'];

/** A throw-away server on a Unix socket, or the one that TEST_DATABASE_URL names, as it is. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };

  const [version] = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
  const binary = (name: string) => join(INSTALLED, String(version), 'bin', name);
  const folder = mkdtempSync(join(tmpdir(), 'hitherto-test-'));
  const user = process.getuid?.() === 0 ? unprivileged() : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C.UTF-8'];
  execFileSync(binary('initdb'), init, { ...user, cwd: folder, stdio: 'pipe' });

  const settings = ['listen_addresses=', ...THROW_AWAY].flatMap((setting) => ['-c', setting]);
  // The shell ends the server when its input closes, also when this process is killed.
  const script = '"$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server; rm -rf "$0"';
  const command = [binary('postgres'), '-D', data, '-k', folder, ...settings];
  const shell = spawn('/bin/sh', ['-c', script, folder, ...command], {
    ...user,
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise((resolve) => shell.once('exit', resolve));
  const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;
  const stop = async () => {
    shell.stdin.end();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  await untilReady(url, stop);
  return { url, stop };
}

function unprivileged(): { uid?: number; gid?: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(url: string, stop: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        await stop();
        throw new Error('PostgreSQL did not start.', { cause: error });
      }
      await sleep(25);
    }
  }
}
