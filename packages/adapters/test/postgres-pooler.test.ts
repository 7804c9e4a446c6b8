import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aWebsite } from '@hitherto/domain/testing';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { freePort } from '@hitherto/testing/free-port';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../src/postgres/connection/database.ts';
import { openPostgres } from '../src/postgres/index.ts';
import { newId } from '../src/system.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';
import { addAccount } from './repositories.ts';

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;

const NOBODY = 65_534;

let pooler: ChildProcess | undefined;
let proxy: DatabaseProxy;
let folder: string;

afterEach(async () => {
  pooler?.kill('SIGKILL');
  pooler = undefined;
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

/** The url of the database through a PgBouncer with default settings and this mode. */
async function startPooler(databaseUrl: string, mode: 'session' | 'transaction'): Promise<string> {
  proxy = await startProxy(databaseUrl);
  const server = new URL(proxy.url);
  const host = server.searchParams.get('host') ?? '';
  // PgBouncer refuses to run as root; another user needs access to the folder and the socket.
  await chmod(host, 0o755);
  await chmod(join(host, '.s.PGSQL.5432'), 0o777);
  const port = await freePort();
  folder = await mkdtemp(join(tmpdir(), 'hitherto-pooler-'));
  await chmod(folder, 0o755);
  const settings = `
[databases]
* = host=${host} port=5432 user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`;
  await writeFile(join(folder, 'pgbouncer.ini'), settings);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  pooler = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { ...user, stdio: 'ignore' });
  for (let isUp = false; !isUp; await sleep(20)) {
    isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.unref();
    });
  }
  return `postgresql://${server.username}@127.0.0.1:${port}${server.pathname}?sslmode=disable`;
}

// PgBouncer is not part of the program: these tests run only where it is installed.
describe.runIf(isInstalled)('through PgBouncer', () => {
  it('in session mode everything works, with the settings of a session', async () => {
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    const url = await startPooler(database.url, 'session');
    const logged: string[] = [];
    const repositories = openPostgres({ connection: url, log: (_, message) => logged.push(message) });

    await repositories.migrate();
    const accountId = await addAccount(repositories);
    const website = aWebsite({ id: newId() });
    await repositories.websites.insert(accountId, website);

    for (let round = 0; round < 5; round += 1) {
      expect(await repositories.websites.find(accountId, website.id)).toEqual(website);
      await sleep(20);
    }
    expect((await repositories.websites.list(accountId, { order: 'newest_first', search: 'é' }, 10)).total).toBe(1);
    await repositories.ping();
    const direct = openDatabase(url, 'api', { lost: () => {}, seen: () => {} }, () => {});
    const { rows } = await direct.query<{ timeout: string }>({
      text: `select current_setting('statement_timeout') || current_setting('enable_seqscan') as timeout`,
      values: [],
    });
    expect(rows).toEqual([{ timeout: '5soff' }]);
    expect(logged).toEqual([]);
    await Promise.all([direct.close(), repositories.close()]);
    await database.drop();
  });

  it('in transaction mode the migration fails with the reason', async () => {
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    const url = await startPooler(database.url, 'transaction');
    const repositories = openPostgres({ connection: url, log: () => {} });

    await expect(repositories.migrate()).rejects.toThrow(/pools by transaction.*pool_mode = session/s);

    await repositories.close();
    await database.drop();
  });
});
