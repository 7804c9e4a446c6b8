import type { CheckAlertsDependencies, Log, SendAlertsDependencies } from '@hitherto/domain';
import { describeError, type Metrics } from '@hitherto/http';
import { Counter } from 'prom-client';

type Watch = Pick<CheckAlertsDependencies, 'onFired'> & Pick<SendAlertsDependencies, 'onMail'>;

/** Counts and logs the alerts that fire, and their mails. The log names websites and alerts by their ids. */
export function watchAlerts({ registry }: Pick<Metrics, 'registry'>, log: Log): Watch {
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
