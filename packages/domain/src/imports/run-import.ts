import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../base/errors.ts';
import { isUnavailable } from '../base/outage.ts';
import { inEnglish, storedText, withoutText } from '../base/stored-text.ts';
import type { Day, Period } from '../calendar/days.ts';
import type { TimeZone } from '../calendar/time-zone.ts';
import { type Authored, makeEntry } from '../changes/entry.ts';
import type { HitLookups } from '../hits/hit.ts';
import type { SaltRepository } from '../hits/salts.ts';
import type { SeriesPoint } from '../visits/totals.ts';
import { wholeAccount } from '../websites/reach.ts';
import { showWebsite } from '../websites/use-cases.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { ImportOverlap, InvalidFile } from './errors.ts';
import { type Import, type ImportCounts, type ImportFormat, type ImportProblem, NO_IMPORT_COUNTS } from './import.ts';
import type { ImportContent } from './import-content.ts';
import type { ImportEvent } from './import-event.ts';
import type { ImportRepository } from './import-repository.ts';
import type { ImportStaging } from './import-staging.ts';
import type { LogRepository } from './logs/logs.ts';
import { LogConflict } from './logs/read-log.ts';
import { openContent } from './open-content.ts';
import { createPipelinedWriter } from './pipelined-writer.ts';
import type { ContentReader } from './read-rows.ts';

/** How often a running import reports, in milliseconds. */
const REPORT_MS = 2_000;
/** How often an import that waits for others tries to begin. */
const WAIT_MS = 1_000;

