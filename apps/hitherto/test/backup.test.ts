import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { BackupPart } from '@hitherto/domain/backup';
import { beforeAll, describe, expect, test } from 'vitest';
import { readBlocks, writeBlocks } from '../src/backup/blocks.ts';
import { noCounts, readParts, writeParts } from '../src/backup/parts.ts';
import { createTestDatabase, type DatabaseSettings, openDatabase, runCommand } from './support/commands.ts';
import { call, dataFolder, emptyFolder, runProgram, startService } from './support/program.ts';

let original: DatabaseSettings;
let demo: string;

beforeAll(async () => {
  original = await createTestDatabase();
  const { stdout } = await runCommand(['demo'], original);
  demo = stdout.trim().split('/').pop() ?? '';
}, 60_000);

/** A small installation with one resource of each kind. */
const BEFORE_RELEASE = fileURLToPath(new URL('support/before-release.backup', import.meta.url));

/** A command that needs no database. */
const UNOPENED = { openDatabase: () => Promise.reject(new Error('opened')) };

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The statistics of the demo website, as its page has them, and what a service says of the account. */
async function numbersOf(env: Record<string, string>, execute: typeof runProgram = runCommand) {
  const key = (await execute(['keys', 'create', '--account', 'default'], env)).stdout.trim();
  const service = await startService(env);
  const get = async (path: string) => {
    const response = await call(service, key, path);
    expect(response.status).toBe(200);
    return response.json();
  };
  const period = `from=${daysFromNow(-400)}&to=${daysFromNow(1)}`;
  const statistics = `/api/v1/websites/${demo}/statistics`;
  const numbers = {
    websites: await get('/api/v1/websites'),
    totals: await get(`${statistics}?${period}`),
    filtered: await get(`${statistics}?${period}&country=DE`),
    days: await get(`${statistics}/series?${period}`),
    pages: await get(`${statistics}/by/page?${period}&per_page=100`),
  };
  await service.stop();
  return numbers;
}

