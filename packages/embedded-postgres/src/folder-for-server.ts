import { open } from 'node:fs/promises';
import { EmbeddedPostgresError } from './errors.ts';
import { canEnter, type ServerUser } from './server-user.ts';

/** A folder, as the programs of PostgreSQL are told of it. */
export interface FolderForServer {
  readonly path: string;
  /** Descriptors that the program must inherit for the path to lead there; either none or one. */
  readonly descriptors: readonly number[];
  close(): Promise<void>;
}

/**
 * Opens a folder for a program that runs as `user`. Where that is another user, whom the folder's path may keep out (below
 * a /root that only root may enter), Linux hands the folder over as the program's descriptor `number`.
 * @throws EmbeddedPostgresError `failed` elsewhere, when the user cannot enter the folder.
 */
export async function openForServer(
  folder: string,
  user: ServerUser | undefined,
  number: number,
  platform: string = process.platform,
): Promise<FolderForServer> {
  if (user && platform === 'linux') {
    const handle = await open(folder, 'r');
    return { path: `/proc/self/fd/${number}`, descriptors: [handle.fd], close: () => handle.close() };
  }
  if (user && !(await canEnter(user, folder))) {
    throw new EmbeddedPostgresError(
      'failed',
      `PostgreSQL does not run as root; it runs as the user with the id ${user.uid}, who cannot enter ${folder}. Set DATA_DIR to ` +
        'a folder that every user can enter, such as /usr/local/var/hitherto, or run Hitherto as an ordinary user.',
    );
  }
  return { path: folder, descriptors: [], close: async () => {} };
}
