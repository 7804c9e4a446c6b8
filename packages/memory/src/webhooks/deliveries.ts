import { randomUUID } from 'node:crypto';
import type { Delivery, EventOfWebsite, WebhookEvent } from '@hitherto/domain/webhooks';
import type { State } from '../state.ts';

/** A delivery and its place in the queue. */
export interface StoredDelivery extends Delivery {
  readonly event: WebhookEvent;
  readonly webhookId: string;
  /** `null` in tests of a webhook. */
  readonly websiteId: string | null;
  readonly dueAt: Date;
  readonly leasedUntil: Date | null;
}

type NewDelivery = Pick<StoredDelivery, 'event' | 'webhookId' | 'websiteId' | 'dueAt' | 'leasedUntil'>;

/** Adds a delivery that was not attempted yet, and returns it. */
export function addDelivery(state: State, delivery: NewDelivery): StoredDelivery {
  const unattempted = { state: 'pending', attempts: 0, responseCode: null, error: null, attemptedAt: null } as const;
  const added = structuredClone({ id: randomUUID(), ...unattempted, ...delivery });
  state.deliveries.push(added);
  return added;
}

/** Adds a delivery of the event for each active webhook that asks for it, in the turn of the event loop of the change. */
export function deliver(state: State, event: EventOfWebsite | undefined): void {
  if (event === undefined) return;
  const { accountId, websiteId, ...told } = event;
  for (const { owner, resource } of state.resources.webhook.values()) {
    const { id, isActive, events, websiteIds } = resource;
    if (owner.accountId !== accountId) continue;
    if (!isActive || !events.includes(told.type) || !(websiteIds?.includes(websiteId) ?? true)) continue;
    addDelivery(state, { event: told, webhookId: id, websiteId, dueAt: told.at, leasedUntil: null });
  }
}

/** Replaces a delivery by a changed one. */
export function putDelivery(state: State, changed: StoredDelivery): void {
  state.deliveries = state.deliveries.map((delivery) => (delivery.id === changed.id ? changed : delivery));
}

/** Fails the waiting deliveries of a webhook that is or was turned off, except deliveries that tell the account about it. */
export function endDeliveries(state: State, webhookId: string): void {
  for (const delivery of state.deliveries) {
    if (delivery.webhookId !== webhookId || delivery.state !== 'pending' || isNotice(delivery)) continue;
    putDelivery(state, { ...delivery, state: 'failed', error: 'The webhook was turned off.', leasedUntil: null });
  }
}

/** Whether a delivery tells the account that its webhook was turned off. */
export function isNotice({ event }: StoredDelivery): boolean {
  return event.type === 'webhook.disabled';
}

/** Forgets the deliveries of a webhook that is deleted. */
export function forgetDeliveries(state: State, webhookId: string): void {
  state.deliveries = state.deliveries.filter((delivery) => delivery.webhookId !== webhookId);
}
