import { DomainError, isId } from '@hitherto/domain/base';
import type { Change } from '@hitherto/domain/changes';
import { MAX_WEBHOOKS, tooManyWebhooks, type Webhook, type WebhookRepository } from '@hitherto/domain/webhooks';
import { sql } from 'kysely';
import { noting, toNoted } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import type { Seal } from '../seal.ts';

/** Why the waiting deliveries of a webhook failed that is no longer active. */
export const TURNED_OFF = 'The webhook was turned off.';

/** A webhook as it is stored: its URL and its secret are encrypted. */
export type WebhookRow = Omit<Webhook, 'url' | 'secret'> & {
  readonly sealedUrl: Buffer;
  readonly sealedSecret: Buffer | null;
};

interface Written {
  readonly accountId: string;
  readonly id: string;
  /** `null` keeps the stored one. */
  readonly sealedUrl: Buffer | null;
  readonly events: readonly string[];
  readonly websiteIds: readonly string[] | null;
  readonly isActive: boolean;
  readonly failingSince: Date | null;
  readonly updatedAt: Date;
  readonly noted: string;
}

type Inserted = Omit<Written, 'noted'> & {
  readonly format: string;
  readonly sealedSecret: Buffer | null;
  readonly createdAt: Date;
};

const COLUMNS = sql`webhook.id, format, sealed_url as "sealedUrl", sealed_secret as "sealedSecret", events,
  website_ids as "websiteIds", is_active as "isActive", failing_since as "failingSince", created_at as "createdAt",
  updated_at as "updatedAt"`;

const listWebhooks = statement(
  'list_webhooks',
  (p: Placeholders<{ accountId: string }>) => sql<WebhookRow>`
    select ${COLUMNS} from webhook where account_id = ${p('accountId')} order by number`,
);

const findWebhook = statement(
  'find_webhook',
  (p: Placeholders<{ accountId: string; id: string }>) => sql<WebhookRow>`
    select ${COLUMNS} from webhook where account_id = ${p('accountId')} and id = ${p('id')}`,
);

/** Inserts of one account wait for each other; websites do not wait. */
const lockAccount = statement(
  'lock_account_for_webhooks',
  (p: Placeholders<{ accountId: string }>) => sql`
    select id from account where id = ${p('accountId')} for no key update`,
);

const insertWebhook = statement('insert_webhook', (p: Placeholders<Inserted & { noted: string; limit: number }>) =>
  noting(
    sql`
    insert into webhook (id, account_id, format, sealed_url, sealed_secret, events, website_ids, is_active, failing_since,
      created_at, updated_at)
    select ${p('id')}::uuid, ${p('accountId')}::uuid, ${p('format')}, ${p('sealedUrl')}::bytea, ${p('sealedSecret')}::bytea,
      ${p('events')}::text[], ${p('websiteIds')}::uuid[], ${p('isActive')}::boolean, ${p('failingSince')}::timestamptz,
      ${p('createdAt')}::timestamptz, ${p('updatedAt')}::timestamptz
    where (select count(*) from webhook where account_id = ${p('accountId')}::uuid) < ${p('limit')}::integer`,
    p('noted'),
  ),
);

const replaceWebhook = statement('replace_webhook', (p: Placeholders<Written & { expected: Date; error: string }>) =>
  noting(
    sql`
    update webhook set sealed_url = coalesce(${p('sealedUrl')}::bytea, sealed_url), events = ${p('events')}::text[],
      website_ids = ${p('websiteIds')}::uuid[], is_active = ${p('isActive')}, updated_at = ${p('updatedAt')},
      -- Failures are noted without a new version.
      failing_since = case when ${p('failingSince')}::timestamptz is null then null else failing_since end
    where account_id = ${p('accountId')} and id = ${p('id')} and updated_at = ${p('expected')}`,
    p('noted'),
    sql`ended as (
        update webhook_delivery set state = 'failed', error = ${p('error')}, leased_until = null from webhook
        where webhook_id = webhook.id and state = 'pending' and type <> 'webhook.disabled'
          -- While it was off, changes that had begun before may have recorded events.
          and not (webhook.is_active and ${p('isActive')}::boolean)
          and webhook.account_id = ${p('accountId')} and webhook.id = ${p('id')} and webhook.updated_at = ${p('expected')}
      ),`,
  ),
);

const deleteWebhook = statement(
  'delete_webhook',
  (p: Placeholders<{ accountId: string; id: string; expected: Date; noted: string }>) =>
    noting(
      sql`
        delete from webhook
        where account_id = ${p('accountId')} and id = ${p('id')} and updated_at = ${p('expected')}`,
      p('noted'),
    ),
);

/** Stores webhooks in PostgreSQL. */
export function createWebhookRepository(database: Database, seal: Seal): WebhookRepository {
  const written = (accountId: string, webhook: Webhook): Omit<Written, 'noted'> => {
    const { id, url, events, websiteIds, isActive, failingSince, updatedAt } = webhook;
    const sealedUrl = url === null ? null : seal.seal(url, `${id} url`);
    return { accountId, id, sealedUrl, events, websiteIds, isActive, failingSince, updatedAt };
  };

  return {
    async list(accountId) {
      if (!isId(accountId)) return [];
      return (await database.read(listWebhooks.with({ accountId }))).map((row) => toWebhook(row, seal));
    },

    async find(accountId, id) {
      if (!isId(accountId) || !isId(id)) return undefined;
      const [row] = await database.read(findWebhook.with({ accountId, id }));
      return row && toWebhook(row, seal);
    },

    async insert(accountId, webhook, change) {
      const { format, secret, createdAt } = webhook;
      const sealedSecret = secret === null ? null : seal.seal(secret, `${webhook.id} secret`);
      const row = { ...written(accountId, webhook), format, sealedSecret, createdAt };
      await database.transaction((transaction) => insert(transaction, row, change));
    },

    async replace(accountId, webhook, expected, change) {
      if (!isId(accountId) || !isId(webhook.id)) return false;
      const row = { ...written(accountId, webhook), expected, error: TURNED_OFF, ...toNoted(change) };
      return (await database.query(replaceWebhook.with(row))).count === 1;
    },

    async delete(accountId, id, expected, change) {
      if (!isId(accountId) || !isId(id)) return false;
      return (await database.query(deleteWebhook.with({ accountId, id, expected, ...toNoted(change) }))).count === 1;
    },
  };
}

async function insert(transaction: Transaction, row: Inserted, change: Change): Promise<void> {
  const { accountId } = row;
  if (!isId(accountId) || (await transaction.query(lockAccount.with({ accountId }))).count === 0) throw accountGone();
  const query = insertWebhook.with({ ...row, limit: MAX_WEBHOOKS, ...toNoted(change) });
  if ((await transaction.query(query)).count === 0) throw tooManyWebhooks();
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

function accountGone(): DomainError {
  return new DomainError('not_found', 'The account is gone.');
}
