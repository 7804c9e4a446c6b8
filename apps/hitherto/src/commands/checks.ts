import { runChecks } from '@hitherto/domain/checks';
import { printable } from '@hitherto/domain/format';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { clockOf, parseTime } from '../cli/times.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings } from '../installation/settings.ts';
import { openChecks } from '../service/checks.ts';

/** What would go wrong with a time in the future. */
const EARLY = 'Visits until then are not counted yet.';

/** `checks run`. */
export function checkCommands(program: Command, context: Context): void {
  program
    .command('checks')
    .description('check websites for what is wrong with their numbers')
    .command('run')
    .description('check the websites whose last day was not checked yet, and print what was found')
    .option('--at <time>', 'act as if it were this past time, such as 2026-11-23T09:00:00Z', parseTime)
    .addHelpText('after', '\nExample:\n  $ hitherto checks run')
    .action(async ({ at }: { at?: Date }) => {
      const settings = loadSettings(context.env);
      const acting = { ...context, now: clockOf(at, context.now, EARLY) };
      let opened = 0;
      await withDatabase(context, (database) =>
        runChecks(
          openChecks(settings, database, acting, ({ data: { website, finding } }) => {
            opened += 1;
            context.print(`opened  ${website.id}  ${finding.id}  ${finding.check}  ${printable(finding.text)}\n`);
          }),
        ),
      );
      context.tell(`Checks: ${opened} findings opened.\n`);
    });
}
