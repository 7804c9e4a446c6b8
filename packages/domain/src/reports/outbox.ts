import type { Language } from '@hitherto/words';
import type { ReportKind } from '../websites/settings.ts';
import type { Website } from '../websites/website.ts';
import type { ReportPeriod } from './period.ts';

/** Where the reports about a website go. */
export interface ReportRecipient {
  readonly accountId: string;
  readonly website: Pick<Website, 'id' | 'url' | 'timeZone' | 'language' | 'privacy'>;
  /** The address of the account. */
  readonly to: string;
  /** Of the person, if they have chosen one; an account has none. */
  readonly language: Language | null;
  /** Whether it is neither of the account nor of a member: private annotations and findings are left out. */
  readonly isGuest?: boolean;
  /** When reports were turned on or the account got its address, whichever was later. */
  readonly since: Date;
}

/** The week or month that reports are due about, for websites with this time zone. */
export interface DueReports {
  /** As in the settings of the websites. */
  readonly timeZone: string | null;
  readonly period: ReportPeriod;
  /** When the period ended there. */
  readonly end: Date;
}

/**
 * Records reports as tasks of the kind `report` (reports.md). Their keys are the names of weeks and months; those of members who have
 * turned reports on have the id of the person behind it, after a space, and those of confirmed recipients `recipient.` and their id. The account of a website
 * gets reports while its settings say so and its account has an address; about a period, only if both began before its end. Every method rejects with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface ReportOutbox {
  /** The time zones that are set for websites. */
  timeZones(): Promise<string[]>;

  /** Records the reports that are due at `now`, a bounded number at a time; returns how many are new. */
  record(due: readonly DueReports[], now: Date): Promise<number>;

  /** Where the reports of a kind about a website go; `undefined` if it gets none. Any string is accepted as an id. */
  findRecipient(websiteId: string, kind: ReportKind): Promise<ReportRecipient | undefined>;
}
