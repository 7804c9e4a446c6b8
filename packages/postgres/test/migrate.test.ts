import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addAccount } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, run, type TestDatabase } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { DATABASE_TIMEOUTS } from '../src/connection/timeouts.ts';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';
import { migrations } from '../src/migrations/index.ts';
import { MIGRATION_LOCK_ID } from '../src/migrations/migrate.ts';

const ALL = Object.keys(migrations);
const LATER = `insert into schema_migration values ('9999-later', '2030-01-01T00:00:00.000Z')`;

describe('migrate', () => {
  let database: TestDatabase;
  let opened: PostgresRepositories[];

  const open = (url = database.url) => {
    const repositories = openPostgres({ connection: url, log: () => {} });
    opened.push(repositories);
    return repositories;
  };

  beforeEach(async () => {
    database = await createDatabase(inject('postgresUrl'));
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map((repositories) => repositories.close()));
    await database.drop();
  });

  it('takes an empty database to the current schema, and then does nothing', async () => {
    const repositories = open();

    expect(await repositories.schemaState()).toEqual({ pending: ALL, unknown: [] });
    expect(await repositories.migrate()).toEqual(ALL);
    expect(await repositories.migrate()).toEqual([]);
    expect(await repositories.schemaState()).toEqual({ pending: [], unknown: [] });

    const id = await addAccount(repositories);
    await repositories.websites.insert(id, aWebsite(), UNRECORDED);
    expect((await repositories.websites.list(wholeAccount(id), { order: 'newest_first' }, 10)).total).toBe(1);
  });

  it('is done by one of five instances that start at once', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => open().migrate()));

    expect(applied.filter((names) => names.length > 0)).toEqual([ALL]);
    expect(await rowsOf(database.url, 'select name from schema_migration')).toEqual(ALL.map((name) => ({ name })));
  });

  it('waits while another instance migrates', async () => {
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK_ID]);
    let isDone = false;

    const migrating = open()
      .migrate()
      .finally(() => {
        isDone = true;
      });
    await sleep(500);
    const wasDone = isDone;
    await other.end();

    expect(wasDone).toBe(false);
    expect(await migrating).toEqual(ALL);
  });

  describe('while another session holds a lock', () => {
    const isHeldUp = `application_name = 'hitherto migrate' and wait_event_type = 'Lock' and datname = current_database()`;

    /** Another session that has done this, and a migration that waits for it. */
    const heldUpBy = async (text: string) => {
      const other = new pg.Client({ connectionString: database.url });
      other.on('error', () => {});
      await other.connect();
      onTestFinished(() => other.end());
      await other.query(text);
      const migrating = open().migrate();
      migrating.catch(() => {});
      while ((await rowsOf(database.url, `select from pg_stat_activity where ${isHeldUp}`)).length === 0);
      return { migrating };
    };

    it.each([
      ['the state', 'begin; lock table schema_migration in access exclusive mode', DATABASE_TIMEOUTS.response],
      [
        'the migration lock',
        `select pg_advisory_lock(${MIGRATION_LOCK_ID})`,
        DATABASE_TIMEOUTS.migrationWait + DATABASE_TIMEOUTS.response,
      ],
    ])('fails as unavailable when a query for %s times out', async (_, text, wait) => {
      await run(database.url, 'create table schema_migration (name text, timestamp text)');
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { migrating } = await heldUpBy(text);

      vi.advanceTimersByTime(wait);

      await expect(migrating).rejects.toMatchObject({
        code: 'unavailable',
        cause: { message: 'Query read timeout' },
      });
    });

    it('fails as unavailable when the database goes away', async () => {
      const { migrating } = await heldUpBy(`select pg_advisory_lock(${MIGRATION_LOCK_ID})`);

      await run(database.url, `select pg_terminate_backend(pid) from pg_stat_activity where ${isHeldUp}`);

      await expect(migrating).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  it('leaves a schema of a later version unchanged, and works with it', async () => {
    const repositories = open();
    await repositories.migrate();
    await run(database.url, LATER);

    expect(await repositories.migrate()).toEqual([]);
    expect(await repositories.schemaState()).toEqual({ pending: [], unknown: ['9999-later'] });
    await addAccount(repositories);
  });

  it('rejects a schema that it cannot work with, and says in one sentence which version to start', async () => {
    await open().migrate();
    await run(database.url, LATER.replace('9999-later', '9999-later-exclusive'));

    await expect(open().migrate()).rejects.toThrow(
      /^[^.]*later version[^.]*\(9999-later-exclusive\); start that version\.$/,
    );
  });

  it('rejects a schema that has a later version’s migrations without its own', async () => {
    await open().migrate();
    await run(database.url, `delete from schema_migration; ${LATER}`);

    await expect(open().migrate()).rejects.toThrow(/later version \(9999-later\)/);
  });

  it('rejects a schema from before the first release, and says how to take its content along', async () => {
    await open().migrate();
    await run(database.url, `update schema_migration set name = '0001-accounts-keys-websites'`);

    await expect(open().migrate()).rejects.toThrow(
      /An unreleased version.*hitherto backup FILE.*hitherto restore FILE/,
    );
  });

  it('leaves nothing behind if it fails, and can be repeated', async () => {
    await run(database.url, 'create table store_record ()');

    await expect(open().migrate()).rejects.toMatchObject({ code: '42P07' });

    expect(await rowsOf(database.url, `select to_regclass('account') as found`)).toEqual([{ found: null }]);
    await run(database.url, 'drop table store_record');
    expect(await open().migrate()).toEqual(ALL);
  });

  it.each(['SQL_ASCII', 'LATIN1'])('rejects a database with the encoding %s, and says what to do', async (encoding) => {
    const name = `hitherto_test_${randomUUID()}`;
    const server = inject('postgresUrl');
    await run(server, `create database "${name}" encoding '${encoding}' locale 'C' template template0`);
    const url = new URL(server);
    url.pathname = `/${name}`;

    await expect(open(url.href).migrate()).rejects.toThrow(new RegExp(`${encoding}.*ENCODING 'UTF8'`));

    await run(server, `drop database "${name}" with (force)`);
  });

  describe('with a role of few privileges', () => {
    const role = `hitherto_test_${randomUUID()}`;
    let url: string;

    beforeEach(async () => {
      await run(database.url, `create role "${role}" login`);
      await run(database.url, `revoke create on schema public from public`);
      const asRole = new URL(database.url);
      asRole.username = role;
      url = asRole.href;
    });

    afterEach(async () => {
      await run(database.url, `drop owned by "${role}"; drop role "${role}"`);
    });

    it('says what to create or grant if the extensions are missing', async () => {
      const failure = open(url).migrate();

      await expect(failure).rejects.toThrow(/CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin;/);
      await expect(failure).rejects.toThrow(`GRANT CREATE ON DATABASE "${database.name}" TO "${role}";`);
    });

    it('says what to grant if it may not create tables, and works once that is granted', async () => {
      await run(database.url, `grant create on database "${database.name}" to "${role}"`);

      await expect(open(url).migrate()).rejects.toThrow(`GRANT CREATE, USAGE ON SCHEMA public TO "${role}";`);
      await run(database.url, `grant create, usage on schema public to "${role}"`);

      expect(await open(url).migrate()).toEqual(ALL);
    });
  });
});

describe('the schema', () => {
  const website = { ...aWebsite(), accountId: newId() };

  it('enforces rules on websites by constraints', async () => {
    const database = await createDatabase(inject('postgresUrl'));
    const repositories = openPostgres({ connection: database.url, log: () => {} });
    await repositories.migrate();
    const accountId = await addAccount(repositories);
    const add = (overrides: Partial<typeof website>) =>
      repositories.websites.insert(accountId, { ...website, id: newId(), ...overrides }, UNRECORDED);

    await expect(add({ privacy: 'password', passwordHash: null })).rejects.toMatchObject({
      code: '23514',
      constraint: 'website_password_required',
    });
    await expect(add({ url: 'ftp://a.example' })).rejects.toMatchObject({ code: '23514' });
    await expect(add({ excludedParams: Array.from({ length: 1001 }, String) })).rejects.toMatchObject({
      code: '23514',
    });
    await expect(add({ url: `https://a.example/${'x'.repeat(2031)}` })).rejects.toMatchObject({ code: '23514' });
    expect(await add({ privacy: 'password', passwordHash: 'hash' })).toBeUndefined();

    await repositories.close();
    await database.drop();
  });

  it('stores privacy as a word, a url in two parts, and a search text only if it differs', async () => {
    const database = await createDatabase(inject('postgresUrl'));
    const repositories = openPostgres({ connection: database.url, log: () => {} });
    await repositories.migrate();
    const accountId = await addAccount(repositories);
    const record = { keyHash: 'h', fingerprint: 'f', sealedResponse: 's', expiresAt: new Date('2026-12-01') };
    await repositories.websites.insert(accountId, aWebsite({ url: 'https://xn--caf-dma.example/A' }), {
      ...UNRECORDED,
      record,
    });
    await repositories.websites.insert(
      accountId,
      aWebsite({ id: newId(), url: 'http://plain.example:8080/a' }),
      UNRECORDED,
    );

    const rows = await rowsOf(database.url, 'select * from website order by address');
    expect(
      rows.map(({ scheme, address, search_text, privacy }) => ({ scheme, address, search_text, privacy })),
    ).toEqual([
      { scheme: 'http', address: 'plain.example:8080/a', search_text: null, privacy: 'private' },
      {
        scheme: 'https',
        address: 'xn--caf-dma.example/A',
        search_text: 'https://xn--caf-dma.example/a\nhttps://café.example/a',
        privacy: 'private',
      },
    ]);

    await repositories.access.deleteAccount(accountId);
    for (const table of ['account', 'api_key', 'website', 'store_record']) {
      expect(await rowsOf(database.url, `select * from ${table}`)).toEqual([]);
    }
    await repositories.close();
    await database.drop();
  });
});
