import type { Website } from '../website/website.ts';

/** A report that this process alone may send until the lease ends. */
export interface ClaimedReport {
  readonly website: Pick<Website, 'id' | 'url'>;
  /** The name of the week. */
  readonly week: string;
  /** The address of the account. */
  readonly to: string;
  /** How many tries have failed. */
  readonly failures: number;
  /** When another process may claim it; it also tells this claim from later ones. */
  readonly leasedUntil: Date;
}

/** A report that was given up. */
export interface ReportFailure {
  /** The name of the week. */
  readonly week: string;
  /** What went wrong at the last try, such as the response of the mail server; at most 500 characters. */
  readonly detail: string;
  readonly at: Date;
}

/** A report that was given up because its week is too old. */
export interface ExpiredReport {
  readonly websiteId: string;
  /** The name of the week. */
  readonly week: string;
  readonly detail: string;
}

/**
 * Records each weekly report before it is sent, once per website and week, among any number of instances (statistics.md,
 * section 9). Reports go with their website. A website gets reports while its `emailReports` is on and its account has an
 * address; about a week that ended at `end`, only if both began before. Every method rejects with a `DomainError` of code
 * `unavailable` while the database is unreachable.
 */
export interface ReportOutbox {
  /** Records the reports about a week of websites that get one, a bounded number at a time; returns how many are new. */
  record(week: string, end: Date, now: Date): Promise<number>;

  /**
   * Claims a report about the week that is due at `now`, the one due longest first, until `leasedUntil`. Reports that their
   * website does not get any more are dropped.
   */
  claim(week: string, end: Date, now: Date, leasedUntil: Date): Promise<ClaimedReport | undefined>;

  /** Records that a report was sent, or that there was nothing to report; final, even if the lease has ended. */
  finish(report: ClaimedReport, outcome: 'sent' | 'skipped'): Promise<void>;

  /** Records a failed try and when the next is due; without `retryAt` the report is given up. Void if the lease was lost. */
  fail(report: ClaimedReport, detail: string, at: Date, retryAt: Date | undefined): Promise<void>;

  /**
   * Ends what is due at `now` of weeks before `week`: what has failed is given up, the rest is dropped. Returns what was
   * given up.
   */
  expire(week: string, now: Date): Promise<ExpiredReport[]>;

  /** Deletes the records of weeks before `week`; returns how many. */
  deleteBefore(week: string): Promise<number>;

  /** The failure of the website's latest report that was sent or given up, if it is one. Any text is accepted as an id. */
  latestFailure(websiteId: string): Promise<ReportFailure | undefined>;
}
