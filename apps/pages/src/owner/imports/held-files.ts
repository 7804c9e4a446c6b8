import { link, lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { FileImportOptions } from '@hitherto/domain/imports';
import type { WebsiteDependencies, WebsiteKey } from '@hitherto/domain/websites';
import { makeFileFolder, type ReceivedFile, rejectFullDisk } from '@hitherto/http';

/** A file that was uploaded and previewed, and waits for its owner to import it. */
export interface HeldFile {
  readonly website: WebsiteKey;
  readonly file: ReceivedFile;
  readonly options: FileImportOptions;
}

/** Keeps files between the preview and the import, for a while. */
export interface HeldFiles {
  /** Returns the id of the file, which it moves. Throws DomainError `unavailable` if the disk is full, as does `take`. */
  hold(held: HeldFile): Promise<string>;
  /** The file, which its taker removes. It can be taken again. `undefined` if it is gone, or of another website. */
  take(id: string, website: WebsiteKey): Promise<HeldFile | undefined>;
  /** Removes the files that this process has received. */
  close(): Promise<void>;
}

const MAX_FILES_OF_ACCOUNT = 5;
const HELD_MS = 15 * 60 * 1_000;
const SWEEP_MS = 60 * 1_000;

const PREFIX = 'hitherto-held-';
const RECORD = 'held.json';
const ID = /^[0-9a-f-]{36}$/;

/** The content of {@link RECORD}, which is in the folder of the file. */
interface HeldRecord extends Pick<HeldFile, 'website' | 'options'>, Pick<ReceivedFile, 'sha256' | 'bytes'> {
  /** Of the file within the folder. */
  readonly name: string;
  /** In milliseconds. */
  readonly heldAt: number;
  /** The process that received the file. */
  readonly receivedBy: string;
}

type Found = HeldRecord & { readonly folder: string };

/**
 * Holds the last files of each account in folders next to the received files, so that any process of the machine can import
 * them.
 */
export function createHeldFiles({ now, newId }: Pick<WebsiteDependencies, 'now' | 'newId'>): HeldFiles {
  const receivedBy = newId();
  const isOver = ({ heldAt }: HeldRecord) => now().getTime() - heldAt >= HELD_MS;
  // What one round cannot remove, the next one may.
  const sweep = () => void removeHeld((held) => held.filter(isOver)).catch(() => {});
  sweep();
  const sweeping = setInterval(sweep, SWEEP_MS).unref();

  return {
    async hold({ website, file: { path, sha256, bytes }, options }) {
      const id = newId();
      const received = dirname(path);
      const name = basename(path);
      const record: HeldRecord = { website, options, sha256, bytes, name, heldAt: now().getTime(), receivedBy };
      await writeFile(join(received, RECORD), JSON.stringify(record), { mode: 0o600 }).catch(rejectFullDisk);
      // Last, so that a folder of this name is complete.
      await rename(received, folderOf(id));
      await removeHeld((held) =>
        held
          .filter((each) => each.website.accountId === website.accountId)
          .sort((a, b) => a.heldAt - b.heldAt)
          .slice(0, -MAX_FILES_OF_ACCOUNT),
      );
      return id;
    },

    async take(id, { accountId, websiteId }) {
      const held = ID.test(id) ? await findHeld(folderOf(id)) : undefined;
      if (held === undefined || isOver(held)) return undefined;
      if (held.website.accountId !== accountId || held.website.websiteId !== websiteId) return undefined;
      const { website, options, sha256, bytes } = held;
      return { website, options, file: { ...(await linkOf(held)), sha256, bytes } };
    },

    async close() {
      clearInterval(sweeping);
      // A process that starts later removes what is left.
      await removeHeld((held) => held.filter((each) => each.receivedBy === receivedBy)).catch(() => {});
    },
  };
}

function folderOf(id: string): string {
  return join(tmpdir(), `${PREFIX}${id}`);
}

async function removeHeld(choose: (held: Found[]) => readonly Found[]): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  const found = await Promise.all(names.map((name) => findHeld(join(tmpdir(), name))));
  const chosen = choose(found.filter((held) => held !== undefined));
  await Promise.all(chosen.map(({ folder }) => rm(folder, { recursive: true, force: true })));
}

/** `undefined` if there is none that can be read. */
async function findHeld(folder: string): Promise<Found | undefined> {
  try {
    // Other users of the machine may also create such a folder.
    const { uid } = await lstat(folder);
    if (uid !== (process.getuid?.() ?? uid)) return undefined;
    const record: HeldRecord = JSON.parse(await readFile(join(folder, RECORD), 'utf8'));
    return { ...record, folder };
  } catch {
    return undefined;
  }
}

/** A second name of the file: its import may last longer than the file is held, or end while another one reads it. */
async function linkOf({ folder, name }: Found): Promise<Pick<ReceivedFile, 'path' | 'remove'>> {
  const linked = await makeFileFolder();
  const remove = () => rm(linked, { recursive: true, force: true });
  const path = join(linked, name);
  try {
    await link(join(folder, name), path);
  } catch (error) {
    await remove();
    return rejectFullDisk(error);
  }
  return { path, remove };
}
