import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { addImport } from '@hitherto/domain/imports';
import { openHitLookups } from '@hitherto/outside/lookups';
import { newId, now } from '@hitherto/outside/system';
import { run as execute, rowsOf } from '@hitherto/testing/databases';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../src/installation/settings.ts';
import { createKey, createTestDatabase, type DatabaseSettings, openDatabase, runCommand } from './support/commands.ts';
import { call, eventually, type Service, startService } from './support/program.ts';

// docs/imports.md, "Rules": what an import does where there is no room for it.

const ROWS = 3_000;
/** A month ago: hits older than the retention would be deleted. */
const DAY = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);

interface Resource {
  readonly id: string;
  readonly status: string;
  readonly rows: number;
  readonly hits: number;
  readonly problem: object | null;
}

let folder: string;
let file: string;
const content = Array.from({ length: ROWS }, (_, visitor) =>
  JSON.stringify({
    time: `${DAY}T12:00:00.000Z`,
    visitor: `${visitor}`,
    host: 'example.com',
    page: '/é',
    channel: 'Direct',
    device: 'desktop',
  }),
).join('\n');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hitherto-limits-'));
  file = join(folder, 'visits.jsonl');
  await writeFile(file, content);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

let settings: DatabaseSettings;
let service: Service;
let key: string;
let id: string;
beforeEach(async () => {
  settings = await createTestDatabase();
  service = await startService(settings);
  onTestFinished(async () => {
    await service.stop();
  });
  key = await createKey(settings);
  id = await createWebsite('https://example.com');
});

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  return (await call(service, key, `/api/v1/websites${path}`, init)).json() as Promise<T>;
}

async function createWebsite(url: string): Promise<string> {
  const { data } = await ask<{ data: { id: string } }>('', { method: 'POST', body: new URLSearchParams({ url }) });
  return data.id;
}

const upload = async () => (await ask<{ data: Resource }>(`/${id}/imports`, { method: 'POST', body: content })).data;
/** The import once it has ended: on a busy machine, that is after the response. */
async function uploadToEnd(): Promise<Resource> {
  const { id: importId } = await upload();
  const show = async () => (await ask<{ data: Resource }>(`/${id}/imports/${importId}`)).data;
  await eventually(async () => (await show()).status !== 'running');
  return show();
}
const list = async () => (await ask<{ data: Resource[] }>(`/${id}/imports`)).data;
const importByCommand = () => runCommand(['statistics', 'import', file, '--website', id], settings);
const pageviews = async () =>
  (await ask<{ data: { pageviews: number } }>(`/${id}/statistics?from=${DAY}&to=${DAY}`)).data.pageviews;

describe('A full disk of the database', () => {
  const TOLD = 'The disk of the database is full.';

  /** What PostgreSQL reports when a table cannot grow, once some rows of it are written. */
  async function fillDisk(table: string, room: number): Promise<() => Promise<void>> {
    await execute(
      settings.DATABASE_URL,
      `create sequence room;
       create function be_full() returns trigger language plpgsql as $$ begin
         if nextval('room') > ${room} then
           raise 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full';
         end if;
         return new;
       end $$;
       create trigger be_full before insert on ${table} for each row execute function be_full()`,
    );
    return () => execute(settings.DATABASE_URL, `drop trigger be_full on ${table}`);
  }

  const staged = () => rowsOf(settings.DATABASE_URL, 'select from book limit 1');

  test.each([
    ['the hits of a file', 'book', 0],
    ['what an import publishes', 'import_day', 0],
  ])('in %s ends an import, which says so, and not the service', async (_, table, room) => {
    const makeRoom = await fillDisk(table, room);

    const failed = await uploadToEnd();

    expect(failed).toMatchObject({
      status: 'failed',
      problem: { code: 'failed', detail: `${TOLD} Nothing was imported. Import it again once that has changed.` },
    });
    expect(await list()).toStrictEqual([failed]);
    expect(await staged()).toStrictEqual([]);
    expect(await pageviews()).toBe(0);
    expect((await call(service, key, '/readyz')).status).toBe(200);
    await makeRoom();
    expect(await uploadToEnd()).toMatchObject({ status: 'done', hits: ROWS });
    expect(await pageviews()).toBe(ROWS);
  });

  test('ends a command, which says so', async () => {
    const makeRoom = await fillDisk('book', 0);

    const failed = await importByCommand();

    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(TOLD) });
    expect(await list()).toMatchObject([{ status: 'failed', problem: { detail: expect.stringContaining(TOLD) } }]);
    expect(await staged()).toStrictEqual([]);
    await makeRoom();
    expect(await importByCommand()).toMatchObject({ code: 0, stderr: expect.stringContaining('3,000 hits on 1 day,') });
    expect(await pageviews()).toBe(ROWS);
  });
});

describe('While an import of another website of its account runs, an import', () => {
  /** Lets another process read the file of an import. Returns a function that ends it. */
  async function occupy(): Promise<() => Promise<void>> {
    const database = await openDatabase(loadSettings(settings), {
      use: 'command',
      log: () => {},
      onProgress: () => {},
    });
    onTestFinished(() => database.close());
    const system = { now, newId, randomBytes, author: COMMAND_LINE, zone: timeZone('UTC') };
    const deps = { ...database, ...system, lookups: await openHitLookups() };
    const websiteId = await createWebsite('https://other.example');
    const found = await database.directory.findById(websiteId);
    if (found === undefined) throw new Error('The website is gone.');
    const website = { accountId: found.accountId, websiteId };
    const { imported } = await addImport(deps, website, { format: 'hitherto' }, '0'.repeat(64));
    expect(await database.imports.begin(imported.id, now())).toBe('begun');
    return async () => {
      await database.staging.remove(imported.id, now(), UNRECORDED);
    };
  }

  test('waits over HTTP, which says so, and is done after it', async () => {
    const end = await occupy();

    const waiting = await upload();

    expect(waiting).toMatchObject({ status: 'running', waits: true, rows: 0 });
    expect(await list()).toMatchObject([{ status: 'running', waits: true, rows: 0 }]);
    await end();
    await eventually(async () => (await list())[0]?.status !== 'running');
    expect(await list()).toMatchObject([{ id: waiting.id, status: 'done', waits: false, hits: ROWS }]);
  });

  test('waits as a command, which says so, and is done after it', async () => {
    const end = await occupy();
    const told: string[] = [];

    const command = runCommand(['statistics', 'import', file, '--website', id], settings, {
      tell: (text) => {
        told.push(text);
      },
    });

    await eventually(() => told.includes('Waiting for other imports to end …\n'));
    expect(await list()).toMatchObject([{ status: 'running', waits: true, rows: 0 }]);
    await end();
    expect((await command).code).toBe(0);
    expect(await list()).toMatchObject([{ status: 'done', hits: ROWS }]);
  });
});
