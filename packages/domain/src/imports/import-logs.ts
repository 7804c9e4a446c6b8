import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Authored } from '../changes/entry.ts';
import type { Website } from '../websites/website.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { ACCESS_LOG, type Import, NO_IMPORT_COUNTS } from './import.ts';
import { IMPORT_LEASE_MS } from './import-repository.ts';
import { openLogImport } from './log-import.ts';
import { logDependencies, rejectFaultyLines, shareOf } from './log-reader.ts';
import { findLogPlace } from './logs/find-place.ts';
import type { OpenLogs } from './logs/log-files.ts';
import type { LogBatch } from './logs/logs.ts';
import { LogConflict, type LogSummary, type LogWebsite, newLogSummary, readLog } from './logs/read-log.ts';
import { createPipelinedWriter } from './pipelined-writer.ts';
import { addImport, type ImportDependencies, type ImportRun, runReader, waitForTurn } from './run-import.ts';

/** How often a reading looks whether another one has ended. */
const WAIT_MS = 1_000;

/** A website that lines may be of. */
export interface WebsiteOfLog {
  readonly key: WebsiteKey;
  readonly website: Website;
}

/** Logs, and the websites that their lines belong to. */
export interface LogsToImport {
  /** By their names. */
  readonly logs: ReadonlyMap<string, OpenLogs>;
  /** The website of a line by its host, if it names one. */
  readonly find: (host: string | undefined) => WebsiteOfLog | undefined | Promise<WebsiteOfLog | undefined>;
  /** The website of all lines: logs are read from the end of its last reading on. Without it, from their beginning. */
  readonly websiteId?: string | undefined;
  /** Whether days may have another origin as well. */
  readonly also: boolean;
  /** Whether more than 1 % of the lines may be unreadable. */
  readonly keepGoing: boolean;
}

/** The imports, and the summary of the lines of each website. */
export interface ImportedFromLogs {
  /** One of each website with new lines; some may have failed. */
  readonly imports: readonly Import[];
  /** Of each website, and of the lines without one. */
  readonly summaries: readonly LogSummary[];
}

/**
 * Imports logs into the websites that their lines are of: each gets an import, which counts once all logs are read. Lines that
 * were read before do not count.
 *
 * @throws InvalidFile, ImportOverlap, LogConflict and others; then nothing counts
 */
export async function importLogs(
  deps: ImportDependencies & Authored,
  { logs, find, websiteId, also, keepGoing }: LogsToImport,
  run: ImportRun,
): Promise<ImportedFromLogs> {
  const websites = new Map<string, ReturnType<typeof openWebsite>>();
  const unknown = newLogSummary();
  const summaries = new Set<LogSummary>();
  const share = () => shareOf([...logs.values()]);
  let isFirst = true;

  /** The first website reports for all. */
  const progress = (): ImportRun =>
    isFirst
      ? { signal: run.signal, onProgress: (counts) => run.onProgress?.({ ...counts, rows: lines() }) }
      : { signal: run.signal };
  const lines = () => [unknown, ...summaries].reduce((sum, summary) => sum + summary.lines, 0);

  const takeTurn = async (imported: Import) => {
    // Further imports of this reading share the turn of the first one.
    const turn = isFirst ? 'own' : 'shared';
    await waitForTurn(deps, imported.id, run, turn);
    isFirst = false;
  };

  const use = (found: WebsiteOfLog | undefined) => {
    if (found === undefined) return undefined;
    const known = websites.get(found.website.id) ?? openWebsite(deps, found, also, { run, progress, share, takeTurn });
    websites.set(found.website.id, known);
    return known;
  };

  const opened = new Map<WebsiteOfLog, LogWebsite>();
  const findWebsite = (host: string | undefined) => {
    const found = find(host);
    if (found === undefined) return undefined;
    if (!(found instanceof Promise)) {
      const known = opened.get(found);
      if (known !== undefined) return known;
    }
    return (async () => {
      const entry = await found;
      const website = (await use(entry))?.website;
      if (entry === undefined || website === undefined) return undefined;
      summaries.add(website.summary);
      opened.set(entry, website);
      return website;
    })();
  };

  try {
    for (const [name, log] of logs) {
      const { files } = log;
      const place = websiteId === undefined ? undefined : await findLogPlace(deps.logs, websiteId, { name, files });
      const reading = { ...logDependencies(deps), find: findWebsite, summary: unknown };
      await readLog(reading, { ...log, name, from: place?.checkpoint }, run.signal);
    }
    const all = [unknown, ...summaries];
    if (!keepGoing) rejectFaultyLines(all);
    const imports: Import[] = [];
    for (const website of websites.values()) {
      const ended = await (await website).publish();
      if (ended !== undefined) imports.push(ended);
    }
    return { imports, summaries: all };
  } catch (error) {
    const all = await Promise.allSettled(websites.values());
    await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.fail(error) : undefined)));
    throw error;
  }
}

