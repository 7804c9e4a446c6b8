import { createReadStream } from 'node:fs';
import { ItemRejected, type TransferCounts } from '@hitherto/domain';
import type { Database } from '../database.ts';
import { writeNewFile } from './new-file.ts';
import { ImportError, lineOf, readLines, writeLines } from './transfer-lines.ts';

/** Writes everything to a new file, which is complete once it has its name. */
export function exportTo({ transfer }: Pick<Database, 'transfer'>, file: string): Promise<void> {
  return writeNewFile(file, writeLines(transfer.exportAll()));
}

/** Imports a file into an empty database, all or nothing. */
export async function importFrom({ transfer }: Pick<Database, 'transfer'>, file: string): Promise<TransferCounts> {
  try {
    return await transfer.importAll(readLines(linesOf(file)));
  } catch (error) {
    if (!(error instanceof ItemRejected)) throw error;
    throw new ImportError(`Line ${lineOf(error.position)}: ${error.reason}.`, { cause: error });
  }
}

/** The lines of a file, as a stream. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
