import type { DeliveryState, Webhook, WebhookEvent } from '@hitherto/domain/webhooks';
import { sql } from 'kysely';
import { type Placeholders, statement } from '../connection/statement.ts';
import type { WebhookRow } from '../resources/webhooks.ts';

export interface DeliveryRow {
  readonly id: string;
  readonly type: WebhookEvent['type'];
  readonly at: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly responseCode: number | null;
  readonly error: string | null;
  readonly attemptedAt: Date | null;
  readonly dueAt: Date | null;
}

/** A claimed delivery with its webhook. */
export type ClaimRow = Pick<DeliveryRow, 'id' | 'type' | 'at' | 'attempts'> &
  Pick<WebhookRow, 'sealedUrl' | 'sealedSecret'> &
  Pick<Webhook, 'format' | 'failingSince'> & {
    readonly accountId: string;
    readonly webhookId: string;
    readonly data: unknown;
  };

interface OfWebhook {
  readonly accountId: string;
  readonly webhookId: string;
}

interface Ended {
  readonly id: string;
  readonly webhookId: string;
  readonly at: Date;
  readonly responseCode: number | null;
  readonly counts: boolean;
}

interface Failed extends Ended {
  readonly leasedUntil: Date;
  readonly error: string;
  readonly state: string;
  readonly dueAt: Date;
  readonly disables: boolean;
  readonly noticeId: string;
  readonly notice: string;
  readonly turnedOff: string;
}

const COLUMNS = sql`delivery.id, type, at, state, attempts, response_code as "responseCode", error,
  attempted_at as "attemptedAt", case when state = 'pending' then due_at end as "dueAt"`;

const CLAIMED = sql`account_id as "accountId", webhook.id as "webhookId", format, sealed_url as "sealedUrl",
  sealed_secret as "sealedSecret", failing_since as "failingSince"`;

const ofWebhook = (p: Placeholders<OfWebhook>) => sql`
  delivery.webhook_id = ${p('webhookId')} and webhook.id = delivery.webhook_id and webhook.account_id = ${p('accountId')}`;

/** Clocks of instances differ by less. An event of a later time, as a wrong clock makes it, holds no others up. */
const LONGEST_AHEAD = sql`interval '1 hour'`;

