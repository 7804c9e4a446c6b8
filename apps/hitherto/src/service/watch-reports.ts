import type { Log, ReportEvent } from '@hitherto/domain';
import { describeError, type Metrics } from '@hitherto/http';
import { Counter } from 'prom-client';

/** Counts and logs the outcome of each report. The log names the website by its id. */
export function watchReports({ registry }: Pick<Metrics, 'registry'>, log: Log): (event: ReportEvent) => void {
  const reports = new Counter({
    name: 'hitherto_reports_total',
    help: 'Weekly reports by outcome: sent, skipped (no visits), retried (failed, tried again), failed (given up).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['sent', 'skipped', 'retried', 'failed']) reports.inc({ outcome }, 0);
  return ({ outcome, websiteId, week, detail, error, retryAt }) => {
    reports.inc({ outcome });
    const isFailure = outcome === 'retried' || outcome === 'failed';
    const details = {
      outcome,
      website: websiteId,
      week,
      ...(detail && { detail }),
      ...(error === undefined ? {} : { error: describeError(error) }),
      ...(retryAt && { retry_at: retryAt }),
    };
    log(isFailure ? 'warn' : 'info', 'weekly report', details);
  };
}
