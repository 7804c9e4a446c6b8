import type { Website } from '../website/website.ts';

/** Where the report about a website goes. */
export interface ReportRecipient {
  readonly website: Pick<Website, 'id' | 'url'>;
  /** The address of the account. */
  readonly to: string;
}

/**
 * Records weekly reports as tasks of the kind `report`, whose keys are the names of weeks (statistics.md, section 9). A website
 * gets reports while its `emailReports` is on and its account has an address; about a week that ended at `end`, only if both
 * began before. Every method rejects with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface ReportOutbox {
  /** Records the reports about a week that are due now, a bounded number at a time; returns how many are new. */
  record(week: string, end: Date, now: Date): Promise<number>;

  /** Where the report about a week that ended at `end` goes; `undefined` if the website gets none. */
  findRecipient(websiteId: string, end: Date): Promise<ReportRecipient | undefined>;
}
