import type { Change } from '../changes/change.ts';
import type { UpdatableRepository } from '../resources/resource-repository.ts';
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
 * Stores the alerts of websites, and the states of their rules. An alert that is replaced keeps its state; only where it has a
 * new condition, that counts as false until the next check.
 */
export interface AlertRepository extends UpdatableRepository<WebsiteKey, Alert> {
  /** @param state in which the alert begins; `NEW_STATE` unless it is given */
  insert(website: WebsiteKey, alert: Alert, change: Change, state?: AlertState): Promise<undefined>;

  /** Claims at most `limit` alerts that were not checked in the minute before `now`, nor are by another process. */
  claim(now: Date, limit: number): Promise<DueAlert[]>;

  /**
   * Records a check, and with it the mail and the deliveries to webhooks if the alert fired, all or nothing.
   *
   * @returns false, without writing, if the alert has since been changed, deleted or claimed again
   */
  record(due: DueAlert, state: AlertState, firing?: Firing): Promise<boolean>;

  /** When an alert of a spike fired last, of each of these websites of which one has since `since`. */
  spikes(websiteIds: readonly string[], since: Date): Promise<ReadonlyMap<string, Date>>;
}
