import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNRECORDED } from '@hitherto/domain/changes';
import { openPostgres } from '@hitherto/postgres';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { postmasterOf } from '@hitherto/testing/proc';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { startCountedDatabase } from './support/counted-database.ts';
import {
  call,
  dataFolder,
  emptyFolder,
  eventually,
  firstKeyOf,
  isAlive,
  runProgram,
  startService,
} from './support/program.ts';

/** A database that is away. */
const AWAY = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };

const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

describe('the first start on the embedded database', () => {
  test('writes a key into a file for its user alone, where no terminal shows it, and names the file once', async () => {
    const DATA_DIR = await emptyFolder();

    const service = await startService({ DATA_DIR });
    await eventually(() => service.output().stderr.includes('first.key'));
    const { mode } = await stat(join(DATA_DIR, 'first.key'));
    const key = firstKeyOf(service);
    const stored = await call(service, key, '/api/v1/websites', form({ url: 'https://example.com' }));
    const first = await service.stop();
    const again = await startService({ DATA_DIR });
    const listed = await call(again, key, '/api/v1/websites');
    const second = await again.stop();

    expect(stored.status).toBe(201);
    expect(mode & 0o777).toBe(0o600);
    expect(first.stderr).toContain(`sign in at ${service.url} with it`);
    expect(first.stdout + first.stderr).not.toContain(key);
    expect(await listed.json()).toMatchObject({ meta: { total: 1 } });
    expect(second.stderr).not.toContain('first.key');
  });

  test('knows nothing of the variables of other PostgreSQL clients', async () => {
    const DATA_DIR = await dataFolder();
    const libpq = {
      PGOPTIONS: '-c search_path=app -c default_transaction_read_only=on -c foo=1',
      PGSSLNEGOTIATION: 'direct',
      PGREPLICATION: 'true',
      PGCLIENT_ENCODING: 'latin1',
      PGHOST: '127.0.0.1',
      PGPORT: '1',
      PGDATABASE: 'app',
      PGUSER: 'app',
      PGSSLMODE: 'require',
    };

    const service = await startService({ DATA_DIR, ...libpq });
    await eventually(() => service.output().stderr.includes('first.key'));
    const created = await call(service, firstKeyOf(service), '/api/v1/websites', form({ url: 'https://é.example' }));
    const listed = await runProgram(['accounts', 'list'], { DATA_DIR, ...libpq });

    expect([created.status, listed.code, listed.stderr]).toEqual([201, 0, '']);
    await service.stop();
  });
});

