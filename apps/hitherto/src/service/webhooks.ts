import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import type { DeliverDependencies, WebhookClient } from '@hitherto/domain/webhooks';
import { writeWebhookMessage } from '@hitherto/wire';
import type { OpenedDatabase } from '../installation/database.ts';
import type { Settings } from '../installation/settings.ts';

export interface WebhookClientOptions {
  readonly allowedNetworks: readonly string[];
}

export interface WebhookSenderDependencies {
  readonly openWebhookClient: (options: WebhookClientOptions) => WebhookClient;
  readonly now: () => Date;
}

/** Delivers to webhooks with these settings; without `notices`, which only the job needs. */
export function openWebhookSender(
  { webhookAllowPrivate: allowedNetworks = [] }: Settings,
  { webhookOutbox, access }: Pick<OpenedDatabase, 'webhookOutbox' | 'access'>,
  { openWebhookClient, now }: WebhookSenderDependencies,
  onDelivery: DeliverDependencies['onDelivery'],
): DeliverDependencies {
  return {
    webhookOutbox,
    access,
    webhookClient: openWebhookClient({ allowedNetworks }),
    writeMessage: writeWebhookMessage,
    notices: undefined,
    now,
    clock: MONOTONIC_CLOCK,
    onDelivery,
  };
}
