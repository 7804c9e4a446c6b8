import type { Change } from '../changes/change.ts';
import type { Website } from '../websites/website.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Alert } from './alert.ts';
import type { AlertEvent } from './fired-alert.ts';
import type { AlertState } from './rules.ts';

/** An alert that is to be checked by this process. */
export interface DueAlert {
  readonly alert: Alert;
  readonly accountId: string;
  readonly website: Pick<Website, 'id' | 'url' | 'timeZone'>;
  readonly state: AlertState;
  /** When it was claimed; distinguishes this check from later ones. */
  readonly checkedAt: Date;
}

/** An alert that fired. */
export interface Firing {
  /** UUIDv7: the key of the task that sends the mail. */
  readonly id: string;
  /** Sent by mail, and to webhooks, as the alert says. */
  readonly event: AlertEvent;
}

/**
 * Stores the alerts of websites; they go with their website. Another account's website counts as absent. Objects are copied in
 * and out. Every method accepts any string as an id, and rejects with a `DomainError` of code `unavailable` when the database
 * cannot be reached or is overloaded. The audit entry of a change is written with it, both or neither.
 */
export interface AlertRepository {
  /** The alerts of the website in the order in which they were inserted; `undefined` if there is no such website. */
  list(website: WebsiteKey): Promise<Alert[] | undefined>;

  /** The alert; `undefined` if there is none. */
  find(website: WebsiteKey, id: string): Promise<Alert | undefined>;

  /**
   * Adds an alert.
   *
   * @throws DomainError `not_found` if there is no such website; `too_many_alerts` if it has as many as it may have, also
   * under concurrency
   */
  insert(website: WebsiteKey, alert: Alert, state: AlertState, change: Change): Promise<void>;

  /**
   * Replaces version `expected` of the alert atomically. Its state stays; only where the alert has a new condition, that counts
   * as false until the next check. Returns false if that version is gone.
   */
  replace(
    website: WebsiteKey,
    alert: Alert,
    hasNewCondition: boolean,
    expected: Date,
    change: Change,
  ): Promise<boolean>;

  /**
   * Deletes version `expected` of the alert.
   *
   * @returns false if it does not exist, or not in that version
   */
  delete(website: WebsiteKey, id: string, expected: Date, change: Change): Promise<boolean>;

  /** Claims at most `limit` alerts that were not checked in the minute before `now`, nor are by another process. */
  claim(now: Date, limit: number): Promise<DueAlert[]>;

  /**
   * Records a check, and with it the mail and the deliveries to webhooks if the alert fired, all or nothing.
   *
   * @returns false, without writing, if the alert has since been changed, deleted or claimed again
   */
  record(due: DueAlert, state: AlertState, firing?: Firing): Promise<boolean>;
}
