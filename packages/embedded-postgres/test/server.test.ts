import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  joinOrStartEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/index.ts';
import { eventually, openWorld, query, serverPid, untilGone } from './world.ts';

const world = openWorld();
const running: EmbeddedPostgres[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await world.close();
});
afterAll(() => world.closeAll());

async function start(options: Partial<EmbeddedOptions> & { dataDir: string }): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ log: () => {}, settings: { fsync: 'off' }, ...options });
  running.push(server);
  return server;
}

describe('a server on an empty folder', () => {
  test('is durable, speaks UTF-8, orders by bytes and listens on no port', async () => {
    const dataDir = await world.folder();

    const { connection } = await start({ dataDir, settings: {} });

    const shown = await query(
      connection,
      `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
         current_setting('synchronous_commit') as commits, current_setting('listen_addresses') as addresses,
         current_setting('server_encoding') as encoding, datlocprovider as provider, datlocale as locale
       from pg_database where datname = current_database()`,
    );
    expect(shown).toEqual([
      { fsync: 'on', pages: 'on', commits: 'on', addresses: '', encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' },
    ]);
  });

  test('lets only its own user, and root, reach the socket', async () => {
    const dataDir = await world.prepared();

    const { connection } = await start({ dataDir });

    const folder = await stat(connection.host);
    const socket = await stat(join(connection.host, '.s.PGSQL.5432'));
    expect(folder.mode & 0o077).toBe(0);
    expect(socket.mode & 0o077).toBe(0);
  });

  test('reports that it prepares the database on the first start only', async () => {
    const dataDir = await world.folder();
    const texts: string[] = [];
    const first = await startEmbeddedPostgres({
      dataDir,
      log: () => {},
      onProgress: (text) => texts.push(text),
      settings: { fsync: 'off' },
    });
    await first.stop();
    const toldFirst = texts.splice(0);

    await start({ dataDir, onProgress: (text) => texts.push(text) });

    expect(toldFirst).toContain('preparing the database (first start, about a second)');
    expect(texts).not.toContain('preparing the database (first start, about a second)');
  });

  test('has the extensions that searching needs', async () => {
    const { connection } = await start({ dataDir: await world.prepared() });

    await query(connection, 'create extension pg_trgm; create extension btree_gin');

    expect(await query(connection, `select similarity('site', 'site') as same`)).toEqual([{ same: 1 }]);
  });
});

describe('a server', () => {
  test('keeps its data over a stop and a start', async () => {
    const dataDir = await world.prepared();
    const first = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: {} });
    await query(first.connection, `create table kept as select 'é 🎈' as word`);
    await first.stop();

    const second = await start({ dataDir });

    expect(await query(second.connection, 'select word from kept')).toEqual([{ word: 'é 🎈' }]);
  });

  test('is gone after stop, and so is its socket', async () => {
    const dataDir = await world.prepared();
    const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: { fsync: 'off' } });
    const pid = await serverPid(dataDir);

    await server.stop();

    await untilGone(pid);
    await expect(query(server.connection, 'select 1')).rejects.toThrow('ENOENT');
  });

  test('is restarted when it dies, and the log says so', async () => {
    const dataDir = await world.prepared();
    const logged: string[] = [];
    const { connection } = await start({ dataDir, log: (level, message) => logged.push(`${level}: ${message}`) });
    const pid = await serverPid(dataDir);

    process.kill(pid, 'SIGKILL');
    await untilGone(pid);

    await eventually(() => query(connection, 'select 1'));
    expect(await serverPid(dataDir)).not.toBe(pid);
    expect(logged).toContain('error: The embedded PostgreSQL died and is started again');
  });

  test('can be stopped while it is being restarted', async () => {
    const dataDir = await world.prepared();
    const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: { fsync: 'off' } });
    const pid = await serverPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);

    await server.stop();

    await start({ dataDir });
  });

  test('writes neither statements nor values to its log', async () => {
    const dataDir = await world.prepared();
    const { connection } = await start({ dataDir });

    await query(connection, `select 'hush-1' as value`);
    await expect(query(connection, `select 'hush-2'::int`)).rejects.toThrow('hush-2');
    await expect(query(connection, 'select * from hush_3')).rejects.toThrow('hush_3');

    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('ready to accept connections');
    expect(log).not.toMatch(/hush/);
  });

  test('moves a log of more than 10 MB aside', async () => {
    const dataDir = await world.prepared();
    await writeFile(join(dataDir, 'postgres.log'), 'old\n');
    await truncate(join(dataDir, 'postgres.log'), 11 * 1024 * 1024);

    await start({ dataDir });

    expect((await stat(join(dataDir, 'postgres.log.1'))).size).toBe(11 * 1024 * 1024);
    expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(100_000);
  });

  test('does not write its log through a symbolic link', async () => {
    const dataDir = await world.prepared();
    await symlink(join(dataDir, 'elsewhere'), join(dataDir, 'postgres.log'));

    const refused = start({ dataDir });

    await expect(refused).rejects.toMatchObject({ code: 'failed' });
    expect(await readdir(dataDir)).not.toContain('elsewhere');
  });

  test('ignores the environment variables of PostgreSQL', async () => {
    const dataDir = await world.prepared();
    const hostile = {
      PGDATA: '/nonexistent',
      PGPORT: '1',
      PGHOST: '/nonexistent',
      PGSSLMODE: 'require',
      LC_ALL: 'xx_YY',
      PGTZ: 'Mars',
    };

    const holder = world.holder('service', dataDir, hostile);

    const { connection } = await holder.next('ready');
    expect(await query(connection, 'show timezone')).toEqual([{ TimeZone: 'UTC' }]);
    await holder.stop();
  });
});

