import { type FileHandle, open } from 'node:fs/promises';
import type { BackupPart } from '@hitherto/domain/backup';
import type { Context } from '../cli/context.ts';
import { PIPE } from '../cli/file-name.ts';
import { writeNewFile } from '../cli/new-file.ts';
import { showProgress } from '../cli/progress.ts';
import { withDatabase } from '../cli/with-database.ts';
import { noteBackup } from '../installation/last-backup.ts';
import { loadSettings } from '../installation/settings.ts';
import { readBlocks, writeBlocks } from './blocks.ts';
import { type BackupCounts, noCounts, readParts, writeParts } from './parts.ts';

/** Writes everything in the database, or only the settings, to a new file, or to standard output. */
export async function backUp(context: Context, file: string, only?: 'settings'): Promise<void> {
  const counts = noCounts();
  await withDatabase(context, async (database) => {
    const parts = showing(context, database.backup(only), counts);
    const bytes = writeBlocks(writeParts(parts, { version: context.version, madeAt: context.now() }, counts));
    await (file === PIPE ? context.writeBytes(bytes) : writeNewFile(file, bytes));
  });
  const { databaseUrl, dataDir } = loadSettings(context.env);
  if (only === undefined && databaseUrl === undefined) await noteBackup(dataDir, context.now());
  const secrets = only === undefined ? ', and the salts of the last days' : '';
  const advice = `It contains hashes of passwords and keys${secrets}: keep it safe.`;
  context.tell(`The backup is complete: ${summaryOf(counts)}. ${advice}\n`);
}

/** Checks every block of a backup, its counts, and that this version can restore it. */
export async function check(context: Context, file: string): Promise<void> {
  const counts = noCounts();
  await withInput(context, file, async (input) => {
    await checkParts(context, showing(context, partsOf(input(), counts), counts));
  });
  context.tell(`The backup is complete and undamaged: ${summaryOf(counts)}.\n`);
}

/** Restores a backup into an empty database. A file is checked first; input from a pipe is checked before it counts. */
export async function restore(context: Context, file: string): Promise<void> {
  const counts = noCounts();
  await withInput(context, file, async (input) => {
    if (file !== PIPE) {
      context.tell('Checking the backup …\n');
      await checkParts(context, partsOf(input(), noCounts()));
    }
    await withDatabase(
      context,
      (database) => database.restore(showing(context, partsOf(input(), counts), counts)),
      'filling',
    );
  });
  context.tell(`Restored ${summaryOf(counts)}.\n`);
}

/** Reads a backup to its end, which checks its blocks and counts. Throws if it is of a later version. */
async function checkParts({ rejectLaterBackup }: Context, parts: AsyncIterable<BackupPart>): Promise<void> {
  for await (const part of parts) if (part.type === 'start') rejectLaterBackup(part.migrations);
}

/** Calls `work` with a function that reads the input from its start. A file is opened once, so all reads see the same one. */
async function withInput(
  context: Context,
  file: string,
  work: (input: () => AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  if (file === PIPE) return work(context.input);
  const handle = await open(file);
  try {
    await work(() => bytesOf(handle));
  } finally {
    await handle.close();
  }
}

async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  yield* handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 });
}

function partsOf(input: AsyncIterable<Uint8Array>, counts: BackupCounts): AsyncGenerator<BackupPart> {
  return readParts(readBlocks(input), counts);
}

/** The same parts, while the progress is shown. */
async function* showing(
  context: Context,
  parts: AsyncIterable<BackupPart>,
  counts: BackupCounts,
): AsyncGenerator<BackupPart> {
  const show = showProgress(context, 'rows');
  for await (const part of parts) {
    // PostgreSQL only estimates how many rows there are.
    if (part.type === 'rows') show({ done: counts.rows, total: Math.max(counts.expected, counts.rows + 1) });
    yield part;
  }
  show({ done: counts.rows, total: counts.rows });
}

function summaryOf(counts: BackupCounts): string {
  const told = ['account', 'website'].map((table) => {
    const rows = counts.tables.get(table) ?? 0;
    return `${rows.toLocaleString('en')} ${table}${rows === 1 ? '' : 's'}`;
  });
  return `${told.join(', ')}, ${counts.rows.toLocaleString('en')} rows in all`;
}
