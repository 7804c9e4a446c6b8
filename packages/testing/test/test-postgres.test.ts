import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { rowsOf } from '../src/databases.ts';
import { startTestPostgres } from '../src/test-postgres.ts';

describe('a server for tests', () => {
  test('is reached by its URL, and leaves no folder', async () => {
    const server = await startTestPostgres();
    const response = await rowsOf(server.url, `select current_setting('fsync') as fsync`);
    const left = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith(`hitherto-test-${process.pid}-`));
    const before = await left();

    await server.stop();

    expect(response).toEqual([{ fsync: 'off' }]);
    expect(before).toHaveLength(1);
    expect(await left()).toEqual([]);
  });

  test('is the one that TEST_DATABASE_URL names', async () => {
    vi.stubEnv('TEST_DATABASE_URL', 'postgresql://elsewhere/é');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });

    const server = await startTestPostgres();

    expect(server.url).toBe('postgresql://elsewhere/é');
  });

  test('removes the folders of test runs that were killed', async () => {
    const dead = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim();
    const folder = await mkdtemp(join(tmpdir(), `hitherto-test-${dead}-`));

    const server = await startTestPostgres();
    await server.stop();

    await expect(stat(folder)).rejects.toThrow('ENOENT');
    await rm(folder, { recursive: true, force: true });
  });
});