export const statements = {
  claim: statement(
    'claim_webhook_delivery',
    (p: Placeholders<{ now: Date; leasedUntil: Date }>) => sql<ClaimRow>`
    with due as (
      select number from webhook_delivery delivery
      where state = 'pending' and due_at <= ${p('now')}::timestamptz
        and (type = 'webhook.disabled' or exists (select from webhook where id = delivery.webhook_id and is_active))
        and not exists (
          select from webhook_delivery other
          where other.webhook_id = delivery.webhook_id and other.website_id = delivery.website_id
            and other.state = 'pending' and other.number < delivery.number
            and other.at <= ${p('now')}::timestamptz + ${LONGEST_AHEAD})
        and not exists (
          select from webhook_delivery other
          where other.webhook_id = delivery.webhook_id and other.state = 'pending'
            and other.leased_until > ${p('now')}::timestamptz)
      order by due_at, number limit 1 for update skip locked
    )
    update webhook_delivery delivery set due_at = ${p('leasedUntil')}::timestamptz, leased_until = ${p('leasedUntil')}::timestamptz
    from due, webhook where delivery.number = due.number and webhook.id = delivery.webhook_id
    returning delivery.id, type, at, data, attempts, ${CLAIMED}`,
  ),

  claimTest: statement(
    'claim_webhook_test',
    (
      p: Placeholders<OfWebhook & { id: string; type: string; at: Date; data: string; leasedUntil: Date }>,
    ) => sql<ClaimRow>`
    with tested as (
      insert into webhook_delivery (id, webhook_id, type, at, data, due_at, leased_until)
      select ${p('id')}::uuid, id, ${p('type')}, ${p('at')}::timestamptz, ${p('data')}::json,
        ${p('leasedUntil')}::timestamptz, ${p('leasedUntil')}::timestamptz
      from webhook where id = ${p('webhookId')} and account_id = ${p('accountId')} for key share
      returning id, webhook_id, type, at, data, attempts
    )
    select tested.id, type, at, data, attempts, ${CLAIMED} from tested join webhook on webhook.id = webhook_id`,
  ),

  deliver: statement(
    'finish_webhook_delivery',
    (p: Placeholders<Ended>) => sql`
    with done as (
      update webhook_delivery set state = 'delivered', attempts = attempts + 1, attempted_at = ${p('at')}::timestamptz,
        response_code = ${p('responseCode')}::integer, error = null, leased_until = null
      where id = ${p('id')} and state <> 'delivered'
    )
    update webhook set failing_since = null where id = ${p('webhookId')} and failing_since is not null and ${p('counts')}::boolean`,
  ),

  /** Has no effect if the lease was lost. */
  fail: statement(
    'fail_webhook_delivery',
    (p: Placeholders<Failed>) => sql`
    with failed as (
      update webhook_delivery set state = ${p('state')}, attempts = attempts + 1, attempted_at = ${p('at')}::timestamptz,
        response_code = ${p('responseCode')}::integer, error = ${p('error')}, due_at = ${p('dueAt')}::timestamptz,
        leased_until = null
      where id = ${p('id')} and state = 'pending' and leased_until = ${p('leasedUntil')}::timestamptz
      returning webhook_id
    ), noted as (
      update webhook set failing_since = coalesce(failing_since, ${p('at')}::timestamptz),
        is_active = is_active and not ${p('disables')}::boolean,
        updated_at = case when ${p('disables')}::boolean
          then greatest(${p('at')}::timestamptz, updated_at + interval '1 millisecond') else updated_at end
      where ${p('counts')}::boolean and id in (select webhook_id from failed)
    ), ended as (
      update webhook_delivery set state = 'failed', error = ${p('turnedOff')}, leased_until = null
      where webhook_id in (select webhook_id from failed) and state = 'pending' and id <> ${p('id')}
        and type <> 'webhook.disabled' and ${p('disables')}::boolean
    )
    insert into webhook_delivery (id, webhook_id, type, at, data, due_at)
    select ${p('noticeId')}::uuid, webhook_id, 'webhook.disabled', ${p('at')}::timestamptz, ${p('notice')}::json,
      ${p('at')}::timestamptz
    from failed where ${p('disables')}::boolean`,
  ),

  list: statement(
    'list_webhook_deliveries',
    (p: Placeholders<OfWebhook & { limit: number; after: string | null }>) => sql<DeliveryRow>`
    select ${COLUMNS} from webhook_delivery delivery, webhook
    where ${ofWebhook(p)} and (${p('after')}::uuid is null or delivery.number < (
      select number from webhook_delivery where id = ${p('after')}::uuid and webhook_id = ${p('webhookId')}))
    order by delivery.number desc limit ${p('limit')}`,
  ),

  find: statement(
    'find_webhook_delivery',
    (p: Placeholders<OfWebhook & { id: string }>) => sql<DeliveryRow>`
    select ${COLUMNS} from webhook_delivery delivery, webhook where delivery.id = ${p('id')} and ${ofWebhook(p)}`,
  ),

  retry: statement(
    'retry_webhook_delivery',
    (p: Placeholders<OfWebhook & { id: string; now: Date }>) => sql`
    update webhook_delivery delivery set state = 'pending', due_at = ${p('now')}::timestamptz
    from webhook
    where delivery.id = ${p('id')} and ${ofWebhook(p)} and webhook.is_active
      and coalesce(delivery.leased_until, '-infinity') <= ${p('now')}::timestamptz`,
  ),

  deleteBefore: statement(
    'delete_webhook_deliveries_before',
    (p: Placeholders<{ time: Date }>) => sql`delete from webhook_delivery where at < ${p('time')}::timestamptz`,
  ),
};
