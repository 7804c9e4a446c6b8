import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@hitherto/embedded-postgres';

let original: Promise<string> | undefined;

/** A data folder with an empty database, copied in a tenth of the time of a first start. The caller removes it. */
export async function newDataFolder(): Promise<string> {
  original ??= makeOriginal();
  return copyDataFolder(await original);
}

/** A copy of a data folder that nothing serves. The caller removes it. */
export async function copyDataFolder(from: string): Promise<string> {
  const folder = await emptyFolder();
  // `cp -p` keeps the server's user as the owner of the files.
  await promisify(execFile)('cp', ['-a', `${from}/.`, folder]);
  return folder;
}

async function makeOriginal(): Promise<string> {
  const folder = await emptyFolder();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  await server.stop();
  return folder;
}

function emptyFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'hitherto-testing-'));
}
