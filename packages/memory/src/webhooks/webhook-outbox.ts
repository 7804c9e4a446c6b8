import type { ClaimedDelivery, Delivery, Webhook, WebhookOutbox } from '@hitherto/domain/webhooks';
import type { State } from '../state.ts';
import { addDelivery, endDeliveries, isNotice, putDelivery, type StoredDelivery } from './deliveries.ts';

/** Clocks of instances differ by less. An event of a later time, as a wrong clock makes it, holds no others up. */
const LONGEST_AHEAD_MS = 3_600_000;

/** Stores deliveries in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createWebhookOutbox(state: State): WebhookOutbox {
  const isOwn = (accountId: string, webhookId: string) => findWebhook(state, webhookId)?.accountId === accountId;
  const ofWebhook = (accountId: string, webhookId: string) =>
    isOwn(accountId, webhookId) ? state.deliveries.filter((delivery) => delivery.webhookId === webhookId) : [];

  const claimed = (delivery: StoredDelivery, leasedUntil: Date): ClaimedDelivery | undefined => {
    const found = findWebhook(state, delivery.webhookId);
    if (found === undefined) return undefined;
    const { accountId, webhook } = found;
    const { id, url, format, secret, failingSince } = webhook;
    const about = { id: delivery.id, event: delivery.event, attempts: delivery.attempts };
    return structuredClone({ ...about, accountId, webhook: { id, url, format, secret, failingSince }, leasedUntil });
  };

  return {
    async claim(now, leasedUntil) {
      const pending = state.deliveries.filter((delivery) => delivery.state === 'pending');
      const isBlocked = ({ webhookId, websiteId }: StoredDelivery, place: number) =>
        pending.some(
          (other, otherPlace) =>
            other.webhookId === webhookId &&
            ((otherPlace < place &&
              websiteId !== null &&
              other.websiteId === websiteId &&
              other.event.at.getTime() <= now.getTime() + LONGEST_AHEAD_MS) ||
              (other.leasedUntil !== null && other.leasedUntil > now)),
        );
      const isSent = (delivery: StoredDelivery) =>
        isNotice(delivery) || findWebhook(state, delivery.webhookId)?.webhook.isActive === true;
      const [due] = pending
        .filter((delivery, place) => delivery.dueAt <= now && isSent(delivery) && !isBlocked(delivery, place))
        .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
      if (due === undefined) return undefined;
      const until = new Date(leasedUntil);
      putDelivery(state, { ...due, dueAt: until, leasedUntil: until });
      return claimed(due, leasedUntil);
    },

    async claimTest(accountId, webhookId, event, leasedUntil) {
      if (!isOwn(accountId, webhookId)) return undefined;
      const added = addDelivery(state, { event, webhookId, websiteId: null, dueAt: leasedUntil, leasedUntil });
      return claimed(added, leasedUntil);
    },

    async finish({ id, leasedUntil }, attempt) {
      const delivery = state.deliveries.find((each) => each.id === id);
      if (delivery === undefined) return;
      const ended = {
        ...delivery,
        attempts: delivery.attempts + 1,
        attemptedAt: new Date(attempt.at),
        responseCode: attempt.responseCode,
        leasedUntil: null,
      };
      if (attempt.outcome === 'delivered') {
        if (delivery.state !== 'delivered') putDelivery(state, { ...ended, state: 'delivered', error: null });
        if (attempt.counts) putWebhook(state, delivery.webhookId, (webhook) => ({ ...webhook, failingSince: null }));
        return;
      }
      if (delivery.state !== 'pending' || delivery.leasedUntil?.getTime() !== leasedUntil.getTime()) return;
      const { error, retryAt, disabled, counts, at } = attempt;
      const next = retryAt === undefined ? 'failed' : 'pending';
      const cut = [...error].slice(0, 500).join('');
      putDelivery(state, { ...ended, state: next, error: cut, dueAt: new Date(retryAt ?? at) });
      if (!counts) return;
      putWebhook(state, delivery.webhookId, (webhook) => ({
        ...webhook,
        failingSince: webhook.failingSince ?? new Date(at),
        ...(disabled === undefined ? {} : { isActive: false, updatedAt: laterOf(at, webhook.updatedAt) }),
      }));
      if (disabled === undefined) return;
      endDeliveries(state, delivery.webhookId);
      const { webhookId } = delivery;
      addDelivery(state, { event: disabled, webhookId, websiteId: null, dueAt: at, leasedUntil: null });
    },

    async list(accountId, webhookId, limit, after) {
      const newestFirst = ofWebhook(accountId, webhookId).toReversed();
      const place = after === undefined ? -1 : newestFirst.findIndex(({ id }) => id === after);
      if (after !== undefined && place === -1) return [];
      return newestFirst.slice(place + 1, place + 1 + limit).map(toDelivery);
    },

    async find(accountId, webhookId, id) {
      const found = ofWebhook(accountId, webhookId).find((delivery) => delivery.id === id);
      return found && toDelivery(found);
    },

    async retry(accountId, webhookId, id, now) {
      const found = ofWebhook(accountId, webhookId).find((delivery) => delivery.id === id);
      const isFree = found !== undefined && (found.leasedUntil === null || found.leasedUntil <= now);
      if (!isFree || !findWebhook(state, webhookId)?.webhook.isActive) return false;
      putDelivery(state, { ...found, state: 'pending', dueAt: new Date(now) });
      return true;
    },

    async deleteBefore(time) {
      const kept = state.deliveries.filter(({ event }) => event.at >= time);
      const deleted = state.deliveries.length - kept.length;
      state.deliveries = kept;
      return deleted;
    },
  };
}

function findWebhook(state: State, id: string): { accountId: string; webhook: Webhook } | undefined {
  const found = state.resources.webhook.get(id);
  return found && { accountId: found.owner.accountId, webhook: found.resource };
}

function putWebhook(state: State, id: string, change: (webhook: Webhook) => Webhook): void {
  const found = state.resources.webhook.get(id);
  if (found !== undefined) state.resources.webhook.set(id, { ...found, resource: change(found.resource) });
}

function laterOf(at: Date, updatedAt: Date): Date {
  return new Date(Math.max(at.getTime(), updatedAt.getTime() + 1));
}

function toDelivery(stored: StoredDelivery): Delivery {
  const { id, state, attempts, responseCode, error, attemptedAt, dueAt } = stored;
  const { type, at } = stored.event;
  const due = state === 'pending' ? dueAt : null;
  return structuredClone({ id, event: { type, at }, state, attempts, responseCode, error, attemptedAt, dueAt: due });
}
