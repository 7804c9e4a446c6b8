import { randomUUID } from 'node:crypto';
import { isId, storableString } from '@hitherto/domain/base';
import type { Attempt, ClaimedDelivery, Delivery, WebhookEvent, WebhookOutbox } from '@hitherto/domain/webhooks';
import type { Database } from '../connection/database.ts';
import { openSealed, TURNED_OFF } from '../resources/webhooks.ts';
import type { Seal } from '../seal.ts';
import { type ClaimRow, type DeliveryRow, statements } from './outbox-statements.ts';

const MAX_ERROR_LENGTH = 500;

/** Stores deliveries in PostgreSQL. Long statements run on `background`. */
export function createWebhookOutbox(database: Database, background: Database, seal: Seal): WebhookOutbox {
  const toClaimed = (row: ClaimRow, leasedUntil: Date): ClaimedDelivery => {
    const { id, accountId, webhookId, format, failingSince, attempts } = row;
    const webhook = { id: webhookId, format, failingSince, ...openSealed({ ...row, id: webhookId }, seal) };
    return { id, event: eventOf(row), accountId, webhook, attempts, leasedUntil: new Date(leasedUntil) };
  };

  return {
    async claim(now, leasedUntil) {
      const { rows } = await database.query(statements.claim.with({ now, leasedUntil }));
      return rows[0] && toClaimed(rows[0], leasedUntil);
    },

    async claimTest(accountId, webhookId, { type, at, data }, leasedUntil) {
      if (!isId(accountId) || !isId(webhookId)) return undefined;
      const about = { id: randomUUID(), accountId, webhookId, type, at, data: JSON.stringify(data), leasedUntil };
      const { rows } = await database.query(statements.claimTest.with(about));
      return rows[0] && toClaimed(rows[0], leasedUntil);
    },

    async finish(delivery, attempt) {
      const { at, responseCode, counts } = attempt;
      const about = { id: delivery.id, webhookId: delivery.webhook.id, at, responseCode, counts };
      if (attempt.outcome === 'delivered') {
        await database.query(statements.deliver.with(about));
        return;
      }
      await database.query(statements.fail.with({ ...about, ...failureOf(delivery, attempt) }));
    },

    async list(accountId, webhookId, limit, after) {
      if (!isId(accountId) || !isId(webhookId) || (after !== undefined && !isId(after))) return [];
      const about = { accountId, webhookId, limit, after: after ?? null };
      return (await database.query(statements.list.with(about))).rows.map(toDelivery);
    },

    async find(accountId, webhookId, id) {
      if (!isId(accountId) || !isId(webhookId) || !isId(id)) return undefined;
      const { rows } = await database.query(statements.find.with({ accountId, webhookId, id }));
      return rows[0] && toDelivery(rows[0]);
    },

    async retry(accountId, webhookId, id, now) {
      if (!isId(accountId) || !isId(webhookId) || !isId(id)) return false;
      return (await database.query(statements.retry.with({ accountId, webhookId, id, now }))).count === 1;
    },

    async deleteBefore(time) {
      return (await background.query(statements.deleteBefore.with({ time }))).count;
    },
  };
}

function failureOf(
  { leasedUntil }: ClaimedDelivery,
  { at, error, retryAt, disabled }: Extract<Attempt, { outcome: 'failed' }>,
) {
  return {
    leasedUntil,
    error: [...storableString(error)].slice(0, MAX_ERROR_LENGTH).join(''),
    state: retryAt === undefined ? 'failed' : 'pending',
    dueAt: retryAt ?? at,
    disables: disabled !== undefined,
    noticeId: randomUUID(),
    notice: JSON.stringify(disabled?.data ?? {}),
    turnedOff: TURNED_OFF,
  };
}

/** `data` is the content of an event of this type. */
function eventOf({ type, at, data }: ClaimRow): WebhookEvent {
  return { type, at, data } as WebhookEvent;
}

function toDelivery(row: DeliveryRow): Delivery {
  const { id, type, at, state, attempts, responseCode, error, attemptedAt, dueAt } = row;
  return { id, event: { type, at }, state, attempts, responseCode, error, attemptedAt, dueAt };
}
