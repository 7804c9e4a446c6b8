import type { StoredText } from '../base/stored-text.ts';
import type { Day } from '../calendar/days.ts';
import type { Dimension } from '../hits/dimensions.ts';
import { DROP_REASONS, type DropReason } from '../hits/hit.ts';
import { REQUEST_REASONS, type RequestReason } from './logs/judge-request.ts';
import type { LogCheckpoint } from './logs/logs.ts';

/** The formats of files (imports.md, "Formats"), and the products that they are from, as their makers write them. */
export const IMPORT_FORMAT_NAMES = {
  hitherto: 'Hitherto',
  umami: 'Umami',
  goatcounter: 'GoatCounter',
  'simple-analytics': 'Simple Analytics',
  matomo: 'Matomo',
  'access-log': 'access logs',
  plausible: 'Plausible',
  fathom: 'Fathom',
} as const;
export type ImportFormat = keyof typeof IMPORT_FORMAT_NAMES;
export const IMPORT_FORMATS = Object.keys(IMPORT_FORMAT_NAMES) as ImportFormat[];

/** The format of access logs. Imports of it may cover the same days. */
export const ACCESS_LOG = 'access-log' satisfies ImportFormat;

/**
 * Why rows are left out: the rules that drop hits and requests, and the row itself is faulty, is not a pageview or event, is of a
 * day after `until`, or of a day on or after the first one that was collected here. Lines of logs may also have been read before,
 * or have a time in the future.
 */
export const SKIP_REASONS = [
  ...DROP_REASONS,
  'faulty',
  'not_counted',
  'after_until',
  'collected_here',
  ...REQUEST_REASONS,
  'earlier',
  'future',
] as const;
export type SkipReason =
  | DropReason
  | RequestReason
  | 'faulty'
  | 'not_counted'
  | 'after_until'
  | 'collected_here'
  | 'earlier'
  | 'future';

/** Rows that are left out for one reason, and the first of them. */
export interface SkippedRows {
  readonly reason: SkipReason;
  readonly rows: number;
  /** Where the first one is, and why it is left out, in English. */
  readonly example: string;
  /** The example as pages tell it; absent of imports of earlier versions. */
  readonly text?: StoredText;
}

/** Why an import failed. */
export interface ImportProblem {
  readonly code: 'invalid_file' | 'too_many_faults' | 'import_overlap' | 'interrupted' | 'failed';
  /** A sentence for the website's owner, in English. It names the place in the file. */
  readonly detail: string;
  /** The sentence as pages tell it; absent of imports of earlier versions, and of databases. */
  readonly text?: StoredText;
  /** The other import that covers the same days. */
  readonly existingId?: string;
}

/** How far an import is, and the result once it is done. */
export interface ImportCounts {
  /** The first and the last day with a hit; `null` without any. */
  readonly from: Day | null;
  readonly to: Day | null;
  /** Counted hits; of sums of days, their pageviews and events. */
  readonly hits: number;
  /** Days with a hit. */
  readonly days: number;
  /** Rows that were read. */
  readonly rows: number;
  /** The share of the file that was read, from 0 to 1. */
  readonly share: number;
  readonly skipped: readonly SkippedRows[];
  /** Sentences on the file as a whole, in English. */
  readonly notes?: readonly string[];
  /** The notes as pages tell them; absent of imports of earlier versions. */
  readonly noteTexts?: readonly StoredText[];
  /** Of sums of days: the dimensions that they have. Absent of hits, which have all. */
  readonly sums?: readonly Dimension[];
}

/** The counts of an import that has read nothing yet. */
export const NO_IMPORT_COUNTS: ImportCounts = {
  from: null,
  to: null,
  hits: 0,
  days: 0,
  rows: 0,
  share: 0,
  skipped: [],
};

/** A file of another product, or an export, that adds to the statistics of a website. */
export interface Import extends ImportCounts {
  /** UUIDv7. */
  readonly id: string;
  readonly websiteId: string;
  readonly format: ImportFormat;
  /** The SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** It counts only once it is done. */
  readonly status: 'running' | 'done' | 'failed';
  /** Set of a running import that waits for others to end, and has read no rows. */
  readonly waits?: true;
  /** Set of a failed one. */
  readonly problem: ImportProblem | null;
  readonly createdAt: Date;
}

/** The records of an import of access logs in addition to its hits. */
export interface ImportedLogs {
  readonly logs: readonly ReadLog[];
  /** Whether its days may have another origin as well. */
  readonly also: boolean;
}

/** A log that an import has read, from one place to another. */
export interface ReadLog {
  readonly log: string;
  /** `undefined` for a log that was new. */
  readonly from: LogCheckpoint | undefined;
  readonly to: LogCheckpoint;
}
