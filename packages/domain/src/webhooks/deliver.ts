import type { Locale } from '@hitherto/words';
import type { AccessRepository } from '../access/access-repository.ts';
import { type MonotonicClock, untilCertain } from '../base/outage.ts';
import { inEnglish, type StoredText, storedText, tellStored } from '../base/stored-text.ts';
import { type Mailer, MailFailed } from '../reports/mailer.ts';
import { webhookHost } from './webhook.ts';
import { type WebhookClient, WebhookUnreachable, type WriteWebhookMessage } from './webhook-client.ts';
import type { Attempt, ClaimedDelivery, WebhookOutbox } from './webhook-outbox.ts';

type FailedAttempt = Extract<Attempt, { outcome: 'failed' }>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long a process may take for one attempt, which ends after 10 seconds, or for a mail, after 2 minutes. */
export const DELIVERY_LEASE_MS = 3 * MINUTE_MS;
/** How long after each failure a delivery is tried again; after one more failure it is given up. */
const WEBHOOK_RETRIES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
/** A delivery that fails again turns its webhook off if that has failed for so long without a success. */
const DISABLE_AFTER_MS = 5 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;
/** How many deliveries an instance attempts at once. */
const SENDERS = 4;
const GONE = 410;
const INTERNAL = storedText('internal');

export interface DeliverDependencies {
  readonly webhookOutbox: WebhookOutbox;
  readonly webhookClient: WebhookClient;
  readonly writeMessage: WriteWebhookMessage;
  readonly access: Pick<AccessRepository, 'findAccount'>;
  /** Tells accounts of webhooks that were turned off; `undefined` where no mail is sent. */
  readonly notices:
    | { readonly mailer: Pick<Mailer, 'notify'>; readonly messageHost: string; readonly locale: Locale }
    | undefined;
  readonly now: () => Date;
  readonly clock: MonotonicClock;
  /** Called after each attempt, once it is recorded. */
  readonly onDelivery: (delivery: ClaimedDelivery, attempt: Attempt) => void;
}

/**
 * Attempts the deliveries that are due now and not claimed by another process, until none is left or `signal` aborts. Rejects
 * with `unavailable` while the database is unreachable.
 */
export async function deliverDue(deps: DeliverDependencies, signal?: AbortSignal): Promise<void> {
  const claimNext = async () => {
    if (signal?.aborted) return undefined;
    const time = deps.now();
    return deps.webhookOutbox.claim(time, new Date(time.getTime() + DELIVERY_LEASE_MS));
  };
  // One after the other: claims at the same time do not see each other, and could be of deliveries to one webhook.
  let latest: Promise<ClaimedDelivery | undefined> = Promise.resolve(undefined);
  const claim = () => {
    latest = latest.then(claimNext, claimNext);
    return latest;
  };
  const send = async (claimed?: ClaimedDelivery) => {
    for (let delivery = claimed ?? (await claim()); delivery !== undefined; delivery = await claim()) {
      await attemptDelivery(deps, delivery);
    }
  };
  // Usually no delivery is due.
  const first = await claim();
  if (first === undefined) return;
  const senders = [send(first), ...Array.from({ length: SENDERS - 1 }, () => send())];
  for (const sender of await Promise.allSettled(senders)) if (sender.status === 'rejected') throw sender.reason;
}

/** Deletes deliveries after 30 days. */
export async function deleteOldDeliveries({
  webhookOutbox,
  now,
}: Pick<DeliverDependencies, 'webhookOutbox' | 'now'>): Promise<void> {
  await webhookOutbox.deleteBefore(new Date(now().getTime() - KEPT_MS));
}

/** Attempts a claimed delivery, and records its outcome. */
export async function attemptDelivery(deps: DeliverDependencies, delivery: ClaimedDelivery): Promise<Attempt> {
  const deadline = deps.clock.now() + DELIVERY_LEASE_MS;
  const attempt = await (delivery.event.type === 'webhook.disabled' ? notify : post)(deps, delivery);
  // One that was delivered, but is not recorded so, is delivered again under the same id when the lease has ended.
  await untilCertain(() => deps.webhookOutbox.finish(delivery, attempt), deadline, deps.clock);
  deps.onDelivery(delivery, attempt);
  return attempt;
}

