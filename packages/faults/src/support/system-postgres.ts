import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '@hitherto/testing/folder';
import { freePort } from '@hitherto/testing/free-port';
import { start, stop } from '@hitherto/testing/processes';
import { succeeds, until } from './until.ts';

const run = promisify(execFile);

/** The folder of the newest installed PostgreSQL with all its programs; `undefined` if there is none. */
export function installedPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const [newest] = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  if (newest !== undefined) return join(debian, newest, 'bin');
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Starts a server of the installed PostgreSQL; as the user `postgres` if this is root, because PostgreSQL refuses root. */
export async function startSystemPostgres(binaries: string) {
  const { path: folder, close } = newFolder();
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
  const isReady = () => succeeds(tool('pg_isready', ['-q', '-d', url('postgres')]));
  await until('PostgreSQL accepted no connection.', 20_000, isReady);
  return {
    /** `postgresql://…` of a database on it. */
    url,
    /** Runs one of PostgreSQL's programs to its end and returns its output: `tool('pg_dump', …)`. */
    tool,
    close: () => stop(server).then(close),
  };
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const id = (what: string) => Number(execFileSync('id', [what, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
