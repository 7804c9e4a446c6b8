import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UNRECORDED } from '@hitherto/domain/changes';
import { acceptAsNewPerson, findInvitation } from '@hitherto/domain/people';
import { newId, now } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { version } from '@hitherto/testing/machine';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OpenedDatabase } from '../src/installation/database.ts';
import { loadSettings } from '../src/installation/settings.ts';
import { createTestDatabase, type DatabaseSettings, openDatabase, runCommand } from './support/commands.ts';
import {
  call,
  dataFolder,
  emptyFolder,
  MAIN,
  runProgram,
  runProgramIn,
  spawnProgram,
  startService,
} from './support/program.ts';

let empty: DatabaseSettings;
beforeAll(async () => {
  empty = await createTestDatabase();
});

const lines = (text: string) => text.trim().split('\n');

test('a data folder below /proc, which takes none, is reported', async () => {
  const { code, stderr } = await runProgram(['serve'], { DATA_DIR: '/proc/hitherto/data' });

  expect(code).toBe(1);
  expect(stderr).toMatch(/^hitherto: The folder \/proc\/hitherto\/data \(DATA_DIR\) cannot be used: .+\n$/);
});

describe('a command without an installation', () => {
  test.each([
    ['a folder that is not there', ['keys', 'create', '--account', 'default'], 'data'],
    ['an empty folder', ['accounts', 'list'], ''],
    ['an empty folder', ['migrate'], ''],
  ])('names DATA_DIR and writes nothing: %s, %j', async (_, args, name) => {
    const DATA_DIR = join(await emptyFolder(), name);
    const before = existsSync(DATA_DIR);

    expect(await runProgram(args, { DATA_DIR })).toEqual({
      code: 1,
      stdout: '',
      stderr: `hitherto: There is no installation in ${DATA_DIR}. Set DATA_DIR as for the service, or start the service first.\n`,
    });

    expect(existsSync(DATA_DIR)).toBe(before);
    if (before) expect(await readdir(DATA_DIR)).toEqual([]);
  });

  test('fails where a first start was killed', async () => {
    const DATA_DIR = await emptyFolder();
    await mkdir(join(DATA_DIR, 'lock'));

    const { code, stderr } = await runProgram(['accounts', 'list'], { DATA_DIR });

    expect([code, stderr]).toEqual([1, expect.stringContaining(`no installation in ${DATA_DIR}`)]);
    expect(existsSync(join(DATA_DIR, 'postgres'))).toBe(false);
  });

  test('creates one if it is there to fill it', async () => {
    const [from, folder] = [await createTestDatabase(), await emptyFolder()];
    const file = join(folder, 'whole.backup');
    await runCommand(['accounts', 'create', '--name', 'Zoë'], from);
    await runCommand(['backup', file], from);
    const env = { DATA_DIR: join(folder, 'data') };

    const restored = await runProgram(['restore', file], env);

    expect(restored.code).toBe(0);
    expect((await runProgram(['accounts', 'list'], env)).stdout).toContain('Zoë');
  });

  test('takes DATA_DIR from .env, relative to the folder of that file', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, '.env'), 'DATA_DIR=./é\n');

    const { stderr } = await runProgramIn(folder, ['accounts', 'list']);

    expect(stderr).toContain(`no installation in ${await realpath(folder)}/é.`);
  });

  test('says which line of .env is wrong', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, '.env'), 'PORT=1\nDATA_DIR: ./data\n');

    const ended = await Promise.all([runProgramIn(folder, ['serve']), runProgramIn(folder, ['--version'])]);

    expect(ended.map(({ code }) => code)).toEqual([1, 0]);
    expect(ended[0].stderr).toMatch(/^hitherto: Line 2 of .*\/\.env must be NAME=value, .+\n$/);
  });
});