async function post(deps: DeliverDependencies, delivery: ClaimedDelivery): Promise<Attempt> {
  const { id, event, webhook } = delivery;
  const { url, format, secret } = webhook;
  const at = deps.now();
  if (url === null || (format === 'json' && secret === null)) {
    return failed(delivery, at, null, storedText('undecryptable'));
  }
  try {
    const message = deps.writeMessage(event, format, url);
    const responseCode = await deps.webhookClient.send({ ...message, id, secret });
    if (responseCode >= 200 && responseCode < 300) return { at, responseCode, outcome: 'delivered', counts: true };
    return failed(delivery, at, responseCode, storedText('status', responseCode));
  } catch (error) {
    if (error instanceof WebhookUnreachable) return failed(delivery, at, null, error.text);
    return { ...failed(delivery, at, null, INTERNAL), cause: error };
  }
}

function failed(
  { event, attempts, webhook }: ClaimedDelivery,
  at: Date,
  responseCode: number | null,
  error: StoredText,
): FailedAttempt {
  const since = webhook.failingSince ?? at;
  const isGone = responseCode === GONE;
  // One failure after quiet days says little, so a delivery is tried a second time first.
  const isLong = attempts > 0 && at.getTime() - since.getTime() >= DISABLE_AFTER_MS;
  const text = isGone ? storedText('gone') : error;
  const data = { since: since.toISOString(), reason: inEnglish(text), text };
  const disabled = { type: 'webhook.disabled', at, data } as const;
  return {
    at,
    responseCode,
    outcome: 'failed',
    error: inEnglish(error),
    retryAt: isGone || isLong || event.type === 'webhook.test' ? undefined : retryTime(attempts, at),
    counts: true,
    ...(isGone || isLong ? { disabled } : {}),
  };
}

/** Tells the account that its webhook was turned off. */
async function notify(deps: DeliverDependencies, delivery: ClaimedDelivery): Promise<Attempt> {
  const { id, event, attempts, accountId, webhook } = delivery;
  const at = deps.now();
  const fails = (error: string, retryAt?: Date): FailedAttempt => {
    return { at, responseCode: null, outcome: 'failed', error, retryAt, counts: false };
  };
  const account = await deps.access.findAccount(accountId);
  const to = account?.email?.address;
  if (event.type !== 'webhook.disabled' || deps.notices === undefined) return fails('This installation sends no mail.');
  if (to === undefined) return fails('The account has no e-mail address.');
  const { mailer, messageHost, locale } = deps.notices;
  const { since, reason, text } = event.data;
  const { words } = locale;
  const { mails } = words;
  const host = webhookHost(webhook) ?? mails.hiddenHost;
  const title = mails.webhookOff(host);
  const paragraphs = [
    mails.webhookSince(host, since.slice(0, 16).replace('T', ' '), tellStored(text, words, reason)),
    mails.webhookOn,
  ];
  try {
    const messageId = `webhook.${id}@${messageHost}`;
    await mailer.notify({
      to,
      locale,
      subject: title,
      title,
      paragraphs,
      lists: [],
      link: undefined,
      messageId,
      date: event.at,
    });
    return { at, responseCode: null, outcome: 'delivered', counts: false };
  } catch (error) {
    const retryAt = retryTime(attempts, at);
    if (error instanceof MailFailed) return fails(error.detail.replaceAll(to, '***'), retryAt);
    return { ...fails(inEnglish(INTERNAL), retryAt), cause: error };
  }
}

function retryTime(attempts: number, at: Date): Date | undefined {
  const delay = WEBHOOK_RETRIES_MS[attempts];
  return delay === undefined ? undefined : new Date(at.getTime() + delay);
}
