import { InvalidFields, type WebhookItem } from '@hitherto/domain';
import type { Static } from '@sinclair/typebox';
import type { WebhookLine } from './transfer-schema.ts';

// Webhooks in the lines of an export. Their URLs and secrets stay encrypted: an installation with the same key reads them, and no
// other. Their deliveries stay behind.

export function toWebhookLine({ accountId, webhook }: WebhookItem): Static<typeof WebhookLine> {
  const { id, format, events, websiteIds, isActive, sealedUrl, sealedSecret, createdAt, updatedAt } = webhook;
  return {
    type: 'webhook',
    account_id: accountId,
    id,
    format,
    events: [...events],
    website_ids: websiteIds && [...websiteIds],
    is_active: isActive,
    sealed_url: sealedUrl,
    sealed_secret: sealedSecret,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** Throws `InvalidFields` if there cannot be such a webhook. */
export function toWebhookItem(line: Static<typeof WebhookLine>): WebhookItem {
  const { account_id: accountId, id, format, events, website_ids: websiteIds, is_active: isActive } = line;
  const { sealed_url: sealedUrl, sealed_secret: sealedSecret } = line;
  if ((format === 'json') !== (sealedSecret !== null)) {
    const detail = 'Webhooks of the format json have a secret, and no others.';
    throw new InvalidFields([{ field: 'format', code: 'not_allowed', detail }]);
  }
  const times = { createdAt: new Date(line.created_at), updatedAt: new Date(line.updated_at) };
  const settings = { format, events, websiteIds, isActive, sealedUrl, sealedSecret };
  return { type: 'webhook', accountId, webhook: { id, ...settings, ...times } };
}
