import { type DeliverDependencies, MONOTONIC_CLOCK, type WebhookClient } from '@hitherto/domain';
import { writeWebhookMessage } from '@hitherto/http';
import type { Database } from '../database.ts';
import type { Settings } from '../settings.ts';
import type { ReportSenderDependencies } from './reports.ts';

export interface WebhookClientOptions {
  readonly allowedNetworks: readonly string[];
}

export interface WebhookSenderDependencies extends ReportSenderDependencies {
  readonly openWebhookClient: (options: WebhookClientOptions) => WebhookClient;
}

/** Delivers to webhooks with these settings; without `notices`, which only the job needs. */
export function openWebhookSender(
  { webhookAllowPrivate: allowedNetworks = [] }: Settings,
  { webhookOutbox, access }: Pick<Database, 'webhookOutbox' | 'access'>,
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

/** How accounts are told by mail; `undefined` if the settings name no mail server. */
export async function openNotices(
  { smtpUrl, mailFrom, publicUrl }: Settings,
  { openMailer }: ReportSenderDependencies,
): Promise<DeliverDependencies['notices']> {
  if (smtpUrl === undefined || mailFrom === undefined || publicUrl === undefined) return undefined;
  return { mailer: await openMailer({ url: smtpUrl, from: mailFrom }), messageHost: new URL(publicUrl).hostname };
}
