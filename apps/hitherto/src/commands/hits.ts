import { IMPORT_FORMATS } from '@hitherto/domain/imports';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../cli/context.ts';
import { readFileName } from '../cli/file-name.ts';
import { parseDay } from '../cli/times.ts';
import type { ImportCommandOptions } from '../hits/import-hits.ts';

/** `statistics import` and `statistics export`. */
export function hitCommands(statistics: Command, context: Context): void {
  statistics
    .command('import')
    .description('add the numbers of a file that another product, or "statistics export", has written')
    .argument('[file]', 'the file, plain or compressed; - for standard input', readFileName)
    .requiredOption('--website <id>', 'the website that they belong to')
    .addOption(
      new Option('--format <format>', 'the format of the file')
        .choices(['auto', ...IMPORT_FORMATS])
        .default('auto')
        .conflicts('fromDatabase'),
    )
    .option('--from-database <url>', 'instead of a file, the PostgreSQL of a self-hosted Umami: postgres://…')
    .option('--source-website <id>', 'the website there, if it has another domain')
    .addOption(
      new Option('--time-zone <zone>', 'the zone of times without an offset; UTC by default').conflicts('fromDatabase'),
    )
    .option('--until <day>', 'the last day to import, such as 2026-11-01', parseDay)
    .option('--dry-run', 'only read the file, and preview the import')
    .option('--keep-going', 'import also if more than 1 % of the rows are faulty')
    .addHelpText(
      'after',
      '\nExamples:\n  $ hitherto statistics import visits.jsonl.gz --website 01997c3e-…\n  $ PGPASSWORD=… hitherto statistics import --from-database postgres://umami@localhost/umami --website 01997c3e-…',
    )
    .action(async (file: string | undefined, options: ImportCommandOptions, command: Command) => {
      if ((file === undefined) === (options.fromDatabase === undefined)) {
        command.error('error: name either a file or --from-database.');
      }
      if (file !== undefined && options.sourceWebsite !== undefined) {
        command.error('error: --source-website goes with --from-database, not with a file.');
      }
      const { importHits } = await import('../hits/import-hits.ts');
      await importHits(context, file, options);
    });

  statistics
    .command('export')
    .description('write the hits of a website as JSON lines, as far as they are kept, and the sums of its days as CSV')
    .requiredOption('--website <id>', 'the website')
    .requiredOption('--out <file>', 'a new file that ends in .jsonl, or .jsonl.gz to compress it', readHitFile)
    .option('--hidden', 'also the hits of visits that cleanups hide, marked as hidden')
    .addHelpText(
      'after',
      '\nExample:\n  $ hitherto statistics export --website 01997c3e-… --out visits.jsonl.gz\nThis also writes visits.days.csv.',
    )
    .action(async ({ website, out, hidden = false }: { website: string; out: string; hidden?: boolean }) => {
      const { exportHits } = await import('../hits/export-hits.ts');
      await exportHits(context, website, out, hidden);
    });
}

function readHitFile(name: string): string {
  if (/.\.jsonl(\.gz)?$/.test(name)) return name;
  throw new InvalidArgumentError('The name must end in .jsonl or .jsonl.gz.');
}
