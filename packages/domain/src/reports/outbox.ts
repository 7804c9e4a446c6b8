import type { Website } from '../websites/website.ts';

/** Where the reports about a website go. */
export interface ReportRecipient {
  readonly accountId: string;
  readonly website: Pick<Website, 'id' | 'url' | 'timeZone'>;
  /** The address of the account. */
  readonly to: string;
  /** When reports were turned on or the account got its address, whichever was later. */
  readonly since: Date;
}

/** The week that reports are due about, for websites with this time zone. */
export interface DueReports {
  /** As in the settings of the websites. */
  readonly timeZone: string | null;
  /** The name of the week. */
  readonly week: string;
  /** When the week ended there. */
  readonly end: Date;
}

/**
 * Records weekly reports as tasks of the kind `report` (reports.md). Their keys are the names of weeks; those of members who have
 * turned reports on have the id of the person behind it, after a space. The account of a website
 * gets reports while its `emailReports` is on and its account has an address; about a week, only if both began before its end. Every method rejects with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface ReportOutbox {
  /** The time zones that are set for websites. */
  timeZones(): Promise<string[]>;

  /** Records the reports that are due at `now`, a bounded number at a time; returns how many are new. */
  record(due: readonly DueReports[], now: Date): Promise<number>;

  /** Where the reports about a website go; `undefined` if it gets none. Any string is accepted as an id. */
  findRecipient(websiteId: string): Promise<ReportRecipient | undefined>;
}
