import { checkDueAlerts, type DueAlert, type Firing, sendDueAlerts } from '@hitherto/domain/alerts';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { clockOf, parseTime } from '../cli/times.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings } from '../installation/settings.ts';
import { openAlertChecker, openAlertSender } from '../service/alerts.ts';
import { openMail } from '../service/mail.ts';

/** What would go wrong with a time in the future. */
const EARLY =
  'Visits until then are not counted yet: alerts would fire without a reason, and might not fire when they have one.';

/** `alerts run`. */
export function alertCommands(program: Command, context: Context): void {
  program
    .command('alerts')
    .description('check alerts and send their mails')
    .command('run')
    .description('check the alerts that are due, send the mails that are due, retries included, and print how many')
    .option('--at <time>', 'act as if it were this past time, such as 2026-11-23T09:00:00Z', parseTime)
    .addHelpText('after', '\nExample:\n  $ hitherto alerts run --at 2026-11-23T09:00:00Z')
    .action(async ({ at }: { at?: Date }) => {
      const settings = loadSettings(context.env);
      const acting = { ...context, now: clockOf(at, context.now, EARLY) };
      let fired = 0;
      const outcomes: string[] = [];
      const onFired = ({ alert, website }: DueAlert, { event }: Firing) => {
        fired += 1;
        context.print(`fired  ${website.id}  ${alert.id}  ${alert.rule}  ${event.data.alert.text}\n`);
      };
      await withDatabase(context, async (database) => {
        await checkDueAlerts(openAlertChecker(settings, database, acting, onFired));
        const mail = await openMail(settings, context.openMailer);
        if (mail === undefined) return;
        const sender = openAlertSender(settings, mail, database, acting.now, ({ key, websiteId }, result) => {
          const outcome = result.outcome === 'failed' && result.retryAt !== undefined ? 'retried' : result.outcome;
          outcomes.push(outcome);
          const why = result.outcome === 'failed' ? [result.failure.detail] : [];
          context.print(`${[outcome, websiteId, key, ...why].join('  ')}\n`);
        });
        await sendDueAlerts(sender);
      });
      const counts = ['sent', 'retried', 'failed'].map(
        (outcome) => `${outcomes.filter((each) => each === outcome).length} ${outcome}`,
      );
      context.tell(`Alerts: ${fired} fired; mails: ${counts.join(', ')}.\n`);
    });
}
