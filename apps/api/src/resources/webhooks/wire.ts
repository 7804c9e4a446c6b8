import type { KeyScope } from '@hitherto/domain/access';
import { type Delivery, shownUrl, type Webhook } from '@hitherto/domain/webhooks';

/** A webhook as responses to a key of this scope show it: each field is named, so that no secret can leak. */
export function writeWebhook(webhook: Webhook, scope: KeyScope) {
  return {
    id: webhook.id,
    url: shownUrl(webhook, scope),
    format: webhook.format,
    events: webhook.events,
    website_ids: webhook.websiteIds,
    is_active: webhook.isActive,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** A delivery as responses show it. */
export function writeDelivery({ id, event, state, attempts, responseCode, error, attemptedAt, dueAt }: Delivery) {
  return {
    id,
    type: event.type,
    status: state,
    attempts,
    response_code: responseCode,
    error,
    created_at: event.at.toISOString(),
    attempted_at: attemptedAt?.toISOString() ?? null,
    next_attempt_at: dueAt?.toISOString() ?? null,
  };
}