describe('serving a folder', () => {
  test('keeps other starts out of it, restarts a PostgreSQL that died, and stops it on SIGTERM', async () => {
    const DATA_DIR = await dataFolder();
    const service = await startService({ DATA_DIR });
    await eventually(() => service.output().stderr.includes('first.key'));
    const key = firstKeyOf(service);
    const died = postmasterOf(DATA_DIR);

    const second = await runProgram(['serve'], { DATA_DIR, PORT: '0' });
    const ready = await fetch(`${service.url}/readyz`);
    process.kill(died, 'SIGKILL');
    await eventually(() => !isAlive(died));
    const during = new Set<number>();
    await eventually(async () => {
      const { status } = await call(service, key, '/api/v1/websites');
      during.add(status);
      return status === 200;
    });
    const postgres = postmasterOf(DATA_DIR);
    const { code } = await service.stop('SIGTERM');

    expect(second.code).toBe(1);
    expect(second.stderr).toContain(DATA_DIR);
    expect(second.stderr).toContain(String(service.process.pid));
    expect(ready.status).toBe(200);
    expect([...during].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(code).toBe(0);
    expect(isAlive(postgres)).toBe(false);
  });

  test('idle connections and unfinished requests do not keep the service from exiting with 0', async () => {
    const service = await startService(AWAY, 'listening');
    const { port } = new URL(service.url);
    const silent = connect(Number(port), '127.0.0.1').on('error', () => {});
    const halfSent = connect(Number(port), '127.0.0.1').on('error', () => {});
    halfSent.write('GET /livez HTTP/1.1\r\nHost');
    await Promise.all([once(silent, 'connect'), once(halfSent, 'connect')]);

    const { code } = await service.stop('SIGTERM');

    expect(code).toBe(0);
  });

  test('after SIGTERM, a request on a keep-alive connection still gets its response, with Connection: close', async () => {
    const service = await startService({ ...AWAY, DRAIN_SECONDS: '1' }, 'listening');
    const connection = new Agent({ keepAlive: true, maxSockets: 1 });
    const connectionOf = async () => {
      const [response] = await once(get(`${service.url}/livez`, { agent: connection }), 'response');
      response.resume();
      await once(response, 'end');
      return response.headers.connection;
    };

    const before = await connectionOf();
    const stopped = service.stop('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const after = await connectionOf();
    const { code } = await stopped;

    expect([before, after, code]).toEqual(['keep-alive', 'close', 0]);
  });

  test('after SIGTERM, tools of assistants work for DRAIN_SECONDS', async () => {
    const service = await startService({ DATA_DIR: await dataFolder(), DRAIN_SECONDS: '2' });
    await eventually(() => service.output().stderr.includes('first.key'));
    const key = firstKeyOf(service);

    const stopped = service.stop('SIGTERM');
    await sleep(200);
    const response = await call(service, key, '/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_websites' } }),
    });
    const answer = await response.text();
    await stopped;

    expect(answer).toContain('"data');
    expect(answer).not.toContain('error');
  });

  test('after SIGTERM, readyz is 503 and new connections are served for DRAIN_SECONDS', async () => {
    const service = await startService({ ...(await createTestDatabase()), DRAIN_SECONDS: '4' });
    const statuses = () =>
      Promise.all(
        ['/readyz', '/livez', '/api/v1/websites'].map(async (path) => {
          const [response] = await once(get(service.url + path, { agent: new Agent() }), 'response');
          response.resume();
          return [response.statusCode, response.headers.connection];
        }),
      );

    const since = performance.now();
    const stopped = service.stop('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const early = await statuses();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const late = await statuses();
    const { code } = await stopped;

    expect(early).toEqual([
      [503, 'close'],
      [200, 'close'],
      [401, 'close'],
    ]);
    expect(late).toEqual(early);
    expect(performance.now() - since).toBeGreaterThanOrEqual(4_000);
    expect(code).toBe(0);
  });

  test('the service goes on serving, and stops, when the reader of its log has gone', async () => {
    const service = await startService(AWAY, 'listening');

    service.process.stdout?.destroy();
    for (let flushes = 0; flushes < 3; flushes += 1) {
      // Each of these requests has a line in the log.
      await call(service, 'hto_none', '/api/v1/websites');
      await sleep(150);
    }
    const { status } = await fetch(`${service.url}/livez`);
    const { code } = await service.stop();

    expect([status, code]).toEqual([200, 0]);
  });
});

