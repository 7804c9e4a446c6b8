import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.ts';
import { CHILD_ENVIRONMENT } from './settings.ts';

const run = promisify(execFile);

/** The unprivileged user as whom root runs PostgreSQL, which does not run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Whether this process runs as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The user who runs the server: `undefined` (the same user) unless this is root. For root it is the owner of the database's
 * folder, otherwise a user that exists on most systems, who becomes the owner of a folder that root owns (restored from a
 * copy, say).
 */
export async function chooseServerUser(clusterDir: string): Promise<ServerUser | undefined> {
  if (!isRoot()) return undefined;
  const owner = await lstat(clusterDir).catch(() => undefined);
  // Node reads user ids as signed numbers, and "nobody" is -2 on some systems.
  if (owner && owner.uid !== 0) return { uid: owner.uid | 0, gid: owner.gid | 0 };

  const user = await findUnprivilegedUser();
  if (owner?.isDirectory()) await run('chown', ['-hR', `${user.uid}:${user.gid}`, clusterDir]);
  return user;
}

/** Whether that user can enter the folder through its path. */
export async function canEnter(user: ServerUser | undefined, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...user, cwd: '/', env: CHILD_ENVIRONMENT });
    return true;
  } catch {
    return false;
  }
}

async function findUnprivilegedUser(): Promise<ServerUser> {
  for (const name of ['postgres', '_postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      const user = { uid: Number(uid.stdout) | 0, gid: Number(gid.stdout) | 0 };
      if (user.uid !== 0) return user;
    } catch {
      // No such user: try the next.
    }
  }
  throw new EmbeddedPostgresError(
    'failed',
    'PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody". ' +
      'Add one of them, run Hitherto as an ordinary user, or set DATABASE_URL to your own PostgreSQL.',
  );
}
