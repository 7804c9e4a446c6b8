import { DomainError } from '@hitherto/domain/base';
import { MAX_WEBHOOKS, tooManyWebhooks, type WebhookRepository } from '@hitherto/domain/webhooks';
import { note } from '../audit-trail.ts';
import { hasWebhook, type State } from '../state.ts';
import { endDeliveries, forgetDeliveries } from './deliveries.ts';

/** Stores webhooks in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createWebhookRepository(state: State): WebhookRepository {
  return {
    async list(accountId) {
      return structuredClone([...(state.accounts.get(accountId)?.webhooks.values() ?? [])]);
    },

    async find(accountId, id) {
      return structuredClone(state.accounts.get(accountId)?.webhooks.get(id));
    },

    async insert(accountId, webhook, change) {
      const webhooks = state.accounts.get(accountId)?.webhooks;
      if (webhooks === undefined) throw new DomainError('not_found', 'The account is gone.');
      if (webhooks.size >= MAX_WEBHOOKS) throw tooManyWebhooks();
      if (hasWebhook(state, webhook.id)) throw new DomainError('id_taken', 'There is already a webhook with this id.');
      webhooks.set(webhook.id, structuredClone(webhook));
      note(state, change);
    },

    async replace(accountId, webhook, expected, change) {
      const webhooks = state.accounts.get(accountId)?.webhooks;
      const current = webhooks?.get(webhook.id);
      if (webhooks === undefined || current?.updatedAt.getTime() !== expected.getTime()) return false;
      const failingSince = webhook.failingSince === null ? null : current.failingSince;
      webhooks.set(webhook.id, structuredClone({ ...webhook, failingSince }));
      if (!current.isActive || !webhook.isActive) endDeliveries(state, webhook.id);
      note(state, change);
      return true;
    },

    async delete(accountId, id, expected, change) {
      const webhooks = state.accounts.get(accountId)?.webhooks;
      if (webhooks?.get(id)?.updatedAt.getTime() !== expected.getTime()) return false;
      webhooks.delete(id);
      forgetDeliveries(state, id);
      note(state, change);
      return true;
    },
  };
}
