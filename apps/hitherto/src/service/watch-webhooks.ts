import type { Attempt, ClaimedDelivery, Log } from '@hitherto/domain';
import { describeError, type Metrics } from '@hitherto/http';
import { Counter } from 'prom-client';

/** Counts and logs each attempt. The log names the webhook by its id, never its URL. */
export function watchWebhooks(
  { registry }: Pick<Metrics, 'registry'>,
  log: Log,
): (delivery: ClaimedDelivery, attempt: Attempt) => void {
  const attempts = new Counter({
    name: 'hitherto_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks by outcome: delivered, retried (failed, tried again), failed (given up).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['delivered', 'retried', 'failed']) attempts.inc({ outcome }, 0);
  return ({ id, event, webhook }, attempt) => {
    const outcome = outcomeOf(attempt);
    attempts.inc({ outcome });
    const details = { outcome, webhook: webhook.id, delivery: id, type: event.type };
    if (attempt.outcome === 'delivered') log('info', 'webhook delivery', details);
    else {
      const cause = attempt.cause === undefined ? {} : { error: describeError(attempt.cause) };
      log('warn', 'webhook delivery', { ...details, detail: attempt.error, ...cause });
    }
  };
}

/** What became of a delivery by an attempt. */
export function outcomeOf(attempt: Attempt): 'delivered' | 'retried' | 'failed' {
  if (attempt.outcome === 'delivered') return 'delivered';
  return attempt.retryAt === undefined ? 'failed' : 'retried';
}
