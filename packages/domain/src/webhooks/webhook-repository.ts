import type { UpdatableRepository } from '../resources/resource-repository.ts';
import type { Webhook } from './webhook.ts';

/** The owner of a webhook. */
export interface AccountKey {
  readonly accountId: string;
}

/**
 * Stores the webhooks of all accounts. URLs and secrets are stored encrypted: an insert and a replacement throw a `DomainError`
 * `no_secret_key` if the installation has no key. Unless a replaced webhook was active and still is, its waiting deliveries have
 * failed, except those of the event `webhook.disabled`. Deliveries are deleted with their webhook.
 */
export type WebhookRepository = UpdatableRepository<AccountKey, Webhook>;
