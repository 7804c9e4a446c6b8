import { DomainError } from '../base/errors.ts';
import type { StoredText } from '../base/stored-text.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Coverage } from './coverage.ts';

/** How many reports a website has at most, and for how long each is kept, in milliseconds. */
export const KEPT_REPORTS = 5;
export const REPORT_KEPT_MS = 90 * 24 * 60 * 60 * 1_000;
/** How long a log waits and is read at most, in milliseconds. */
export const COVERAGE_LIMIT_MS = 30 * 60 * 1_000;

/** Why a log was not compared. */
export interface CoverageProblem {
  readonly code: 'invalid_file' | 'precondition_failed' | 'interrupted' | 'failed';
  /** A sentence for the website's owner, in English. */
  readonly detail: string;
  /** The sentence as pages tell it, where it is of a file; absent of reports of earlier versions. */
  readonly text?: StoredText;
}

/** The coverage that an uploaded log has shown; without a result or a problem while the log is read. */
export interface CoverageReport {
  /** UUIDv7. */
  readonly id: string;
  readonly createdAt: Date;
  readonly coverage: Coverage | null;
  readonly problem: CoverageProblem | null;
}

/**
 * Stores the reports of websites, which go with their website. Methods accept any string as an id, copy objects in and out, and
 * reject with a `DomainError` of code `unavailable` while the database is away.
 */
export interface CoverageRepository {
  /** Adds a report, and deletes all but the last {@link KEPT_REPORTS}. Returns `false` if there is no such website. */
  insert(website: WebsiteKey, report: CoverageReport): Promise<boolean>;

  /** Stores the result of a report that is still there. */
  end(id: string, result: Pick<CoverageReport, 'coverage' | 'problem'>): Promise<void>;

  /** The reports of the website, the last one first; `undefined` if there is no such website. */
  list(website: WebsiteKey): Promise<CoverageReport[] | undefined>;

  /** Deletes the reports from before `time`. */
  deleteBefore(time: Date): Promise<void>;
}

interface CoverageReports {
  readonly coverages: Pick<CoverageRepository, 'list'>;
  readonly now: () => Date;
}

export const INTERRUPTED: CoverageProblem = {
  code: 'interrupted',
  detail: 'The log was not read to its end, because it took too long or the program stopped: upload it again.',
};

/** The reports of a website, the last one first. Rejects with `not_found` where there is no such website. */
export async function listCoverage(
  { coverages, now }: CoverageReports,
  website: WebsiteKey,
): Promise<CoverageReport[]> {
  const all = await coverages.list(website);
  if (all === undefined) throw notFound();
  // Its process has died.
  const isLost = ({ coverage, problem, createdAt }: CoverageReport) =>
    coverage === null && problem === null && now().getTime() - createdAt.getTime() > COVERAGE_LIMIT_MS;
  return all.map((report) => (isLost(report) ? { ...report, problem: INTERRUPTED } : report));
}

/** A report of a website. Rejects with `not_found`. */
export async function showCoverage(deps: CoverageReports, website: WebsiteKey, id: string): Promise<CoverageReport> {
  const found = (await listCoverage(deps, website)).find((report) => report.id === id);
  if (found === undefined) throw notFound();
  return found;
}

export function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such report.');
}
