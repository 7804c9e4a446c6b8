import { type Attempt, type ClaimedDelivery, deliverDue } from '@hitherto/domain/webhooks';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { clockOf, parseTime } from '../cli/times.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings } from '../installation/settings.ts';
import { openMail } from '../service/mail.ts';

/** What would go wrong with a time in the future. */
const EARLY = 'Deliveries that fail would not be attempted again before that time.';

/** `webhooks run`. */
export function webhookCommands(program: Command, context: Context): void {
  program
    .command('webhooks')
    .description('deliver events to webhooks')
    .command('run')
    .description('attempt the deliveries that are due, retries included, and print how many')
    .option('--at <time>', 'act as if it were this past time, such as 2026-11-23T09:00:00Z', parseTime)
    .addHelpText('after', '\nExample:\n  $ hitherto webhooks run --at 2026-11-23T09:00:00Z')
    .action(async ({ at }: { at?: Date }) => {
      const settings = loadSettings(context.env);
      const now = clockOf(at, context.now, EARLY);
      // Loaded here, because they bring the HTTP server, which other commands do without.
      const { openWebhookSender } = await import('../service/webhooks.ts');
      const { outcomeOf } = await import('../service/record-outcomes.ts');
      const outcomes: string[] = [];
      const onDelivery = ({ id, event, webhook }: ClaimedDelivery, attempt: Attempt) => {
        const outcome = outcomeOf(attempt);
        outcomes.push(outcome);
        const why = attempt.outcome === 'failed' ? [attempt.error] : [];
        context.print(`${[outcome, webhook.id, event.type, id, ...why].join('  ')}\n`);
      };
      await withDatabase(context, async (database) => {
        const sender = openWebhookSender(settings, database, { ...context, now }, onDelivery);
        await deliverDue({ ...sender, notices: await openMail(settings, context.openMailer) });
      });
      const counts = ['delivered', 'retried', 'failed'].map(
        (outcome) => `${outcomes.filter((each) => each === outcome).length} ${outcome}`,
      );
      context.tell(`Deliveries: ${counts.join(', ')}.\n`);
    });
}
