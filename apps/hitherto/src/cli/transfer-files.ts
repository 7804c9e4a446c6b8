import { createReadStream } from 'node:fs';
import { ItemRejected, type TransferCounts } from '@hitherto/domain';
import type { Database } from '../database.ts';
import type { Context } from './context.ts';
import { PIPE } from './file-name.ts';
import { writeNewFile } from './new-file.ts';
import { ImportError, lineOf, readLines, writeLines } from './transfer-lines.ts';

type Transfer = Pick<Database, 'transfer'>;

/** Writes everything to a new file, which is complete once it has its name, or to standard output. */
export function exportTo(
  { transfer }: Transfer,
  file: string,
  { writeBytes }: Pick<Context, 'writeBytes'>,
): Promise<void> {
  const lines = writeLines(transfer.exportAll());
  return file === PIPE ? writeBytes(bytesOf(lines)) : writeNewFile(file, lines);
}

/** Imports a file, or standard input, into an empty database, all or nothing. */
export async function importFrom(
  { transfer }: Transfer,
  file: string,
  { input }: Pick<Context, 'input'>,
): Promise<TransferCounts> {
  try {
    return await transfer.importAll(readLines(linesOf(file === PIPE ? input() : createReadStream(file))));
  } catch (error) {
    if (!(error instanceof ItemRejected)) throw error;
    throw new ImportError(`Line ${lineOf(error.position)}: ${error.reason}.`, { cause: error });
  }
}

async function* bytesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(line);
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  // Bytes of a character that is cut off at the end.
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
