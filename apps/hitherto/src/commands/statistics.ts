import type { Command } from 'commander';
import type { Context, EngineCheck } from '../cli/context.ts';
import { showProgress } from '../cli/progress.ts';
import { requireWebsite } from '../cli/require-website.ts';
import { parseDay } from '../cli/times.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings, SETTINGS } from '../installation/settings.ts';
import { moveCommand } from './move.ts';

interface RebuildOptions {
  readonly website?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `statistics rebuild`, `move` and `check-engine`; returns the group, for others. */
export function statisticsCommands(program: Command, context: Context): Command {
  const statistics = program.command('statistics').description('maintain statistics');

  statistics
    .command('rebuild')
    .description('compute visits and summaries again from the raw hits; no number changes')
    .option('--website <id>', 'rebuild only this website')
    .option('--from <day>', 'the first day, such as 2026-11-01', parseDay)
    .option('--to <day>', 'the last day', parseDay)
    .addHelpText('after', '\nExample:\n  $ hitherto statistics rebuild --from 2026-11-01 --to 2026-11-30')
    .action(async ({ website, from, to }: RebuildOptions, command: Command) => {
      if (from !== undefined && to !== undefined && from > to) {
        command.error(`error: --from ${from} must not be after --to ${to}.`);
      }
      const days = await withDatabase(context, async ({ directory, maintenance }) => {
        const scope = {
          ...(website === undefined ? {} : { websiteId: (await requireWebsite(directory, website)).website.id }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        };
        return maintenance.rebuild(scope, context.now(), showProgress(context, 'days'));
      });
      context.tell(`Rebuilt ${days} ${days === 1 ? 'day' : 'days'} of statistics.\n`);
    });

  moveCommand(statistics, context);

  statistics
    .command('check-engine')
    .description('check a ClickHouse server or cluster before use, in a database that is dropped at the end')
    .argument('[url]', `the server, if not the one of ${SETTINGS.clickhouseUrl.name}`)
    .addHelpText('after', '\nExample:\n  $ hitherto statistics check-engine https://user:password@localhost:8443')
    .action(async (given: string | undefined) => {
      const settings = loadSettings(context.env);
      const url = given === undefined ? settings.clickhouseUrl : SETTINGS.clickhouseUrl.read(given);
      if (url === undefined) {
        const { name, accepted } = SETTINGS.clickhouseUrl;
        throw new Error(given === undefined ? `Name a server, or set ${name}.` : `The URL must be ${accepted}.`);
      }
      const checks: EngineCheck[] = [];
      for await (const check of context.checkClickHouse({ url, cluster: settings.clickhouseCluster })) {
        checks.push(check);
        context.print(
          `${check.holds ? 'ok    ' : 'FAILED'}  ${check.name}${check.detail === '' ? '' : `: ${check.detail}`}\n`,
        );
      }
      if (checks.some(({ holds }) => !holds)) throw new Error('A check failed: do not use this server.');
    });
  return statistics;
}
