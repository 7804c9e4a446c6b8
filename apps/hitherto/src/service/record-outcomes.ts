import type { CheckAlertsDependencies, SendAlertsDependencies } from '@hitherto/domain/alerts';
import type { Log } from '@hitherto/domain/base';
import type { SendMailsDependencies } from '@hitherto/domain/mails';
import type { ReportEvent } from '@hitherto/domain/reports';
import type { Attempt, ClaimedDelivery } from '@hitherto/domain/webhooks';
import { describeError, type Metrics } from '@hitherto/http';
import { Counter } from 'prom-client';

// The counters and log lines of reports, alerts and webhooks. They name websites, alerts and webhooks by their ids.

/** Counts and logs the outcome of each report. The log names the website by its id. */
export function recordReportOutcomes({ registry }: Pick<Metrics, 'registry'>, log: Log): (event: ReportEvent) => void {
  const reports = new Counter({
    name: 'hitherto_reports_total',
    help: 'Reports by outcome: sent, skipped (no visits), retried (failed, tried again), failed (given up).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['sent', 'skipped', 'retried', 'failed']) reports.inc({ outcome }, 0);
  return ({ outcome, websiteId, period, detail, error, retryAt }) => {
    reports.inc({ outcome });
    const isFailure = outcome === 'retried' || outcome === 'failed';
    const details = {
      outcome,
      website: websiteId,
      period,
      ...(detail && { detail }),
      ...(error === undefined ? {} : { error: describeError(error) }),
      ...(retryAt && { retry_at: retryAt }),
    };
    log(isFailure ? 'warn' : 'info', 'report', details);
  };
}

/** Counts and logs the mails to people. The log names a mail by its id, never who gets it. */
export function recordMailOutcomes({ registry }: Pick<Metrics, 'registry'>, log: Log): SendMailsDependencies['onMail'] {
  const mails = new Counter({
    name: 'hitherto_mails_total',
    help: 'Mails about the sign-in of people by outcome: sent, retried (failed, tried again), failed (given up).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['sent', 'retried', 'failed']) mails.inc({ outcome }, 0);
  return ({ key }, result) => {
    if (result.outcome === 'dropped') return;
    if (result.outcome !== 'failed') {
      mails.inc({ outcome: result.outcome });
      return log('info', 'mail to a person', { outcome: result.outcome, mail: key });
    }
    const { failure, retryAt, error } = result;
    const outcome = retryAt === undefined ? 'failed' : 'retried';
    mails.inc({ outcome });
    const again = retryAt && { retry_at: retryAt };
    const cause = error === undefined ? {} : { error: describeError(error) };
    log('warn', 'mail to a person', { outcome, mail: key, detail: failure.detail, ...cause, ...again });
  };
}

type AlertRecorder = Pick<CheckAlertsDependencies, 'onFired'> & Pick<SendAlertsDependencies, 'onMail'>;

/** Counts and logs the alerts that fire, and their mails. The log names websites and alerts by their ids. */
export function recordAlertOutcomes({ registry }: Pick<Metrics, 'registry'>, log: Log): AlertRecorder {
  const fired = new Counter({
    name: 'hitherto_alerts_total',
    help: 'Alerts that fired.',
    registers: [registry],
  });
  return {
    onFired({ alert, website }) {
      fired.inc();
      log('info', 'alert fired', { alert: alert.id, rule: alert.rule, website: website.id });
    },
    onMail({ key, websiteId }, result) {
      if (result.outcome === 'dropped') return;
      const details = { outcome: result.outcome, website: websiteId, mail: key };
      if (result.outcome !== 'failed') return log('info', 'mail of an alert', details);
      const error = result.error === undefined ? {} : { error: describeError(result.error) };
      const again = result.retryAt && { retry_at: result.retryAt };
      log('warn', 'mail of an alert', { ...details, detail: result.failure.detail, ...error, ...again });
    },
  };
}

/** Counts and logs each attempt. The log names the webhook by its id, never its URL. */
export function recordWebhookOutcomes(
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

/** The outcome of an attempt of a delivery. */
export function outcomeOf(attempt: Attempt): 'delivered' | 'retried' | 'failed' {
  if (attempt.outcome === 'delivered') return 'delivered';
  return attempt.retryAt === undefined ? 'failed' : 'retried';
}
