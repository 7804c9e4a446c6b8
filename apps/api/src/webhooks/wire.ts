import { type Delivery, InvalidFields, shownUrl, type Webhook, type WebhookInput } from '@hitherto/domain';
import type { Static } from '@sinclair/typebox';
import type { UpdateWebhook } from './schemas.ts';

/** A body, whose fields may all be missing. */
export type WebhookBody = Static<typeof UpdateWebhook>;

/** A body in the domain's words. */
export function inputOf({ website_ids: websiteIds, is_active: isActive, ...body }: WebhookBody): WebhookInput {
  return { ...body, websiteIds, isActive };
}

/** The result of `work`; its faults get the names of the API. */
export async function withWireNames<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof InvalidFields)) throw error;
    throw new InvalidFields(
      error.faults.map((fault) => ({ ...fault, field: fault.field === 'websiteIds' ? 'website_ids' : fault.field })),
    );
  });
}

/** A webhook as responses show it: each field is named, so that no secret can leak. */
export function writeWebhook(webhook: Webhook) {
  return {
    id: webhook.id,
    url: shownUrl(webhook),
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