/** What the websites share whose lines are read from the same logs. */
interface SharedReading {
  readonly run: ImportRun;
  /** How the next import reports. */
  progress(): ImportRun;
  /** How much of all logs has been read, from 0 to 1. */
  share(): number;
  takeTurn(imported: Import): Promise<void>;
}

/** A website whose import begins with its first new lines. */
async function openWebsite(
  deps: ImportDependencies & Authored,
  { key, website }: WebsiteOfLog,
  also: boolean,
  { run, progress, share, takeTurn }: SharedReading,
) {
  let started: { readonly id: string; readonly ended: Promise<Import> } | undefined;
  let publish = () => {};
  let fail = (_: unknown) => {};
  const isRead = new Promise<void>((resolve, reject) => {
    [publish, fail] = [resolve, reject];
  });

  // Handled where it is awaited.
  isRead.catch(() => {});
  const { writerOf, finishAfter } = createPipelinedWriter();
  const content = await openLogImport(
    deps,
    website,
    { also },
    {
      hits: writerOf((hits) => deps.staging.stage(started?.id ?? '', hits)),
      crawled: writerOf((crawled) => deps.imports.stageCrawlers(started?.id ?? '', crawled)),
    },
  );

  async function start({ log, from }: LogBatch): Promise<void> {
    // Two readings from the same place have the same hash, and the second one waits for the end of the first.
    const place = createHash('sha256')
      .update(JSON.stringify([log, from]))
      .digest('hex');
    const imported = await addOnce(deps, key, place, run);
    if (imported === undefined) throw new LogConflict(log);
    const ended = runReader(deps, key, imported, progress(), async () => ({
      counts: () => content.counts(share()),
      read: () => finishAfter(() => isRead.then(content.read)),
    }));
    ended.catch(() => {});
    started = { id: imported.id, ended };
    await takeTurn(imported);
  }

  const { logs } = content.website;
  return {
    website: {
      ...content.website,
      logs: {
        ...logs,
        async add(batch: LogBatch) {
          if (started === undefined) await start(batch);
          return logs.add(batch);
        },
      },
    } satisfies LogWebsite,

    /** Lets the import count, if there is one. */
    async publish(): Promise<Import | undefined> {
      publish();
      return started?.ended;
    },

    async fail(error: unknown): Promise<void> {
      if (started === undefined) return;
      fail(error);
      await started.ended.catch(() => {});
    },
  };
}

/** Adds an import, also in place of one whose process has died; `undefined` if another one reads from the same place. */
async function addOnce(
  deps: ImportDependencies & Authored,
  key: WebsiteKey,
  place: string,
  { signal, onProgress = () => {} }: ImportRun,
): Promise<Import | undefined> {
  const until = performance.now() + 2 * IMPORT_LEASE_MS;
  for (;;) {
    const { imported, isNew } = await addImport(deps, key, { format: ACCESS_LOG }, place);
    if (isNew) return imported;
    if (imported.status !== 'running' || performance.now() > until) return undefined;
    onProgress({ ...NO_IMPORT_COUNTS, waits: true });
    await sleep(WAIT_MS, undefined, { signal });
  }
}
