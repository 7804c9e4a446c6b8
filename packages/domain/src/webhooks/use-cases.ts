import { DomainError, InvalidFields } from '../base/errors.ts';
import { type Precondition, untilSettled } from '../base/versions.ts';
import { type AuditEntry, type Authored, changesOf, makeEntry, secretChange, verbOf } from '../changes/entry.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { attemptDelivery, type DeliverDependencies, LEASE_MS } from './deliver.ts';
import {
  changeWebhook,
  makeWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookSettings,
  webhookHost,
  webhookNotFound,
} from './webhook.ts';
import type { Delivery, WebhookOutbox } from './webhook-outbox.ts';
import type { WebhookRepository } from './webhook-repository.ts';

export interface WebhookDependencies {
  readonly webhooks: WebhookRepository;
  readonly webhookOutbox: WebhookOutbox;
  readonly websites: WebsiteRepository;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

type Changing = Authored & Pick<WebhookDependencies, 'webhooks' | 'websites' | 'now' | 'newId'>;

/** The webhook. Rejects with `not_found`. */
export async function showWebhook(
  { webhooks }: Pick<WebhookDependencies, 'webhooks'>,
  accountId: string,
  id: string,
): Promise<Webhook> {
  const webhook = await webhooks.find(accountId, id);
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}

/**
 * Creates a webhook.
 *
 * @throws InvalidFields `unknown_website`
 * @throws DomainError `too_many_webhooks`, `no_secret_key`
 */
export async function createWebhook(
  deps: Changing & Pick<WebhookDependencies, 'randomBytes'>,
  accountId: string,
  settings: WebhookSettings,
): Promise<Webhook> {
  await rejectUnknownWebsites(deps, accountId, settings.websiteIds, null);
  const webhook = makeWebhook(settings, deps.newId(), deps.now(), deps.randomBytes);
  await deps.webhooks.insert(accountId, webhook, { entry: webhookEntry(deps, accountId, undefined, webhook) });
  return webhook;
}

/**
 * Updates a webhook atomically. Turning it off fails its waiting deliveries; turning it on, or another URL, forgets its failures.
 *
 * @throws InvalidFields if the changes do not fit the stored webhook; `unknown_website`
 * @throws DomainError `not_found`, any error of the precondition
 */
export async function updateWebhook(
  deps: Changing,
  accountId: string,
  id: string,
  changes: WebhookChanges,
  precondition?: Precondition,
): Promise<Webhook> {
  return untilSettled(async () => {
    const webhook = await showWebhook(deps, accountId, id);
    precondition?.(webhook);
    const changed = changeWebhook(webhook, changes, deps.now());
    if (changed === webhook) return webhook;
    await rejectUnknownWebsites(deps, accountId, changed.websiteIds, webhook.websiteIds);
    const entry = webhookEntry(deps, accountId, webhook, changed);
    return (await deps.webhooks.replace(accountId, changed, webhook.updatedAt, { entry })) ? changed : undefined;
  });
}

/** Deletes a webhook atomically. Rejects with `not_found`, or any error of the precondition. */
export async function deleteWebhook(
  deps: Omit<Changing, 'websites'>,
  accountId: string,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  await untilSettled(async () => {
    const webhook = await showWebhook(deps, accountId, id);
    precondition?.(webhook);
    const entry = webhookEntry(deps, accountId, webhook, undefined);
    return (await deps.webhooks.delete(accountId, id, webhook.updatedAt, { entry })) ? webhook : undefined;
  });
}

/** A page of the deliveries of the last 30 days, newest first. */
export async function listDeliveries(
  deps: Pick<WebhookDependencies, 'webhooks' | 'webhookOutbox'>,
  accountId: string,
  webhookId: string,
  limit: number,
  after?: string,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly next: string | undefined }> {
  await showWebhook(deps, accountId, webhookId);
  const found = await deps.webhookOutbox.list(accountId, webhookId, limit + 1, after);
  const deliveries = found.slice(0, limit);
  return { deliveries, next: found.length > limit ? deliveries.at(-1)?.id : undefined };
}

/**
 * Delivers again, now, whatever the state of the delivery.
 *
 * @throws DomainError `not_found`, `webhook_inactive`
 */
export async function retryDelivery(
  deps: Pick<WebhookDependencies, 'webhooks' | 'webhookOutbox' | 'now'>,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  await rejectInactive(deps, accountId, webhookId);
  await deps.webhookOutbox.retry(accountId, webhookId, id, deps.now());
  const delivery = await deps.webhookOutbox.find(accountId, webhookId, id);
  if (delivery === undefined) throw new DomainError('not_found', 'There is no such delivery.');
  return delivery;
}

/**
 * Sends a test and waits for its outcome; it is not repeated.
 *
 * @throws DomainError `not_found`, `webhook_inactive`
 */
export async function testWebhook(
  deps: DeliverDependencies & Pick<WebhookDependencies, 'webhooks'>,
  accountId: string,
  id: string,
): Promise<Delivery> {
  await rejectInactive(deps, accountId, id);
  const at = deps.now();
  const event = { type: 'webhook.test', at, data: { message: 'This is a test of the webhook.' } } as const;
  const leasedUntil = new Date(at.getTime() + LEASE_MS);
  const claimed = await deps.webhookOutbox.claimTest(accountId, id, event, leasedUntil);
  if (claimed === undefined) throw webhookNotFound();
  await attemptDelivery(deps, claimed);
  const delivery = await deps.webhookOutbox.find(accountId, id, claimed.id);
  if (delivery === undefined) throw webhookNotFound();
  return delivery;
}

async function rejectInactive(
  deps: Pick<WebhookDependencies, 'webhooks'>,
  accountId: string,
  id: string,
): Promise<void> {
  const { isActive } = await showWebhook(deps, accountId, id);
  if (!isActive) throw new DomainError('webhook_inactive', 'The webhook is turned off. Turn it on first.');
}

/** Websites that the webhook has named before may be gone. */
async function rejectUnknownWebsites(
  { websites }: Pick<WebhookDependencies, 'websites'>,
  accountId: string,
  ids: readonly string[] | null,
  known: readonly string[] | null,
): Promise<void> {
  const faults = [];
  for (const [index, id] of (ids ?? []).entries()) {
    if (known?.includes(id) || (await websites.find(accountId, id)) !== undefined) continue;
    const detail = `Entry ${index + 1} of the list is not the id of a website of this account.`;
    faults.push({ field: 'website_ids', code: 'unknown_website', detail } as const);
  }
  if (faults.length > 0) throw new InvalidFields(faults);
}

/** The entry about a webhook that is created (no `before`), updated, or deleted (no `after`). URLs are secrets. */
function webhookEntry(
  deps: Omit<Changing, 'websites' | 'webhooks'>,
  accountId: string,
  before: Webhook | undefined,
  after: Webhook | undefined,
): AuditEntry {
  const subject = after ?? before;
  if (subject === undefined) throw new Error('An entry about a webhook needs the webhook.');
  const verb = verbOf(before, after);
  const fieldsOf = (webhook: Webhook | undefined) =>
    webhook && {
      format: webhook.format,
      events: webhook.events,
      websiteIds: webhook.websiteIds,
      isActive: webhook.isActive,
    };
  return makeEntry(deps, {
    accountId,
    action: `webhook.${verb}`,
    websiteId: null,
    subject: { id: subject.id, name: webhookHost(subject) },
    changes: [
      ...changesOf(fieldsOf(before) ?? {}, fieldsOf(after) ?? {}),
      ...secretChange('url', before?.url ?? null, after?.url ?? null),
      ...secretChange('secret', before?.secret ?? null, after?.secret ?? null),
    ],
  });
}
