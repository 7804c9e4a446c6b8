import type { Change } from '../changes/change.ts';
import type { Webhook } from './webhook.ts';

/**
 * Stores the webhooks of all accounts; they go with their account. Another account's webhook counts as absent. URLs and secrets
 * are stored encrypted. Objects are copied in and out. Every method accepts any string as an id, and rejects with a
 * `DomainError` of code `unavailable` when the database cannot be reached or is overloaded. The audit entry of a change is
 * written with it, both or neither.
 */
export interface WebhookRepository {
  /** The webhooks of the account in the order in which they were inserted. */
  list(accountId: string): Promise<Webhook[]>;

  /** The webhook, or `undefined`. */
  find(accountId: string, id: string): Promise<Webhook | undefined>;

  /**
   * Adds a webhook.
   *
   * @throws DomainError `not_found` if there is no such account; `too_many_webhooks` if it has as many as it may have, also
   * under concurrency; `no_secret_key` if the installation has no key to encrypt with
   */
  insert(accountId: string, webhook: Webhook, change: Change): Promise<void>;

  /**
   * Replaces version `expected` of the webhook, atomically. Unless it was active and still is, its waiting deliveries have
   * failed, except those of the event `webhook.disabled`.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   * @throws DomainError `no_secret_key` as above
   */
  replace(accountId: string, webhook: Webhook, expected: Date, change: Change): Promise<boolean>;

  /**
   * Deletes version `expected` of the webhook, with its deliveries.
   *
   * @returns false if it does not exist, or not in that version
   */
  delete(accountId: string, id: string, expected: Date, change: Change): Promise<boolean>;
}
