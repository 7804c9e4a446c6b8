import { DomainError } from '../base/errors.ts';
import { showResource } from '../resources/use-cases.ts';
import { attemptDelivery, DELIVERY_LEASE_MS, type DeliverDependencies } from './deliver.ts';
import { webhookNotFound } from './webhook.ts';
import type { Delivery, WebhookOutbox } from './webhook-outbox.ts';
import { WEBHOOK, type WebhookDependencies } from './webhook-type.ts';

interface DeliveryDependencies extends Pick<WebhookDependencies, 'webhooks'> {
  readonly webhookOutbox: WebhookOutbox;
}

/** A page of the deliveries of the last 30 days, newest first. */
export async function listDeliveries(
  deps: DeliveryDependencies,
  accountId: string,
  webhookId: string,
  limit: number,
  after?: string,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly next: string | undefined }> {
  await showResource(deps, WEBHOOK, { accountId }, webhookId);
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
  deps: DeliveryDependencies & { readonly now: () => Date },
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
  const leasedUntil = new Date(at.getTime() + DELIVERY_LEASE_MS);
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
  const { isActive } = await showResource(deps, WEBHOOK, { accountId }, id);
  if (!isActive) throw new DomainError('webhook_inactive', ({ faults }) => faults.webhooks.isOff);
}
