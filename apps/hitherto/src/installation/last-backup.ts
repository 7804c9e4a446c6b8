import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** In the data folder, so that the service, which runs no backups, can tell how old the last one is. */
const FILE = 'last-backup';

/** Notes that the embedded database of the folder was backed up. */
export async function noteBackup(dataDir: string, at: Date): Promise<void> {
  const fresh = join(dataDir, `${FILE}.${process.pid}`);
  await writeFile(fresh, `${at.toISOString()}\n`, { mode: 0o644 });
  // A file of another user can be replaced, but not written to.
  await rename(fresh, join(dataDir, FILE));
}

/** When the embedded database of the folder was last backed up. Rejects if it never was. */
export async function lastBackup(dataDir: string): Promise<Date> {
  return new Date((await readFile(join(dataDir, FILE), 'utf8')).trim());
}
