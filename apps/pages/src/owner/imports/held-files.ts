import type { FileImportOptions, WebsiteKey } from '@hitherto/domain';
import type { ReceivedFile } from '@hitherto/http';
import { LRUCache } from 'lru-cache';

/** A file that was uploaded and previewed, and waits for its owner to import it. */
export interface HeldFile {
  readonly website: WebsiteKey;
  readonly file: ReceivedFile;
  readonly options: FileImportOptions;
}

/** Keeps files between the preview and the import, for a while. */
export interface HeldFiles {
  hold(id: string, held: HeldFile): void;
  /** The file, which its taker removes; `undefined` if it is gone, or of another website. */
  take(id: string, website: WebsiteKey): HeldFile | undefined;
  /** Removes all files. */
  close(): void;
}

const MAX_FILES = 10;
const KEPT_MS = 15 * 60 * 1_000;

/** Holds the last 10 files, for 15 minutes each, and removes the others. */
export function createHeldFiles(): HeldFiles {
  const files = new LRUCache<string, HeldFile>({
    max: MAX_FILES,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    dispose: ({ file }, _id, reason) => {
      if (reason !== 'delete') void file.remove().catch(() => {});
    },
  });
  return {
    hold: (id, held) => {
      files.set(id, held);
    },
    take(id, { accountId, websiteId }) {
      const held = files.get(id);
      if (held?.website.accountId !== accountId || held.website.websiteId !== websiteId) return undefined;
      files.delete(id);
      return held;
    },
    close() {
      for (const { file } of files.values()) void file.remove().catch(() => {});
      files.clear();
    },
  };
}
