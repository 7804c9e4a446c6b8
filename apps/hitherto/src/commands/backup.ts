import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { readFileName } from '../cli/file-name.ts';

/** `backup` and `restore`. */
export function backupCommands(program: Command, context: Context): void {
  program
    .command('backup')
    .description('write everything in the database to a file, as it is at one moment; the service may run')
    .argument('<file>', 'the file to write, which must not exist yet; - for standard output', readFileName)
    .option('--settings', 'only accounts, keys, websites and webhooks, with their settings: no statistics, no history')
    .addHelpText('after', '\nExample:\n  $ hitherto backup hitherto.backup')
    .action(async (file: string, { settings }: { settings?: true }) => {
      const { backUp } = await import('../backup/backup.ts');
      await backUp(context, file, settings && 'settings');
    });

  program
    .command('restore')
    .description('restore a file of "backup" into an empty database, all or nothing')
    .argument('<file>', 'the file to read; - for standard input', readFileName)
    .option('--dry-run', 'only check that the file is complete, undamaged and not of a later version')
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgresql://localhost/hitherto hitherto restore hitherto.backup',
    )
    .action(async (file: string, { dryRun }: { dryRun?: true }) => {
      const { check, restore } = await import('../backup/backup.ts');
      await (dryRun ? check(context, file) : restore(context, file));
    });
}
