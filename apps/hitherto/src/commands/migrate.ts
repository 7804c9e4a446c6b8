import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { withDatabase } from '../cli/with-database.ts';

/**
 * `migrate`. Other commands bring the schema up to date before their own work, except `statistics check-engine` and
 * `restore --dry-run`; this one does only that.
 */
export function migrateCommand(program: Command, context: Context): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to date')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgresql://localhost/hitherto hitherto migrate')
    .action(async () => {
      await withDatabase(context, async () => context.tell('The schema is up to date.\n'));
    });
}
