import type { Day, Period } from '../calendar/days.ts';
import type { Change } from '../changes/change.ts';
import type { CrawlerHits } from '../hits/crawlers.ts';
import type { Dimension } from '../hits/dimensions.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Import, ImportCounts, ImportFormat, ImportProblem } from './import.ts';
import type { ImportEvent } from './import-event.ts';

/** How many imports of an installation read their files at the same time, one of each account; further ones wait. */
export const MAX_RUNNING_IMPORTS = 2;

/** A process that runs an import has to report within this time, in milliseconds; otherwise the import is abandoned. */
export const IMPORT_LEASE_MS = 20_000;

/** A day of an import that is done. */
export interface ImportedDay {
  readonly day: Day;
  readonly importId: string;
  readonly format: ImportFormat;
  /** Of sums of days: the dimensions that they have. */
  readonly sums?: readonly Dimension[];
}

/**
 * Stores the imports of websites; they are deleted with their website. Methods accept any string as an id, copy objects in and
 * out, and reject with a `DomainError` of code `unavailable` while the database is away. The staged hits of an import are the
 * engine's (`ImportStaging`), which also records that an import is done or deleted.
 */
export interface ImportRepository {
  /**
   * Adds a running import, unless one of the same website and file is running or done.
   *
   * @returns the earlier import, or `undefined` where this one was added
   * @throws DomainError `not_found` if there is no such website
   */
  insert(website: WebsiteKey, added: Import, change: Change): Promise<Import | undefined>;

  /** All imports of the website, the oldest first; `undefined` if there is no such website. */
  list(website: WebsiteKey): Promise<Import[] | undefined>;

  /** The oldest done imports of all websites, at most `limit`, oldest first, with the urls of their websites. */
  listDone(limit: number): Promise<{ readonly url: string; readonly imported: Import }[]>;

  /** The import with this id of the website, or `undefined` if there is none. */
  find(website: WebsiteKey, id: string): Promise<Import | undefined>;

  /**
   * Lets a running import read its file, unless another one of its account does, or {@link MAX_RUNNING_IMPORTS} of others do.
   * Of the accounts that wait, the one whose last import began longest ago comes first. Also renews the lease of one that waits.
   *
   * @param turn `shared` by an import that is read together with one that has begun: it does not wait, since two that wait for
   *   each other would do so for ever
   */
  begin(id: string, now: Date, turn?: 'own' | 'shared'): Promise<'begun' | 'waits' | 'gone'>;

  /** Records how far a running import is, and renews its lease. Returns `false` if it is no longer running. */
  report(id: string, counts: ImportCounts, now: Date): Promise<boolean>;

  /** Adds requests of crawlers to a running import; they count once the import is done. */
  stageCrawlers(id: string, crawled: readonly CrawlerHits[]): Promise<void>;

  /**
   * Ends a running import without a result, and records the event, both or neither; its staged hits have to be discarded.
   * Returns `false` if it does not run.
   */
  fail(id: string, problem: ImportProblem, counts: ImportCounts, event: ImportEvent | undefined): Promise<boolean>;

  /** A running import whose process has not reported for {@link IMPORT_LEASE_MS}, and its account, if there is one. */
  findAbandoned(now: Date): Promise<{ readonly imported: Import; readonly accountId: string } | undefined>;

  /** The days of the website's imports that are done, in order: in a period, or all. */
  importedDays(websiteId: string, period?: Period): Promise<ImportedDay[]>;
}
