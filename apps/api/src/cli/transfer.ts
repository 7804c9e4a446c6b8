import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { TransferCounts } from '@hitherto/domain';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { Store } from './store.ts';
import { readLines, writeLines } from './transfer-lines.ts';
import { withStore } from './with-store.ts';

/** `export` and `import`. */
export function transferCommands(program: Command, context: Context): void {
  program
    .command('export')
    .description('write all accounts, key hashes and websites into a file, as they are at one moment')
    .argument('<file>', 'the file to write; it must not exist yet')
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- export backup.jsonl')
    .action(async (file: string) => {
      await withStore(context, (store) => exportTo(store, file));
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
      const counts = await withStore(context, (store) => importFrom(store, file));
      context.tell(`Imported: ${counts.accounts} accounts, ${counts.keys} keys, ${counts.websites} websites.\n`);
    });
}

/** Writes beside the file and renames at the end, so that a file of that name is always whole. */
async function exportTo(store: Store, file: string): Promise<void> {
  const reserved = await open(file, 'wx', 0o600);
  const partial = `${file}.partial`;
  try {
    const handle = await open(partial, 'w', 0o600);
    try {
      for await (const line of writeLines(store.transfer.exportAll())) await handle.write(line);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await Promise.all([rm(partial, { force: true }), rm(file, { force: true })]);
    throw error;
  } finally {
    await reserved.close();
  }
}

function importFrom(store: Store, file: string): Promise<TransferCounts> {
  return store.transfer.importAll(readLines(linesOf(file)));
}

/** The lines of a file, read bit by bit. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
