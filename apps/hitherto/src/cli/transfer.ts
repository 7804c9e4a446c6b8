import type { Command } from 'commander';
import type { Context } from './context.ts';
import { withDatabase } from './with-database.ts';

/** `export` and `import`. */
export function transferCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write all accounts, key hashes and websites into a file, as they are at one moment')
    .argument('<file>', 'the file to write; it must not exist yet')
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- export backup.jsonl')
    .action(async (file: string) => {
      const { exportTo } = await import('./transfer-files.ts');
      await withDatabase(context, (database) => exportTo(database, file));
      context.tell('Everything is exported. The file holds key hashes and password hashes: keep it safe.\n');
    });

  program
    .command('import')
    .description('read what "export" wrote into an empty database: all of it or nothing')
    .argument('<file>', 'the file to read')
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgresql://localhost/hitherto npm run hitherto -- import backup.jsonl',
    )
    .action(async (file: string) => {
      const { importFrom } = await import('./transfer-files.ts');
      const counts = await withDatabase(context, (database) => importFrom(database, file));
      context.tell(`Imported: ${counts.accounts} accounts, ${counts.keys} keys, ${counts.websites} websites.\n`);
    });
}
