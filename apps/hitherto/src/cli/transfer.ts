import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from './context.ts';
import { withDatabase } from './with-database.ts';

/** `export` and `import`. */
export function transferCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write a snapshot of all accounts, key hashes, websites and webhooks, with their settings, to a file')
    .argument('<file>', 'the file to write; it must not exist yet', fileName)
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- export backup.jsonl')
    .action(async (file: string) => {
      const { exportTo } = await import('./transfer-files.ts');
      await withDatabase(context, (database) => exportTo(database, file));
      context.tell('The export is complete. The file contains key hashes and password hashes: keep it safe.\n');
    });

  program
    .command('import')
    .description('import a file of "export" into an empty database, all or nothing')
    .argument('<file>', 'the file to read', fileName)
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgresql://localhost/hitherto npm run hitherto -- import backup.jsonl',
    )
    .action(async (file: string) => {
      const { importFrom } = await import('./transfer-files.ts');
      const counts = await withDatabase(context, (database) => importFrom(database, file));
      const told = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
      context.tell(`Imported: ${told.join(', ')}.\n`);
    });
}

function fileName(text: string): string {
  if (text === '') throw new InvalidArgumentError('A file must have a name.');
  return text;
}
