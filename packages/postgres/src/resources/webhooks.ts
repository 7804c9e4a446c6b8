import {
  type AccountKey,
  MAX_WEBHOOKS,
  tooManyWebhooks,
  type Webhook,
  type WebhookRepository,
} from '@hitherto/domain/webhooks';
import { sql } from 'kysely';
import type { Seal } from '../seal.ts';
import { createOwned, type OwnedDependencies } from './owned.ts';

/** Why the waiting deliveries of a webhook failed that is no longer active. */
export const TURNED_OFF = 'The webhook was turned off.';

/** A webhook as it is stored: its URL and its secret are encrypted. */
export type WebhookRow = Omit<Webhook, 'url' | 'secret'> & {
  readonly sealedUrl: Buffer;
  readonly sealedSecret: Buffer | null;
};

/** Stores webhooks in PostgreSQL. */
export function createWebhookRepository(deps: OwnedDependencies, seal: Seal): WebhookRepository {
  return createOwned<AccountKey, Webhook, WebhookRow>(deps, {
    name: 'webhook',
    owner: 'account',
    columns: {
      format: ['format', 'text'],
      sealedUrl: ['sealed_url', 'bytea'],
      sealedSecret: ['sealed_secret', 'bytea'],
      events: ['events', 'text[]'],
      websiteIds: ['website_ids', 'uuid[]'],
      isActive: ['is_active', 'boolean'],
      failingSince: ['failing_since', 'timestamptz'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    fixed: ['format', 'sealedSecret'],
    limit: MAX_WEBHOOKS,
    tooMany: tooManyWebhooks,
    replacing: (p) => ({
      // A URL that was encrypted with a lost key stays.
      sealed_url: sql`coalesce(${p('sealedUrl')}::bytea, sealed_url)`,
      // Failures are noted without a new version.
      failing_since: sql`case when ${p('failingSince')}::timestamptz is null then null else failing_since end`,
    }),
    replacingElsewhere: (p) => sql`ended as (
      update webhook_delivery set state = 'failed', error = ${sql.lit(TURNED_OFF)}, leased_until = null from webhook
      where webhook_id = webhook.id and state = 'pending' and type <> 'webhook.disabled'
        -- While it was off, changes that had begun before may have recorded events.
        and not (webhook.is_active and ${p('isActive')}::boolean)
        and webhook.account_id = ${p('accountId')} and webhook.id = ${p('id')} and webhook.updated_at = ${p('expected')}
    ),`,
    toValues: ({ url, secret, ...webhook }) => ({
      ...webhook,
      sealedUrl: url === null ? null : seal.seal(url, `${webhook.id} url`),
      sealedSecret: secret === null ? null : seal.seal(secret, `${webhook.id} secret`),
    }),
    toResource: (row) => toWebhook(row, seal),
  });
}

/** The URL and the secret of a row. */
export function openSealed(
  { id, sealedUrl, sealedSecret }: Pick<WebhookRow, 'id' | 'sealedUrl' | 'sealedSecret'>,
  seal: Seal,
): Pick<Webhook, 'url' | 'secret'> {
  return {
    url: seal.open(sealedUrl, `${id} url`),
    secret: sealedSecret && seal.open(sealedSecret, `${id} secret`),
  };
}

function toWebhook({ sealedUrl, sealedSecret, ...row }: WebhookRow, seal: Seal): Webhook {
  return { ...row, ...openSealed({ id: row.id, sealedUrl, sealedSecret }, seal) };
}