describe('usage', () => {
  test.each([
    [['--help'], 0, 'stdout', 'Usage: hitherto'],
    [['keys', 'list', '--help'], 0, 'stdout', '$ npm run hitherto -- keys list --account agency'],
    [['keys', 'create', '--help'], 0, 'stdout', '$ npm run hitherto -- keys create --account agency --scope read'],
    [['restore', '--help'], 0, 'stdout', 'localhost/hitherto npm run hitherto -- restore hitherto.backup'],
    [['--version'], 0, 'stdout', version],
    [[], 2, 'stderr', 'Usage: hitherto'],
    [['serv'], 2, 'stderr', 'Did you mean serve?'],
    [['keys', 'create', '--acount', 'x'], 2, 'stderr', '--account <account>'],
    [['keys', 'create'], 2, 'stderr', "required option '--account <account>'"],
    [['keys', 'create', '--account', 'x', '--scope', 'all'], 2, 'stderr', 'Allowed choices are read, write'],
    [['keys', 'create', '--account', 'x', '--expires-in', 'soon'], 2, 'stderr', 'whole number of days'],
    [['accounts', 'delete', 'x'], 2, 'stderr', '--yes'],
    [['reports', 'preview', 'x', '--week', '2026-W54', '--out', 'x'], 2, 'stderr', 'written as 2026-W47'],
    [['backup', ''], 2, 'stderr', 'A file must have a name'],
    [['restore', ''], 2, 'stderr', 'A file must have a name'],
    [['statistics', 'import', '', '--website', 'x'], 2, 'stderr', 'A file must have a name'],
    [['logs', 'follow', 'access.log', ''], 2, 'stderr', 'A file must have a name'],
    [['reports', 'preview', 'x', '--out', ''], 2, 'stderr', 'A file must have a name'],
    [['reports', 'run', '--at', '2026-02-30T09:00:00Z'], 2, 'stderr', 'with its offset'],
    [['reports', 'run', '--at', '2026-11-23 09:00'], 2, 'stderr', 'with its offset'],
    [['accounts', 'set-email', 'x'], 2, 'stderr', 'either an e-mail address or --none'],
    [['accounts', 'set-email', 'x', 'a@example.com', '--none'], 2, 'stderr', 'either an e-mail address or --none'],
  ] as const)('%j exits with %d', async (args, code, stream, text) => {
    const ended = await runCommand(args);

    expect(ended[stream]).toContain(text);
    expect(ended.code).toBe(code);
  });

  test('a command does not load the packages of the HTTP server, which would make it slow to start', async () => {
    const preload = fileURLToPath(new URL('support/loaded-packages.cjs', import.meta.url));

    // The bundle has no packages in it.
    const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--require', preload, built, '--version']);

    expect(stdout).toMatch(/[/]node_modules[/]pg[/]/);
    expect(stdout).not.toMatch(/[/]node_modules[/](fastify|prom-client)[/]/);
  });
});

