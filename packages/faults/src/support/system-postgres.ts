import { execFile, execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@hitherto/testing/free-port';
import { start, stop } from '@hitherto/testing/processes';

const run = promisify(execFile);

/** The folder of the newest installed PostgreSQL with all its programs; `undefined` if there is none. */
export function installedPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  try {
    const [newest] = readdirSync(debian).sort((a, b) => Number(b) - Number(a));
    if (newest !== undefined) return join(debian, newest, 'bin');
  } catch {
    // Not Debian, or none installed.
  }
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** A server of the installed PostgreSQL, with its own tools. */
export interface SystemPostgres {
  /** `postgresql://…` of a database on it. */
  url(database: string): string;
  /** Runs one of PostgreSQL's programs to its end and returns its output: `tool('pg_dump', …)`. */
  tool(name: string, args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts a server on an empty folder; as the user `postgres` if this is root, because PostgreSQL refuses root. */
export async function startSystemPostgres(binaries: string): Promise<SystemPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'hitherto-faults-system-'));
  const owner = process.getuid?.() === 0 ? ownerOf('postgres') : undefined;
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
  const data = join(folder, 'data');
  const tool = async (name: string, args: readonly string[]) => {
    const { stdout } = await run(join(binaries, name), [...args], { env, cwd: folder, ...owner });
    return stdout;
  };
  await tool('initdb', ['-D', data, '-U', 'hitherto', '--auth=trust', '--encoding=UTF8', '--locale=C']);
  const port = await freePort();
  const server = start(
    join(binaries, 'postgres'),
    ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
    { env, cwd: folder, stdio: 'ignore', ...owner },
  );
  const url = (database: string) => `postgresql://hitherto@127.0.0.1:${port}/${database}`;
  for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
    try {
      await tool('pg_isready', ['-q', '-d', url('postgres')]);
      break;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
  return {
    url,
    tool,
    async close() {
      await stop(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const id = (what: string) => Number(execFileSync('id', [what, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