describe('failed starts', () => {
  test('a port in use is reported, and no key is printed', async () => {
    const DATA_DIR = await dataFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    const { code, stderr } = await runProgram(['serve'], { DATA_DIR, PORT: String(port) });
    other.close();

    expect(code).toBe(1);
    expect(stderr).toContain(`PORT ${port}`);
    expect(stderr).not.toContain('hto_');
  });

  test('all faults of the settings are reported together, including those of the TLS files', async () => {
    const { code, stderr } = await runCommand(['serve'], {
      PORT: 'http',
      TLS_CERT: 'no-cert.pem',
      TLS_KEY: 'no-key.pem',
    });

    expect(code).toBe(1);
    for (const name of ['PORT', 'TLS_CERT', 'TLS_KEY']) expect(stderr).toContain(name);
  });

  test('a certificate of DATABASE_URL that cannot be read is a fault, not an outage', async () => {
    const url = 'postgresql://root:secret@localhost/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
    const { code, stderr } = await runCommand(['accounts', 'list'], { DATABASE_URL: url });

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('- The file in sslrootcert of DATABASE_URL cannot be read (ENOENT).'),
    ]);
    expect(stderr).not.toContain('secret');
  });

  test('a fault names the variable, and never its value', async () => {
    const { code, stderr } = await runCommand(['serve'], {
      PORT: 'http',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://root:secret@localhost/x',
      RATE_LIMIT_PER_MINUTE: '-1',
      TRUST_PROXY: '10.0.0.0/99',
      TLS_CERT: 'cert.pem',
    });

    expect(code).toBe(1);
    for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL', 'RATE_LIMIT_PER_MINUTE', 'TRUST_PROXY', 'TLS_KEY']) {
      expect(stderr).toContain(name);
    }
    expect(stderr).not.toContain('secret');
  });
});

describe('expired idempotency records', () => {
  test('are deleted once the service has started', async () => {
    const env = await createTestDatabase();
    const repositories = openPostgres({ connection: env.DATABASE_URL, log: () => {} });
    onTestFinished(() => repositories.close());
    const account = anAccount();
    const record = { keyHash: 'h', fingerprint: 'f', sealedResponse: 's', expiresAt: new Date('2020-01-01') };
    await repositories.access.insertAccount(account, UNRECORDED);
    await repositories.websites.insert(account.id, aWebsite(), { ...UNRECORDED, record });

    const service = await startService(env);
    const find = () => repositories.idempotency.find(account.id, record.keyHash, new Date(0));
    await eventually(async () => (await find()) === undefined);
    const { code } = await service.stop();

    expect(code).toBe(0);
  });
});

describe('while the database is away', () => {
  test('the service starts, responds with 503, reports that it is not ready, and retries after at most a second', async () => {
    const service = await startService(AWAY, 'listening');
    const waits = () => [...service.output().stdout.matchAll(/"retry_in_ms":(\d+)/g)].map(([, ms]) => Number(ms));

    const api = await call(service, `hto_${'0'.repeat(49)}`, '/api/v1/websites');
    const [live, ready] = await Promise.all(['/livez', '/readyz'].map((path) => fetch(service.url + path)));
    await eventually(() => waits().length >= 4);
    const { code } = await service.stop();

    expect(waits().slice(0, 4)).toEqual([250, 500, 1_000, 1_000]);
    expect(live?.status).toBe(200);
    expect([ready?.status, ready?.headers.get('retry-after')]).toEqual([503, '1']);
    expect([api.status, api.headers.get('retry-after')]).toEqual([503, '1']);
    expect(code).toBe(0);
  });

  test('the service waits for one that is still starting, or recovers, and is ready then', async () => {
    const database = await startCountedDatabase();
    database.setStarting(true);
    try {
      const service = await startService({ DATABASE_URL: database.url }, 'listening');
      await eventually(() => service.output().stdout.includes('the database system is starting up'));
      const statuses = await Promise.all(
        ['/livez', '/readyz'].map(async (path) => (await fetch(service.url + path)).status),
      );
      database.setStarting(false);
      await eventually(async () => (await fetch(`${service.url}/readyz`)).ok);
      const { code } = await service.stop();

      expect([statuses, code]).toEqual([[200, 503], 0]);
    } finally {
      await database.close();
    }
  });

  test('the service keeps trying when the database goes away between the migration and the first query', async () => {
    const database = await startCountedDatabase();
    try {
      database.cutAt('from "account"');
      const service = await startService({ DATABASE_URL: database.url });
      const { stdout } = service.output();
      const { code } = await service.stop();

      expect(stdout).toMatch(/is not reachable yet.*"msg":"ready"/s);
      expect(code).toBe(0);
    } finally {
      await database.close();
    }
  });
});