test('the process exits with the code of its command', async () => {
  const [good, wrong] = await Promise.all([runProgram(['--version']), runProgram(['serv'])]);

  expect([good.code, good.stdout]).toEqual([0, `${version}\n`]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean serve?')]);
});

test('a service that the database rejects exits with 1', async () => {
  const url = new URL(empty.DATABASE_URL);
  url.pathname = '/nowhere';

  const { code, stderr } = await runProgram(['serve'], { DATABASE_URL: url.href, PORT: '0' });

  expect([code, stderr]).toEqual([1, 'hitherto: database "nowhere" does not exist\n']);
});

describe('output that cannot be written', () => {
  test('makes a command fail, without a message if its reader has ended', async () => {
    const { child, output } = spawnProgram(['--help'], {});
    child.stdout?.destroy();
    await once(child, 'close');

    expect(output()).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  test.skipIf(process.platform !== 'linux')('makes a command fail, and it says why', async () => {
    const full = await open('/dev/full', 'w');
    onTestFinished(() => full.close());
    const child = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', full.fd, 'pipe'] });
    const stderr = child.stderr && text(child.stderr);
    await once(child, 'close');

    expect([child.exitCode, await stderr]).toEqual([1, 'hitherto: Standard output cannot be written (ENOSPC).\n']);
  });
});

/** The result of `work` on the database. */
async function withOpened<Result>(
  env: DatabaseSettings,
  work: (database: OpenedDatabase) => Promise<Result>,
): Promise<Result> {
  const options = { use: 'command', log: () => {}, onProgress: () => {} } as const;
  const database = await openDatabase(loadSettings({ ...env }), options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Opens the link as a new person; resolves to their id. */
async function acceptInvitation(env: DatabaseSettings, link: string): Promise<string> {
  return withOpened(env, async (database) => {
    const request = { requestId: null, network: null };
    const deps = {
      ...database,
      passwords: quickHasher,
      isCommonPassword: () => false,
      now,
      newId,
      randomBytes,
      request,
    };
    const invitation = await findInvitation(deps, link.split('/').at(-1) ?? '');
    if (invitation === undefined) throw new Error('The link leads nowhere.');
    return (await acceptAsNewPerson(deps, invitation, { email: '', name: 'a', password: 'correct horse' })).id;
  });
}

describe('people and members', () => {
  test('are invited, added, changed, removed and deleted', async () => {
    const env = await createTestDatabase();
    const run = (...args: string[]) => runCommand(args, env);
    const added = async (account: string) => (await run('accounts', 'create', '--name', account)).stdout.trim();
    const [first, second] = [await added('first'), await added('second')];

    const link = await run('people', 'create', '--email', 'a@example.com', '--account', 'second');
    const none = await run('people', 'list', '--json');
    const person = await acceptInvitation(env, link.stdout.trim());
    const member = ['--account', first, '--email', 'A@Example.com'];
    const results = [
      await run('members', 'add', ...member, '--role', 'editor'),
      await run('members', 'set', ...member, '--role', 'owner'),
      await run('members', 'set', ...member, '--role', 'viewer'),
      await run('members', 'remove', ...member),
      await run('people', 'link', 'A@example.com'),
      await run('people', 'link', 'b@example.com'),
      await run('people', 'delete', 'a@example.com', '--yes'),
      await run('members', 'add', '--account', first, '--email', 'b@example.com'),
      await run('members', 'add', '--account', 'third', '--email', 'a@example.com'),
    ];
    const listed = await run('people', 'list', '--json');

    expect(link.stdout).toMatch(/^http:\/\/localhost:3000\/invitations\/[\w-]{32}\n$/);
    expect([none.stdout, second.length]).toEqual(['[]\n', 36]);
    expect(JSON.parse(listed.stdout)).toEqual([{ id: person, name: 'a', email: 'a@example.com' }]);
    expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 1, 0, 1, 1, 1, 1]);
    expect(results[2]?.stderr).toContain('the last owner');
    expect(results[4]?.stdout).toMatch(/^http:\/\/localhost:3000\/reset\/[\w-]{32}\n$/);
    expect(results[7]?.stderr).toContain('no such person');
  });
});

describe('websites', () => {
  test('move to another account', async () => {
    const env = await createTestDatabase();
    const run = (...args: string[]) => runCommand(args, env);
    for (const name of ['one', 'two']) await run('accounts', 'create', '--name', name);
    const website = aWebsite();
    await withOpened(env, async (database) => {
      const one = await database.access.findAccount('one');
      await database.websites.insert(one?.id ?? '', website, UNRECORDED);
    });

    const moved = await run('websites', 'move', website.id.toUpperCase(), '--account', 'two');
    const again = await run('websites', 'move', website.id, '--account', 'nobody');

    const account = await withOpened(env, async ({ access, directory }) => {
      const entry = await directory.findById(website.id);
      return access.findAccount(entry?.accountId ?? '');
    });
    expect([moved.code, again.code, account?.name]).toEqual([0, 1, 'two']);
  });
});

describe('accounts and keys', () => {
  test('are created, listed, revoked and deleted', async () => {
    const env = await createTestDatabase();

    const created = await runCommand(['accounts', 'create', '--name', 'Ægir & Söhne', '--email', 'a@example.com'], env);
    const twice = await runCommand(['accounts', 'create', '--name', 'Ægir & Söhne'], env);
    const key = await runCommand(
      ['keys', 'create', '--account', 'Ægir & Söhne', '--label', 'é', '--expires-in', '1'],
      env,
    );
    const limited = ['keys', 'create', '--account', 'Ægir & Söhne', '--website'];
    const unknown = await runCommand([...limited, '01997c3e-0000-7000-8000-00000000dead'], env);
    const listed = await runCommand(['keys', 'list', '--account', created.stdout.trim(), '--json'], env);
    const [{ id }] = JSON.parse(listed.stdout) as [{ id: string }];
    const revoked = await runCommand(['keys', 'revoke', id], env);
    const table = await runCommand(['keys', 'list', '--account', 'Ægir & Söhne'], env);
    const accounts = [await runCommand(['accounts', 'list', '--json'], env)];
    for (const email of ['é@söhne.example', '--none']) {
      expect((await runCommand(['accounts', 'set-email', 'Ægir & Söhne', email], env)).code).toBe(0);
      accounts.push(await runCommand(['accounts', 'list', '--json'], env));
    }
    const deleted = await runCommand(['accounts', 'delete', 'Ægir & Söhne', '--yes'], env);
    const none = await runCommand(['accounts', 'list', '--json'], env);

    expect(created.code).toBe(0);
    expect([twice.code, twice.stdout]).toEqual([1, '']);
    expect(lines(key.stdout)).toEqual([expect.stringMatching(/^hto_[0-9A-Za-z]{49}$/)]);
    expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([1, '', expect.stringContaining('00dead is not')]);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { scope: 'write', label: 'é', websites: null, revoked_at: null, last_used_at: null },
    ]);
    expect(listed.stdout).not.toContain('hto_');
    expect(revoked.code).toBe(0);
    expect(lines(table.stdout)).toHaveLength(2);
    expect(accounts.map(({ stdout }) => JSON.parse(stdout)[0].email)).toEqual([
      'a@example.com',
      'é@söhne.example',
      null,
    ]);
    expect(deleted.code).toBe(0);
    expect(none.stdout.trim()).toBe('[]');
  });

  test.each([
    [['keys', 'create', '--account', 'nobody'], 'no account with this name'],
    [['keys', 'revoke', 'nothing'], 'no key with this id'],
    [['accounts', 'delete', 'nobody', '--yes'], 'no account with this name'],
    [['accounts', 'create', '--name', ' '], '1 to 100 characters'],
    [['accounts', 'create', '--name', 'a', '--email', 'a@b, c@d'], 'must be one address'],
    [['accounts', 'set-email', 'nobody', 'a@example.com'], 'no account with this name'],
    [['websites', 'move', 'nothing', '--account', 'nobody'], 'no such website'],
  ] as const)('%j exits with 1 and says why', async (args, text) => {
    const { code, stdout, stderr } = await runCommand(args, empty);

    expect(stderr).toContain(text);
    expect([code, stdout]).toEqual([1, '']);
  });

  test('are managed while the service runs: a new key works at once, a revoked one is rejected within a second', async () => {
    const env = { DATA_DIR: await dataFolder() };
    const service = await startService(env);

    const key = (await runProgram(['keys', 'create', '--account', 'default'], env)).stdout.trim();
    const before = await call(service, key, '/api/v1/websites');
    const [, { id }] = JSON.parse(
      (await runProgram(['keys', 'list', '--account', 'default', '--json'], env)).stdout,
    ) as [unknown, { id: string }];
    await runProgram(['keys', 'revoke', id], env);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const after = await call(service, key, '/api/v1/websites');
    await service.stop();

    expect([before.status, after.status]).toEqual([200, 401]);
  });
});

test('a backup in a folder that does not exist is not written', async () => {
  const env = await createTestDatabase();
  const folder = join(await emptyFolder(), 'missing');

  const { code, stderr } = await runCommand(['backup', join(folder, 'a.backup')], env);

  expect([code, stderr]).toEqual([1, `hitherto: There is no folder ${folder} for ${join(folder, 'a.backup')}.\n`]);
});
