import { type Fault, InvalidFields } from '../base/errors.ts';
import type { Making, UpdatableType } from '../resources/resource-type.ts';
import { wholeAccount } from '../websites/reach.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import {
  changeWebhook,
  makeWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookSettings,
  webhookHost,
} from './webhook.ts';
import type { WebhookOutbox } from './webhook-outbox.ts';
import type { AccountKey, WebhookRepository } from './webhook-repository.ts';

interface StoredWebhooks {
  readonly webhooks: WebhookRepository;
}

interface CheckedWebhooks extends StoredWebhooks {
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly websites: Pick<WebsiteRepository, 'find'>;
}

/** The dependencies of the use cases of webhooks. */
export interface WebhookDependencies extends StoredWebhooks, Making {
  readonly websites: WebsiteRepository;
  readonly webhookOutbox: WebhookOutbox;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export const WEBHOOK: UpdatableType<
  AccountKey,
  Webhook,
  WebhookSettings,
  WebhookChanges,
  StoredWebhooks,
  CheckedWebhooks
> = {
  kind: 'webhook',
  absence: 'There is no such webhook.',
  repository: ({ webhooks }) => webhooks,
  make: ({ newId, now, randomBytes }, settings) => makeWebhook(settings, newId(), now(), randomBytes),
  change: changeWebhook,

  /** Websites that the webhook has named before may be gone. */
  async check({ websites }, { accountId }, { websiteIds }, before) {
    const faults: Fault[] = [];
    for (const [index, id] of (websiteIds ?? []).entries()) {
      if (before?.websiteIds?.includes(id) || (await websites.find(wholeAccount(accountId), id)) !== undefined)
        continue;
      const detail = `Entry ${index + 1} of the list is not the id of a website of this account.`;
      faults.push({ field: 'website_ids', code: 'unknown_website', detail });
    }
    if (faults.length > 0) throw new InvalidFields(faults);
  },

  nameOf: webhookHost,
  fieldsOf: ({ format, events, websiteIds, isActive }) => ({ format, events, websiteIds, isActive }),
  secretsOf: ({ url, secret }) => ({ url, secret }),
};
