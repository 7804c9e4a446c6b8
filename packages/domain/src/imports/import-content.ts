import type { StoredText } from '../base/stored-text.ts';
import type { Day } from '../calendar/days.ts';
import type { Dimension } from '../hits/dimensions.ts';
import type { HitDetails } from '../hits/hit.ts';
import type { HitInput } from '../hits/read-hit.ts';
import type { SumKind } from '../visits/day-sum.ts';
import type { Totals } from '../visits/totals.ts';
import type { ACCESS_LOG, ImportFormat } from './import.ts';
import type { OpenLogs } from './logs/log-files.ts';

/** A hit of a row, not yet checked. */
export type RowHit = Omit<HitInput, 'time'> & { readonly time: Date };

/** Where a row is: its number in a file, or its id in a database. */
export interface RowPlace {
  /** The file in a ZIP. */
  readonly file?: string;
  /** Counted from 1, as visits and actions are. */
  readonly line?: number;
  readonly visit?: number;
  /** Within the line or visit. */
  readonly action?: number;
  readonly event?: string;
}

/** A row of a file: a hit, or why it is none. */
export interface ImportRow extends RowPlace {
  readonly hit?: RowHit;
  /** Values of the hit in the file; they replace values from its address, agent and referrer. */
  readonly stated?: Partial<HitDetails>;
  /** The day that the file counts the hit on, if it is not the day of its time in the website's zone. */
  readonly day?: Day;
  /** Of a row without a hit: it is faulty, or of a kind that is not counted. */
  readonly skipped?: { readonly reason: 'faulty' | 'not_counted'; readonly text: StoredText };
}

/** The rows of a file, read as a stream. */
export interface RowContent {
  readonly format: Exclude<ImportFormat, typeof ACCESS_LOG | 'plausible' | 'fathom'>;
  /**
   * The rows in the pieces in which they were read, some of them empty: between pieces, reading can be aborted. Throws
   * {@link InvalidFile} if the file is damaged, or not of its format. It is read once.
   */
  rows(): AsyncIterable<Iterable<ImportRow>>;
  /** The share of the file that has been read, from 0 to 1. */
  share(): number;
}

/** The lines of a file that is an access log. */
export interface LogContent {
  readonly format: typeof ACCESS_LOG;
  /** The same for the file when it has grown. */
  readonly name: string;
  open(): Promise<OpenLogs>;
}

/** A row of a file of sums: numbers of a day, or why they do not count. */
export interface SumRow extends RowPlace {
  /** The rows of a table and day come together. */
  readonly table: string;
  readonly day: Day;
  /** The numbers by the kinds and values that they are of. Rows with the kind `total` come before others of their day. */
  readonly sums: readonly { readonly kind: SumKind; readonly value: string | null; readonly numbers: Totals }[];
  readonly skipped?: ImportRow['skipped'];
}

/** Sums of days, read as a stream. */
export interface SumContent {
  readonly format: 'plausible' | 'fathom' | 'goatcounter';
  /** The dimensions that the file has. */
  readonly dimensions: readonly Dimension[];
  /** As `rows`. */
  sumRows(): AsyncIterable<Iterable<SumRow>>;
  share(): number;
}

/** The content of a file: hits, lines of an access log, or sums of days. */
export type ImportContent = RowContent | LogContent | SumContent;

/** How a file is read. */
export interface ImportFileOptions {
  readonly format: ImportFormat | 'auto';
  /** The zone of times without an offset; UTC by default. */
  readonly zone?: string | undefined;
  /** Of the website, for files that have no hosts. */
  readonly url: string;
}

/** Opens files. */
export interface ImportFiles {
  /** Recognizes the format of a file. Throws {@link InvalidFile} if it is of none, or of another than wanted. */
  open(path: string, options: ImportFileOptions): Promise<ImportContent>;
}