export interface ImportDependencies {
  readonly staging: ImportStaging;
  /** The numbers of a website that were counted so far. */
  readonly statistics: {
    firstDay(websiteId: string): Promise<Day | undefined>;
    series(
      query: Period & { readonly websiteId: string; readonly filters: readonly never[] },
      interval: 'day',
    ): Promise<readonly SeriesPoint[]>;
  };
  readonly imports: ImportRepository;
  readonly websites: WebsiteRepository;
  readonly logs: Pick<LogRepository, 'checkpoint' | 'checkpoints'>;
  readonly salts: SaltRepository;
  readonly lookups: HitLookups;
  /** Of websites without their own. */
  readonly zone: TimeZone;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface ImportOptions {
  /** The last day to import; all by default. */
  readonly until?: Day | undefined;
  /** Whether more than 1 % of the rows may be faulty. */
  readonly keepGoing?: boolean;
}

/** How far an import is; it waits while others are running. */
export type ImportProgress = ImportCounts & { readonly waits: boolean };

/** A run of an import. */
export interface ImportRun {
  /** Cancels the import: then none of it is imported. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Adds an import that runs; {@link runImport} does the work.
 *
 * @returns the import, which is an earlier one if the file is imported already
 * @throws DomainError `not_found` if the account has no such website
 */
export async function addImport(
  deps: ImportDependencies & Authored,
  website: WebsiteKey,
  { format }: { readonly format: ImportFormat },
  sha256: string,
): Promise<{ readonly imported: Import; readonly isNew: boolean }> {
  const { id: websiteId } = await showWebsite(deps, wholeAccount(website.accountId), website.websiteId);
  // A file whose import was interrupted can be sent again.
  while (await endAbandonedImport(deps));
  const imported: Import = {
    ...NO_IMPORT_COUNTS,
    id: deps.newId(),
    websiteId,
    format,
    sha256,
    status: 'running',
    problem: null,
    createdAt: deps.now(),
  };
  const subject = { id: imported.id, name: format };
  const { accountId } = website;
  const entry = makeEntry(deps, { accountId, action: 'import.created', websiteId, subject, changes: [] });
  const earlier = await deps.imports.insert(website, imported, { entry });
  return earlier === undefined ? { imported, isNew: true } : { imported: earlier, isNew: false };
}

/**
 * Reads the file of an added import. All of it counts once this resolves to a done import; nothing does if it fails. The
 * problem of a failed import is in the result.
 */
export function runImport(
  deps: ImportDependencies,
  website: WebsiteKey,
  imported: Import,
  content: ImportContent,
  options: ImportOptions,
  run: ImportRun,
): Promise<Import> {
  return runReader(deps, website, imported, run, async () => {
    await waitForTurn(deps, imported.id, run);
    const { writerOf, finishAfter } = createPipelinedWriter();
    const { counts, read } = await openContent(deps, website, content, options, run.signal, {
      hits: writerOf((hits) => deps.staging.stage(imported.id, hits)),
      sums: writerOf((sums) => deps.staging.stageSums(imported.id, sums)),
      crawled: writerOf((crawled) => deps.imports.stageCrawlers(imported.id, crawled)),
    });
    return { counts, read: () => finishAfter(read) };
  });
}

/** As {@link runImport}, with a reader of the content. */
export async function runReader(
  deps: ImportDependencies,
  website: WebsiteKey,
  imported: Import,
  { signal, onProgress = () => {} }: ImportRun,
  open: () => Promise<ContentReader>,
): Promise<Import> {
  const { id } = imported;
  let reader: ContentReader | undefined;
  const ended = new AbortController();
  const reporting = reportWhile(ended.signal, async () => {
    if (reader === undefined) return;
    await deps.imports.report(id, reader.counts(), deps.now());
    onProgress({ ...reader.counts(), waits: false });
  });
  try {
    reader = await open();
    const read = await reader.read();
    const counts = { ...reader.counts(), share: 1 };
    const done: Import = { ...imported, ...counts, status: 'done' };
    const event = await finished(deps, website, done);
    if (!(await deps.staging.publish(id, counts, deps.now(), event, read))) throw gone();
    onProgress({ ...counts, waits: false });
    return done;
  } catch (error) {
    const problem = problemOf(error, signal);
    const counts = reader?.counts() ?? NO_IMPORT_COUNTS;
    const failed: Import = { ...imported, ...counts, status: 'failed', problem };
    await endFailed(deps, website, failed, problem).catch((cause: unknown) => {
      // If the database is away, the import ends as one that is abandoned.
      if (!isUnavailable(cause)) throw cause;
    });
    if (problem.code === 'failed') throw error;
    return failed;
  } finally {
    ended.abort();
    await reporting;
  }
}

/** The event that an import has ended; `undefined` if its website has since been deleted. */
async function finished(
  { websites, now }: Pick<ImportDependencies, 'websites' | 'now'>,
  { accountId, websiteId }: WebsiteKey,
  ended: Import,
): Promise<ImportEvent | undefined> {
  const website = await websites.find(wholeAccount(accountId), websiteId);
  if (website === undefined) return undefined;
  const { id, format, status, from, to, hits, days, rows, share, skipped, problem, createdAt } = ended;
  const data = {
    website: { id: website.id, url: website.url },
    import: {
      ...{ id, format, status, from, to, hits, days, rows },
      share: Math.round(share * 1_000) / 1_000,
      skipped: skipped.map(withoutText),
      problem: problem && withoutText(problem),
      createdAt: createdAt.toISOString(),
    },
  };
  return { type: 'import.finished', at: now(), accountId, websiteId: website.id, data };
}

/** Reads a file as {@link runImport} does, and stores nothing. */
export async function previewImport(
  deps: ImportDependencies,
  website: WebsiteKey,
  content: ImportContent,
  options: ImportOptions,
  { signal, onProgress = () => {} }: ImportRun,
): Promise<ImportCounts> {
  const report = async () => onProgress({ ...reader.counts(), waits: false });
  const target = { hits: report, sums: report, crawled: async () => {} };
  const reader = await openContent(deps, website, content, options, signal, target);
  await reader.read();
  return { ...reader.counts(), share: 1 };
}

/** Ends imports whose process has died. Returns whether more may be left. */
export async function endAbandonedImport(
  deps: Pick<ImportDependencies, 'imports' | 'staging' | 'websites' | 'now'>,
): Promise<boolean> {
  const abandoned = await deps.imports.findAbandoned(deps.now());
  if (abandoned === undefined) return false;
  const { accountId, imported } = abandoned;
  const failed: Import = { ...imported, status: 'failed', problem: INTERRUPTED };
  await endFailed(deps, { accountId, websiteId: imported.websiteId }, failed, INTERRUPTED);
  return true;
}

const INTERRUPTED = told('interrupted', 'interrupted');
const FAILED = told('failed', 'failed');

function told(code: ImportProblem['code'], name: 'interrupted' | 'failed'): ImportProblem {
  const text = storedText(name);
  return { code, detail: inEnglish(text), text };
}

/** Ends an import, unless it does not run any more. */
async function endFailed(
  deps: Pick<ImportDependencies, 'imports' | 'staging' | 'websites' | 'now'>,
  website: WebsiteKey,
  failed: Import,
  problem: ImportProblem,
): Promise<void> {
  const event = await finished(deps, website, failed);
  // First: while it runs, a restarted hand-over could still publish it.
  if (await deps.imports.fail(failed.id, problem, failed, event)) await deps.staging.discard(failed.id);
}

/** Waits until the import may read its file. */
export async function waitForTurn(
  { imports, now }: Pick<ImportDependencies, 'imports' | 'now'>,
  id: string,
  { signal, onProgress = () => {} }: ImportRun,
  turn: 'own' | 'shared' = 'own',
): Promise<void> {
  for (;;) {
    const answer = await imports.begin(id, now(), turn);
    if (answer === 'begun') return;
    if (answer === 'gone') throw gone();
    onProgress({ ...NO_IMPORT_COUNTS, waits: true });
    await sleep(WAIT_MS, undefined, { signal, ref: true });
  }
}

async function reportWhile(signal: AbortSignal, report: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await sleep(REPORT_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    // One that fails is made up for by the next; the lease outlasts several.
    await report().catch(() => {});
  }
}

function problemOf(error: unknown, signal: AbortSignal): ImportProblem {
  if (signal.aborted) return INTERRUPTED;
  if (error instanceof ImportOverlap) {
    const { message: detail, existingId, text } = error;
    return { code: 'import_overlap', detail, existingId, text };
  }
  if (error instanceof LogConflict) return { ...INTERRUPTED, detail: error.message };
  if (error instanceof InvalidFile) {
    const { message: detail, text } = error;
    return { code: 'invalid_file', detail, ...(text === undefined ? {} : { text }) };
  }
  if (error instanceof DomainError && error.code === 'not_found') return INTERRUPTED;
  if (isUnavailable(error)) {
    const { message } = error;
    const detail = `${message} Nothing was imported. Import it again once that has changed.`;
    return { code: 'failed', detail, text: storedText('unavailable') };
  }
  return FAILED;
}

function gone(): DomainError {
  return new DomainError('not_found', 'The import was deleted while it ran.');
}
