import type { Alert } from '@hitherto/domain/alerts';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Webhook, WebhookEvent, WebhookOutbox } from '@hitherto/domain/webhooks';
import type { ChangedWebsite, WebsiteEvent, WebsiteRepository } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';

export const AT = new Date('2026-11-20T12:00:00.123Z');

/** The time some minutes after {@link AT}. */
export const after = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);

/** A webhook that asks for every event of websites. */
export function aWebhook(overrides: Partial<Webhook> = {}): Webhook {
  return {
    id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f14',
    url: 'https://hooks.example/',
    format: 'json',
    events: ['website.created', 'website.updated', 'website.deleted', 'report.ready'],
    websiteIds: null,
    secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    isActive: true,
    failingSince: null,
    createdAt: AT,
    updatedAt: AT,
    ...overrides,
  };
}

/** An alert of a day without visitors. */
export function anAlert(overrides: Partial<Alert> = {}): Alert {
  return {
    id: newId(),
    rule: 'silence',
    threshold: null,
    hours: 24,
    percent: null,
    goalId: null,
    email: true,
    webhooks: true,
    createdAt: AT,
    updatedAt: AT,
    ...overrides,
  };
}

/** An event about a website, as use cases make it. */
export function anEvent(
  accountId: string,
  websiteId: string,
  type: 'website.created' | 'website.updated' | 'website.deleted' = 'website.updated',
  at = AT,
): WebsiteEvent {
  const {
    passwordHash: _,
    createdAt,
    updatedAt,
    ...website
  } = aWebsite({ id: websiteId, url: 'https://é.example/🦊' });
  const data: ChangedWebsite = {
    website: {
      ...website,
      hasPassword: false,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    },
    changes: [{ field: 'privacy', before: 'private', after: 'public' }],
  };
  return { type, at, data, accountId, websiteId };
}

/** Records an event together with a change of a website, here the insertion of a new one. */
export function recordEvent(
  { websites }: { readonly websites: Pick<WebsiteRepository, 'insert'> },
  event: WebsiteEvent,
): Promise<unknown> {
  const id = newId();
  return websites.insert(event.accountId, aWebsite({ id, url: `https://${id}.example` }), { ...UNRECORDED, event });
}

/** Delivers the account's events that are due, and returns them. */
export async function deliveredEvents(outbox: WebhookOutbox, accountId: string, now = AT): Promise<WebhookEvent[]> {
  const events: WebhookEvent[] = [];
  const claim = () => outbox.claim(now, new Date(now.getTime() + 60_000));
  for (let delivery = await claim(); delivery !== undefined; delivery = await claim()) {
    await outbox.finish(delivery, { at: now, responseCode: 204, outcome: 'delivered', counts: true });
    if (delivery.accountId === accountId) events.push(delivery.event);
  }
  return events;
}
