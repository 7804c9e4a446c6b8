import type { ImportRepository } from '@hitherto/domain';
import { countOf } from '@hitherto/domain/format';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { readFileName } from './file-name.ts';
import { withDatabase } from './with-database.ts';

/** `export` and `import`. */
export function transferCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write a snapshot of all accounts, key hashes, websites and webhooks, with their settings, to a file')
    .argument('<file>', 'the file to write, which must not exist yet; - for standard output', readFileName)
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- export websites.jsonl')
    .action(async (file: string) => {
      const { exportTo } = await import('./transfer-files.ts');
      const imports = await withDatabase(context, async (database) => {
        await exportTo(database, file, context);
        return database.imports.listDone(MAX_TOLD + 1);
      });
      context.tell('The export is complete. The file contains key hashes and password hashes: keep it safe.\n');
      if (imports.length > 0) context.tell(leftOut(imports));
    });

  program
    .command('import')
    .description('import a file of "export" into an empty database, all or nothing')
    .argument('<file>', 'the file to read; - for standard input', readFileName)
    .addHelpText(
      'after',
      '\nExample:\n  $ DATABASE_URL=postgresql://localhost/hitherto npm run hitherto -- import websites.jsonl',
    )
    .action(async (file: string) => {
      const { importFrom } = await import('./transfer-files.ts');
      const counts = await withDatabase(context, (database) => importFrom(database, file, context), 'filling');
      // Each name is a plural: `accounts`.
      const told = Object.entries(counts).map(([name, count]) => countOf(count, name.slice(0, -1), name));
      context.tell(`Imported: ${told.join(', ')}.\n`);
    });
}

/** How many imports are named. */
const MAX_TOLD = 20;

/** Names the imports that a file does not carry, since it has no statistics. */
function leftOut(imports: Awaited<ReturnType<ImportRepository['listDone']>>): string {
  const lines = imports
    .slice(0, MAX_TOLD)
    .map(
      ({ url, imported: { format, from, to } }) => `\n  ${format} of ${url}${from && to ? `, ${from} to ${to}` : ''}`,
    );
  const more = imports.length > MAX_TOLD ? '\n  and others' : '';
  return `It has no statistics, so these imports are not in it; "backup" has everything:${lines.join('')}${more}\n`;
}
