import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { openPostgres } from '@hitherto/postgres';
import { rowsOf, urlOf } from '@hitherto/testing/databases';
import { expect, it } from 'vitest';
import { dataFolder } from './support/program.ts';

// docs/privacy.md, "How visitors are counted".

const OLD = '2026-11-17';
const KEPT = '2026-11-20';

/** Opens the embedded database of the folder for `work`, and stops it. */
async function withDatabase<Result>(
  dataDir: string,
  work: (repositories: ReturnType<typeof openPostgres>, url: string) => Promise<Result>,
): Promise<Result> {
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const repositories = openPostgres({ connection, log: () => {} });
  try {
    return await work(repositories, urlOf(connection));
  } finally {
    await repositories.close();
    await stop();
  }
}

/** The files below the folder that contain these bytes. */
async function filesWith(folder: string, bytes: Buffer): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(bytes)));
  return files.filter((_, index) => found[index]);
}

it('a deleted salt is in no file of the data folder, and the others are kept', async () => {
  const dataDir = await dataFolder();
  const [old, kept] = [randomBytes(32), randomBytes(32)];
  await withDatabase(dataDir, async ({ salts }, url) => {
    await salts.saltOf(OLD, old);
    await salts.saltOf(KEPT, kept);
    // Statistics of the planner have samples of the values.
    await rowsOf(url, 'analyze salt');
    await rowsOf(url, 'checkpoint');
  });
  const before = await filesWith(dataDir, old);

  await withDatabase(dataDir, async ({ salts }) => {
    // As at each start of a process.
    expect(await salts.saltOf(OLD, randomBytes(32))).toStrictEqual(new Uint8Array(old));
    expect(await salts.deleteBefore(KEPT)).toBe(1);
  });

  expect(before).toHaveLength(1);
  expect(await filesWith(dataDir, old)).toEqual([]);
  expect(await withDatabase(dataDir, ({ salts }) => salts.saltOf(KEPT, randomBytes(32)))).toStrictEqual(
    new Uint8Array(kept),
  );
});