describe('a folder', () => {
  test.each([
    ['with spaces, quotes and marks', `a "d'é",\\ $t 🎈`],
    ['too long for a socket', join('x'.repeat(90), 'y'.repeat(90))],
  ])('%s works, also for a command that joins', async (_, name) => {
    const dataDir = join(await world.folder(), name);

    await start({ dataDir });
    const joined = await joinOrStartEmbeddedPostgres({ dataDir, log: () => {} });

    expect(await query(joined.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('may be relative', async () => {
    const dataDir = await world.prepared();

    const { connection } = await start({ dataDir: relative(process.cwd(), dataDir) });

    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('with too long a path for a socket gets a private temporary folder for it, removed when it stops', async () => {
    const dataDir = join(await world.folder(), 'x'.repeat(100));
    const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: { fsync: 'off' } });
    const { mode } = await stat(server.connection.host);

    await server.stop();

    expect(mode & 0o777).toBe(0o700);
    await expect(stat(server.connection.host)).rejects.toThrow('ENOENT');
  });

  test('that its group may write to, as on a volume of Kubernetes, works and is closed again', async () => {
    const dataDir = await world.prepared();
    execFileSync('chmod', ['-R', 'g+rwX', dataDir]);

    const { connection } = await start({ dataDir });

    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
  });

  test('of another major version is rejected, with instructions to move', async () => {
    const dataDir = await world.folder();
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n');

    const refused = start({ dataDir });

    await expect(refused).rejects.toMatchObject({
      code: 'other_version',
      message: expect.stringMatching(/"backup FILE".*"restore FILE"/s),
    });
  });

  test('that holds something else is rejected and left unchanged', async () => {
    const dataDir = await world.folder();
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres/letter.txt'), 'é');

    const refused = start({ dataDir });

    await expect(refused).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(join(dataDir, 'postgres')),
    });
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['letter.txt']);
    expect((await readdir(dataDir)).sort()).toEqual(['lock', 'postgres']);
  });

  test('that is a file is rejected, with its name', async () => {
    const dataDir = join(await world.folder(), 'file');
    await writeFile(dataDir, '');

    const refused = start({ dataDir });

    await expect(refused).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining(dataDir) });
  });
});
