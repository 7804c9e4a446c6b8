import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTurns } from '../base/turns.ts';
import { UNRECORDED } from '../changes/change.ts';
import type { Authored } from '../changes/entry.ts';
import { wholeAccount } from '../websites/reach.ts';
import { showWebsite } from '../websites/use-cases.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { ImportOverlap } from './errors.ts';
import { type Import, type ImportCounts, type ImportFormat, NO_IMPORT_COUNTS } from './import.ts';
import type { ImportFiles } from './import-content.ts';
import { createImportPlaces, type ImportPlaces } from './import-places.ts';
import { addImport, type ImportDependencies, type ImportOptions, previewImport, runImport } from './run-import.ts';

/** How long a request waits for its import to end, in milliseconds. */
const FIRST_RESULT_MS = 2_000;
/** How long a file is read for a preview: a connection without traffic ends after 20 s. */
const PREVIEW_MS = 10_000;
/** How many files are read for previews at the same time; further ones wait. */
const MAX_PREVIEWS = 2;

/** A file to import. */
export interface FileToImport {
  readonly path: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface FileImportOptions extends ImportOptions {
  readonly format: ImportFormat | 'auto';
  /** Of times without an offset; UTC by default. */
  readonly timeZone?: string | undefined;
}

/** Imports files in the background of this process. */
export interface Importer {
  /** Where each file has a place before it is received. */
  readonly places: ImportPlaces;

  /**
   * Begins to import a file. Waits a moment, so that the result of a small file is in the response.
   *
   * @param onEnd called once the file is no longer needed, whatever happens
   * @returns the import; an earlier one if the file is imported already
   * @throws DomainError `not_found`, {@link InvalidFile} if its format is unknown, {@link ImportOverlap} if another import
   * covers one of its days and this is found in time; then no import is added
   */
  start(
    author: Authored,
    website: WebsiteKey,
    file: FileToImport,
    options: FileImportOptions,
    onEnd: () => Promise<void>,
  ): Promise<{ readonly imported: Import; readonly isNew: boolean }>;

  /** Reads a file for some seconds as an import would, and stores nothing; the share of its counts says how far it got. */
  preview(
    website: WebsiteKey,
    file: Pick<FileToImport, 'path'>,
    options: FileImportOptions,
  ): Promise<{ readonly format: ImportFormat; readonly counts: ImportCounts }>;

  /** Ends the running imports; nothing of them counts. */
  close(): Promise<void>;
}

export interface ImporterDependencies extends ImportDependencies {
  readonly importFiles: ImportFiles;
  /** Called with the error of an import that failed for no fault of its file. */
  readonly onImportError?: (error: unknown) => void;
}

/** An importer whose imports run in this process. If the process dies, `endAbandonedImport` ends them later. */
export function createImporter(deps: ImporterDependencies): Importer {
  const closing = new AbortController();
  // Every import that waits listens.
  setMaxListeners(0, closing.signal);
  const previews = createTurns(MAX_PREVIEWS);
  const runs = new Set<Promise<unknown>>();
  const { onImportError = () => {} } = deps;

  const open = async ({ accountId, websiteId }: WebsiteKey, path: string, options: FileImportOptions) => {
    const website = await showWebsite(deps, wholeAccount(accountId), websiteId);
    return deps.importFiles.open(path, { format: options.format, zone: options.timeZone, url: website.url });
  };

  return {
    places: createImportPlaces(),

    async start({ author }, website, file, options, onEnd) {
      let run: Promise<Import | undefined> | undefined;
      try {
        const content = await open(website, file.path, options);
        const { imported, isNew } = await addImport({ ...deps, author }, website, content, file.sha256);
        if (!isNew) return { imported, isNew };
        run = runImport(deps, website, imported, content, options, { signal: closing.signal })
          .catch((error: unknown) => {
            onImportError(error);
            return deps.imports.find(website, imported.id).catch(() => undefined);
          })
          .finally(onEnd);
        const tracked: Promise<unknown> = run.finally(() => runs.delete(tracked));
        runs.add(tracked);
        const ended = await Promise.race([run, sleep(FIRST_RESULT_MS, undefined, { ref: false })]);
        const { existingId, detail, text } = ended?.problem ?? {};
        if (existingId !== undefined && detail !== undefined && text !== undefined) {
          await deps.staging.remove(imported.id, deps.now(), UNRECORDED);
          throw new ImportOverlap(existingId, detail, text);
        }
        return { imported: ended ?? (await deps.imports.find(website, imported.id)) ?? imported, isNew };
      } finally {
        if (run === undefined) await onEnd();
      }
    },

    preview: (website, file, options) =>
      previews(async () => {
        const content = await open(website, file.path, options);
        const limit = AbortSignal.timeout(PREVIEW_MS);
        let counts = NO_IMPORT_COUNTS;
        const run = {
          signal: AbortSignal.any([closing.signal, limit]),
          onProgress: (progress: ImportCounts) => {
            counts = progress;
          },
        };
        try {
          counts = await previewImport(deps, website, content, options, run);
        } catch (error) {
          if (!limit.aborted || closing.signal.aborted) throw error;
        }
        return { format: content.format, counts };
      }),

    async close() {
      closing.abort();
      await Promise.all(runs);
    },
  };
}
