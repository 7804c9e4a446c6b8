import { lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, systemCode } from './errors.ts';
import { canEnter, type ServerUser } from './server-user.ts';

/** A link between two libraries, by their paths in the package. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/** The folder of links in the data folder. */
const LINKS_FOLDER = 'postgres-libraries';

/** Characters that are special in LD_LIBRARY_PATH. */
const PATH_MARKS = /[:;$]/;

/**
 * Creates the symbolic links between the libraries, which npm packages cannot contain. Several processes may do so at the same time.
 * `target` is the folder for the links, `source` the folder that lists them.
 */
export async function linkLibraries(source: string, target: string): Promise<void> {
  for (const link of await linksOf(source)) {
    const path = join(dirname(target), link.target.replace(/^native(?=\/)/, basename(target)));
    if (await lstat(path).catch(() => undefined)) continue;
    try {
      await symlink(basename(link.source), path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Creates the links in the data folder, for binaries in a read-only folder, and returns the environment variables with which
 * programs find them; `undefined` if they would not. Call it only while holding the lock.
 */
export async function linkInDataFolder(
  source: string,
  dataDir: string,
  user: ServerUser | undefined,
): Promise<Record<string, string> | undefined> {
  const [folder, libraries] = [join(dataDir, LINKS_FOLDER), join(source, 'lib')];
  if (process.platform !== 'linux' || PATH_MARKS.test(folder + libraries)) return undefined;
  if (!(await canEnter(user, dataDir))) return undefined;
  // They may lead to an earlier version.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const link of await linksOf(source)) {
    await symlink(join(dirname(source), link.source), join(folder, basename(link.target)));
  }
  // A library that is found by a link looks for others next to the link.
  return { LD_LIBRARY_PATH: `${folder}:${libraries}` };
}

async function linksOf(root: string): Promise<readonly Link[]> {
  const links: unknown = JSON.parse(await readFile(join(root, 'pg-symlinks.json'), 'utf8'));
  if (Array.isArray(links)) return links.filter(isLink);
  throw new EmbeddedPostgresError('no_binaries', `${root}/pg-symlinks.json does not contain a list.`);
}

function isLink(link: unknown): link is Link {
  return (
    typeof link === 'object' &&
    link !== null &&
    'source' in link &&
    typeof link.source === 'string' &&
    'target' in link &&
    typeof link.target === 'string'
  );
}
