import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../base/errors.ts';
import { createTurns } from '../base/turns.ts';
import { addDays, type Day } from '../calendar/days.ts';
import { dayOf, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import { compileSettings } from '../hits/count-hit.ts';
import type { HitLookups } from '../hits/hit.ts';
import { InvalidFile } from '../imports/errors.ts';
import { ACCESS_LOG } from '../imports/import.ts';
import type { ImportFiles, LogContent } from '../imports/import-content.ts';
import type { WebsiteDependencies } from '../websites/create-website.ts';
import { wholeAccount } from '../websites/reach.ts';
import { showWebsite } from '../websites/use-cases.ts';
import type { Website } from '../websites/website.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { type Coverage, type CoverageDependencies, compareCoverage } from './coverage.ts';
import {
  COVERAGE_LIMIT_MS,
  type CoverageProblem,
  type CoverageReport,
  type CoverageRepository,
  INTERRUPTED,
  notFound,
} from './coverage-report.ts';
import { readLogPages } from './log-pages.ts';

/** How long a request waits for the result, in milliseconds. */
const FIRST_RESULT_MS = 2_000;
/** A log is read at a time: the pages of two would be in memory together. */
const MAX_READINGS = 1;

/** Compares uploaded logs in the background of this process. */
export interface CoverageReader {
  /**
   * Begins to compare a log. Waits a moment, so that the result of a small one is in the response.
   *
   * @param days how many days count, up to today; all by default
   * @param onEnd called once the file is no longer needed, whatever happens
   * @throws DomainError `not_found`, {@link InvalidFile} if it is no log
   */
  start(
    website: WebsiteKey,
    path: string,
    days: number | undefined,
    onEnd: () => Promise<void>,
  ): Promise<CoverageReport>;

  /** Ends the comparisons that run. */
  close(): Promise<void>;
}

export interface CoverageReaderDependencies extends CoverageDependencies, Pick<WebsiteDependencies, 'websites'> {
  readonly coverages: CoverageRepository;
  readonly importFiles: ImportFiles;
  readonly lookups: HitLookups;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Called with the error of a comparison that failed for no fault of its file. */
  readonly onCoverageError?: (error: unknown) => void;
}

export function createCoverageReader(deps: CoverageReaderDependencies): CoverageReader {
  const { coverages, onCoverageError = () => {} } = deps;
  const closing = new AbortController();
  const readings = createTurns(MAX_READINGS);
  const runs = new Set<Promise<unknown>>();

  const run = async (website: Website, log: LogContent, days: number | undefined): Promise<CoverageResult> => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(COVERAGE_LIMIT_MS)]);
    try {
      return { coverage: await readings(() => compareLog(deps, website, log, days, signal)), problem: null };
    } catch (error) {
      return { coverage: null, problem: signal.aborted ? INTERRUPTED : problemOf(error, onCoverageError) };
    }
  };

  return {
    async start(key, path, days, onEnd) {
      let running: Promise<CoverageReport> | undefined;
      try {
        const website = await showWebsite(deps, wholeAccount(key.accountId), key.websiteId);
        const content = await deps.importFiles.open(path, { format: ACCESS_LOG, url: website.url });
        if (content.format !== ACCESS_LOG) throw new InvalidFile('The file is no access log.');
        const report: CoverageReport = { id: deps.newId(), createdAt: deps.now(), coverage: null, problem: null };
        if (!(await coverages.insert(key, report))) throw notFound();
        running = run(website, content, days)
          .then(async (result) => {
            // One that cannot be stored is found to be lost later.
            await coverages.end(report.id, result).catch(onCoverageError);
            return { ...report, ...result };
          })
          .finally(onEnd);
        const tracked: Promise<unknown> = running.finally(() => runs.delete(tracked));
        runs.add(tracked);
        return (await Promise.race([running, sleep(FIRST_RESULT_MS, undefined, { ref: false })])) ?? report;
      } finally {
        if (running === undefined) await onEnd();
      }
    },

    async close() {
      closing.abort();
      await Promise.all(runs);
    },
  };
}

type CoverageResult = Pick<CoverageReport, 'coverage' | 'problem'>;

async function compareLog(
  deps: CoverageReaderDependencies,
  website: Website,
  content: LogContent,
  days: number | undefined,
  signal: AbortSignal,
): Promise<Coverage> {
  signal.throwIfAborted();
  const log = await content.open();
  try {
    const today = dayOf(zoneOf(website, deps.zone), deps.now());
    const first: Day = days === undefined ? '' : addDays(today, 1 - days);
    const reading = {
      lookups: deps.lookups,
      settings: compileSettings(website, deps.zone),
      url: website.url,
      isWanted: (day: Day) => day >= first,
    };
    return await compareCoverage(deps, website.id, await readLogPages(reading, [log], () => {}, signal));
  } finally {
    await log.close();
  }
}

function problemOf(error: unknown, onError: (error: unknown) => void): CoverageProblem {
  if (error instanceof DomainError) {
    if (error.code === 'invalid_file' || error.code === 'precondition_failed') {
      const text = error instanceof InvalidFile ? error.text : undefined;
      return { code: error.code, detail: error.message, ...(text === undefined ? {} : { text }) };
    }
  }
  onError(error);
  return { code: 'failed', detail: 'The log could not be compared, because of an error that is no fault of the file.' };
}