describe('backup and restore', () => {
  test('move all statistics to an embedded PostgreSQL and back, with every number the same', async () => {
    const folder = await emptyFolder();
    const [there, back] = [join(folder, 'there.backup'), join(folder, 'back.backup')];
    const embedded = { DATA_DIR: await dataFolder() };
    const again = await createTestDatabase();

    const written = await runCommand(['backup', there], original);
    const restored = await runProgram(['restore', there], embedded);
    await runProgram(['backup', back], embedded);
    const restoredAgain = await runCommand(['restore', back], again);

    expect(written.stderr).toMatch(/The backup is complete: 1 account, 1 website, [\d,]+ rows in all/);
    expect([written.code, restored.code, restoredAgain.code]).toEqual([0, 0, 0]);
    const numbers = await numbersOf(original);
    expect(numbers.totals).toMatchObject({ data: { visits: expect.any(Number) } });
    expect(await numbersOf(embedded, runProgram)).toEqual(numbers);
    expect(await numbersOf(again)).toEqual(numbers);
  }, 120_000);

  test('a backup of the last version before the first release has the same numbers in this one', async () => {
    const env = await createTestDatabase();

    const restored = await runCommand(['restore', BEFORE_RELEASE], env);

    expect(restored.code).toBe(0);
    const key = (await runCommand(['keys', 'create', '--account', 'default'], env)).stdout.trim();
    const service = await startService(env);
    const get = async (path: string) => (await call(service, key, path)).json();
    const { data } = await get('/api/v1/websites');
    const website = `/api/v1/websites/${data[0].id}`;
    const period = 'from=2025-01-01&to=2026-11-28';
    const totals = { visitors: 2, visits: 2, pageviews: 5, events: 1 };
    expect(data).toMatchObject([{ url: 'https://shop.example/blog', aliases: 'shop', time_zone: 'Europe/Berlin' }]);
    expect(await get(`${website}/statistics?${period}`)).toMatchObject({ data: totals });
    expect((await get(`${website}/statistics/by/page?${period}`)).meta.total).toBe(5);
    for (const kind of ['segments', 'goals', 'funnels', 'links', 'annotations', 'alerts', 'imports']) {
      expect([kind, (await get(`${website}/${kind}`)).data.length]).toEqual([kind, 1]);
    }
    await service.stop();
  });

  test('of the settings alone leave out what was counted, and the rest works', async () => {
    const file = join(await emptyFolder(), 'settings.backup');
    const env = await createTestDatabase();

    const written = await runCommand(['backup', '--settings', file], original);
    const restored = await runCommand(['restore', file], env);

    expect([written.code, restored.code]).toEqual([0, 0]);
    expect(written.stderr).toMatch(/1 account, 1 website, \d+ rows in all/);
    const { websites, totals } = await numbersOf(env);
    expect(websites.data).toMatchObject([{ id: demo, url: 'https://demo.example' }]);
    expect(totals.data).toMatchObject({ visits: 0, pageviews: 0 });
  });

  test('work through a pipe', async () => {
    const target = await createTestDatabase();
    const written = await runCommand(['backup', '-'], original);
    const bytes = Buffer.from(written.stdout, 'latin1');

    const restored = await runCommand(['restore', '-'], target, {
      input: () => Readable.from([bytes]),
    });

    expect(restored.stderr).toContain('Restored 1 account, 1 website');
    expect((await runCommand(['accounts', 'list'], target)).stdout).toContain('default');
  });

  test('restore the file that was checked, also if its name is gone or stands for another one by then', async () => {
    const file = join(await emptyFolder(), 'gone.backup');
    await runCommand(['backup', file], original);

    const restored = await runCommand(['restore', file], await createTestDatabase(), {
      openDatabase: async (settings, options) => {
        await rm(file);
        return openDatabase(settings, options);
      },
    });

    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('Restored 1 account, 1 website') });
  });

  test('keep the file to its owner, and its final name for a whole one', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'new.backup');

    await runCommand(['backup', file], original);
    const again = await runCommand(['backup', file], original);

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists and is not overwritten') });
    expect(await readdir(folder)).toEqual(['new.backup']);
  });

  test('reject a damaged, a cut and a foreign file before the database is opened', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'whole.backup');
    await runCommand(['backup', file], original);
    const bytes = await readFile(file);
    const faulty = {
      damaged: Buffer.concat([bytes.subarray(0, 5_000), randomBytes(10), bytes.subarray(5_010)]),
      incomplete: bytes.subarray(0, -500),
      foreign: Buffer.from('{"type":"hitherto_export","format":1}\n'.repeat(9)),
    };
    const restore = (...args: string[]) =>
      runCommand(['restore', ...args], {}, { openDatabase: () => Promise.reject(new Error('opened')) });
    for (const [name, content] of Object.entries(faulty)) {
      await writeFile(join(folder, name), content);
      for (const options of [['--dry-run'], []]) {
        const rejected = await restore(join(folder, name), ...options);

        expect(rejected.code).toBe(1);
        expect(rejected.stderr).toMatch(/hitherto: (The backup is (damaged at byte|incomplete)|This is not a backup)/);
      }
    }
    await rm(join(folder, 'foreign'));
    const missing = await restore(join(folder, 'foreign'));

    expect(missing.stderr).toBe(`hitherto: There is no file ${join(folder, 'foreign')}.\n`);
  }, 60_000);

  test('reject a damaged pipe, which leaves an empty installation', async () => {
    const target = await createTestDatabase();
    const file = join(await emptyFolder(), 'cut.backup');
    await runCommand(['backup', file], original);
    const end = (await stat(file)).size - 10;

    const rejected = await runCommand(['restore', '-'], target, { input: () => createReadStream(file, { end }) });

    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('The backup is incomplete') });
    expect((await runCommand(['accounts', 'list'], target)).stderr).toContain('There are none.');
    expect((await runCommand(['restore', file], target)).code).toBe(0);
  });

  test('reject a backup of a later version in one sentence, which leaves an empty installation', async () => {
    const target = await createTestDatabase();
    const folder = await emptyFolder();
    const [file, later] = [join(folder, 'whole.backup'), join(folder, 'later.backup')];
    await runCommand(['backup', file], original);
    const parts = async function* (): AsyncGenerator<BackupPart> {
      for await (const part of readParts(readBlocks(createReadStream(file)), noCounts())) {
        yield part.type === 'start' ? { ...part, migrations: [...part.migrations, '9999-later'] } : part;
      }
    };
    const about = { version: '9.0.0', madeAt: new Date() };
    await writeFile(later, writeBlocks(writeParts(parts(), about, noCounts())));

    const rejected = await runCommand(['restore', later], {}, UNOPENED);
    const checked = await runCommand(['restore', '--dry-run', later], {}, UNOPENED);
    const piped = await runCommand(['restore', '-'], target, { input: () => createReadStream(later) });

    for (const { code, stderr } of [rejected, checked, piped]) {
      expect(code).toBe(1);
      expect(stderr).toContain(
        'hitherto: The backup is of a later version of Hitherto (it has the migrations 9999-later). Restore it with that version.\n',
      );
    }
    expect((await runCommand(['accounts', 'list'], target)).stderr).toContain('There are none.');
    expect((await runCommand(['restore', file], target)).code).toBe(0);
  });

  test('show how far they are, as a bar on a terminal', async () => {
    const file = join(await emptyFolder(), 'shown.backup');

    const written = await runCommand(['backup', file], original, { isTerminal: true });
    const restored = await runCommand(['restore', file], await createTestDatabase(), { isTerminal: true });

    for (const { stderr } of [written, restored]) expect(stderr).toMatch(/\r\[#{30}\] 100 % \((\d+) of \1 rows\)\n/);
  });

  test('check a backup without a database, and reject one that is not empty', async () => {
    const file = join(await emptyFolder(), 'whole.backup');
    await runCommand(['backup', file], original);

    const checked = await runCommand(['restore', '--dry-run', file], {}, UNOPENED);
    const rejected = await runCommand(['restore', file], original);

    expect(checked).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The backup is complete and undamaged: 1'),
    });
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('already has accounts') });
  });
});
