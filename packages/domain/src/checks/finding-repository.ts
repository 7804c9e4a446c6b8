import type { Day } from '../calendar/days.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Finding, FindingEvent } from './finding.ts';
import type { UnknownHost } from './unknown-host.ts';

/** A change of a finding, from one version to the next. */
export interface FindingChange {
  readonly finding: Finding;
  /** The version that it replaces; `undefined` of a new one. */
  readonly expected: Date | undefined;
  readonly event: FindingEvent | undefined;
}

/** The open findings of a website. */
export interface OpenFindings {
  readonly count: number;
  /** The host of which most hits were dropped, if one is among the findings. */
  readonly unknownHost: UnknownHost | undefined;
}

/**
 * Stores the findings of websites, which go with their website. Methods accept any string as an id, copy objects in and out, and
 * reject with a `DomainError` of code `unavailable` while the database is away.
 */
export interface FindingRepository {
  /** All findings of the website, last opened first; `undefined` if there is no such website. */
  list(website: WebsiteKey): Promise<Finding[] | undefined>;

  /**
   * Stores changes with their events. A finding that is no longer at its version stays as it is, without an event; so does a new
   * one where the website has one of the same check and subject. Returns how many were stored.
   */
  record(website: WebsiteKey, changes: readonly FindingChange[]): Promise<number>;

  /** The open findings of each of these websites; those without any are left out. */
  countOpen(websiteIds: readonly string[]): Promise<ReadonlyMap<string, OpenFindings>>;

  /**
   * Claims at most `limit` websites with this time zone whose days were not checked up to `day`: they count as checked from now
   * on.
   *
   * @param timeZone as in the settings of websites; `null` for those without their own
   */
  claim(timeZone: string | null, day: Day, limit: number): Promise<WebsiteKey[]>;

  /** Deletes the fixed findings that were changed before `time`. */
  deleteFixedBefore(time: Date): Promise<void>;
}
