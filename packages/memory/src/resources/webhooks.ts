import {
  type AccountKey,
  MAX_WEBHOOKS,
  tooManyWebhooks,
  type Webhook,
  type WebhookRepository,
} from '@hitherto/domain/webhooks';
import type { State } from '../state.ts';
import { endDeliveries, forgetDeliveries } from '../webhooks/deliveries.ts';
import { createOwned } from './owned.ts';

/** Stores webhooks in `state`. */
export function createWebhookRepository(state: State): WebhookRepository {
  return createOwned<AccountKey, Webhook>(state, state.resources.webhook, {
    limit: MAX_WEBHOOKS,
    tooMany: tooManyWebhooks,
    replacing(before, after) {
      if (!before.isActive || !after.isActive) endDeliveries(state, after.id);
      return { ...after, failingSince: after.failingSince === null ? null : before.failingSince };
    },
    onDelete: (id) => forgetDeliveries(state, id),
  });
}
