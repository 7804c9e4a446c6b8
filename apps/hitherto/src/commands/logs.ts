import { MAX_LOG_NAME } from '@hitherto/domain/imports';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../cli/context.ts';
import { readFileName } from '../cli/file-name.ts';
import type { CoverageOptions } from '../logs/coverage.ts';
import type { LogImportOptions, LogOptions } from '../logs/log-options.ts';

/** `logs import`, `logs follow` and `logs coverage`. */
export function logCommands(program: Command, context: Context): void {
  const logs = program.command('logs').description('count the visits in access logs of web servers');

  options(logs.command('import'))
    .description('import logs into the websites of their lines; read again, only new lines count')
    .option('--keep-going', 'import also if more than 1 % of the lines cannot be read')
    .addHelpText('after', '\nExample:\n  $ hitherto logs import /var/log/nginx/access.log* --website 01997c3e-…')
    .action(async (files: string[], given: LogImportOptions) => {
      const { importLogFiles } = await import('../logs/import-logs.ts');
      await importLogFiles(context, files, given);
    });

  options(logs.command('follow'))
    .description('read logs, and go on as they grow and rotate, until SIGINT or SIGTERM')
    .addHelpText('after', '\nExample:\n  $ hitherto logs follow /var/log/caddy/access.log')
    .action(async (files: string[], given: LogOptions) => {
      const { followLogs } = await import('../logs/follow-logs.ts');
      await followLogs(context, files, given);
    });

  withFiles(logs.command('coverage'))
    .description('compare logs with what the tracker has counted, and name pages without it; stores nothing')
    .requiredOption('--website <id>', 'the website')
    .option('--format <format>', 'the format; found by the first lines if it is left out')
    .option('--days <n>', 'look at the last days only', readDays)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  $ hitherto logs coverage /var/log/nginx/access.log* --website 01997c3e-…')
    .action(async (files: string[], given: CoverageOptions) => {
      const { showCoverage } = await import('../logs/coverage.ts');
      await showCoverage(context, files, given);
    });
}

function withFiles(command: Command): Command {
  return command.argument(
    '<file...>',
    'the files of one or several logs, plain or compressed by gzip, in any order',
    (name, names: readonly string[] = []) => [...names, readFileName(name)],
  );
}

function options(command: Command): Command {
  return withFiles(command)
    .option('--website <id>', 'the website of all lines; else each belongs to the website of its host')
    .option('--format <format>', 'the format; found by the first lines if it is left out')
    .option(
      '--log <name>',
      'the name of the log; by default the name of the file, without the suffix of rotation',
      readName,
    )
    .option('--also', 'count lines of a website that has a tracker as well')
    .option('--json', 'print the summary as JSON');
}

function readDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 400) return days;
  throw new InvalidArgumentError('Days must be a whole number from 1 to 400.');
}

function readName(text: string): string {
  if (text.length > 0 && text.length <= MAX_LOG_NAME) return text;
  throw new InvalidArgumentError(`A name must have 1 to ${MAX_LOG_NAME} characters.`);
}
