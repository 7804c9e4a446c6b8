import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { newId } from '@hitherto/outside/system';
import { run as execute, rowsOf } from '@hitherto/testing/databases';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createKey, createTestDatabase, type DatabaseSettings } from './support/commands.ts';
import { call, emptyFolder, eventually, spawnProgram, startService } from './support/program.ts';

// docs/operating.md, "Stopping": how a service stops while an import is published or deleted, which may take minutes; and how a
// command stops that imports.

const LONG = 40_000;

let settings: DatabaseSettings;
let key: string;
beforeEach(async () => {
  settings = await createTestDatabase();
  key = await createKey(settings);
});

/** A file with one pageview, of a month ago: hits older than the retention would be deleted. */
const FILE = JSON.stringify({
  time: new Date(Date.now() - 30 * 86_400_000).toISOString(),
  visitor: '1',
  host: 'é.example',
  page: '/é',
  channel: 'Direct',
  device: 'mobile',
});

/** The imports, and the number of hits that count. */
const stored = () =>
  rowsOf(
    settings.DATABASE_URL,
    'select status, (select coalesce(sum(hits), 0)::integer from website_day) as hits from import',
  );

/** Lets work on imports last until the end of the test. Returns how many sessions it holds up. */
async function holdUp(): Promise<() => Promise<number>> {
  const client = new pg.Client(settings.DATABASE_URL);
  await client.connect();
  onTestFinished(() => client.end());
  // The lock for changing visits, summaries and partitions.
  await client.query('select pg_advisory_lock(4847115)');
  return async () => {
    const held = await client.query(
      `select from pg_locks where locktype = 'advisory' and not granted and objid = 4847115
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return held.rowCount ?? 0;
  };
}

async function startWithWebsite() {
  const service = await startService(settings);
  const ask = (path: string, init?: RequestInit) => call(service, key, `/api/v1/websites${path}`, init);
  const created = await ask('', { method: 'POST', body: new URLSearchParams({ url: 'https://é.example' }) });
  const { data } = (await created.json()) as { data: { id: string } };
  return { service, ask, id: data.id };
}

describe('A service that stops', () => {
  test(
    'ends with 0 while it publishes an import, of which nothing counts',
    async () => {
      const { service, ask, id } = await startWithWebsite();
      const heldUp = await holdUp();
      await ask(`/${id}/imports`, { method: 'POST', body: FILE });
      await eventually(async () => (await heldUp()) > 0);

      const { code, stdout } = await service.stop();

      expect(code).toBe(0);
      expect(stdout).not.toContain('import failed');
      expect(await heldUp()).toBe(0);
      // It ends once its process counts as dead.
      expect(await stored()).toEqual([{ status: 'running', hits: 0 }]);
    },
    LONG,
  );

  test(
    'ends with 0 while it deletes an import, which stays, and responds with 503',
    async () => {
      const { service, ask, id } = await startWithWebsite();
      const added = await ask(`/${id}/imports`, { method: 'POST', body: FILE });
      const { data } = (await added.json()) as { data: { id: string } };
      const heldUp = await holdUp();
      const deleting = ask(`/${id}/imports/${data.id}`, { method: 'DELETE' });
      await eventually(async () => (await heldUp()) > 0);

      const { code } = await service.stop();

      expect(code).toBe(0);
      expect((await deleting).status).toBe(503);
      expect(await heldUp()).toBe(0);
      expect(await stored()).toEqual([{ status: 'done', hits: 1 }]);
    },
    LONG,
  );
});

describe('A command that is stopped', () => {
  test('while it reads standard input leaves no file behind', async () => {
    const TMPDIR = await emptyFolder();
    const { command, output, ended } = importPiped(TMPDIR, newId());
    command.stdin?.write(FILE);
    await eventually(async () => (await readdir(TMPDIR)).length > 0);

    command.kill('SIGINT');
    await ended;

    expect(output()).toMatchObject({
      code: 1,
      stderr: 'hitherto: The command was stopped. Nothing was imported.\n',
    });
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  test('while it imports standard input leaves no file behind, and the import has failed', async () => {
    const TMPDIR = await emptyFolder();
    const { service, id } = await startWithWebsite();
    await service.stop();
    await execute(
      settings.DATABASE_URL,
      `insert into import (id, website_number, created_at, reported_at, format, sha256, status, is_reading, counts)
       select gen_random_uuid(), number, now(), now() + interval '1 hour', 'hitherto', repeat('0', 64), 'running', true, '{}'
       from website`,
    );
    const { command, output, ended } = importPiped(TMPDIR, id);
    command.stdin?.end(FILE);
    await eventually(() => output().stderr.includes('Waiting for other imports to end'));

    command.kill('SIGTERM');
    await ended;

    expect(output()).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was imported') });
    expect(await readdir(TMPDIR)).toEqual([]);
    expect(await stored()).toContainEqual({ status: 'failed', hits: 0 });
  });
});

function importPiped(TMPDIR: string, websiteId: string) {
  const args = ['statistics', 'import', '-', '--website', websiteId];
  const { child: command, output } = spawnProgram(args, { ...settings, TMPDIR }, { input: 'pipe' });
  return { command, output, ended: once(command, 'close') };
}
