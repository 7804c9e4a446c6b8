import { addAccount, addWebsites } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { createDatabase, rowsOf, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { DATABASE_TIMEOUTS } from '../src/connection/timeouts.ts';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

let database: TestDatabase;
let connections: PostgresRepositories[];
let repositories: PostgresRepositories;

const open = (url = database.url) => {
  const opened = openPostgres({ connection: url, log: () => {} });
  connections.push(opened);
  return opened;
};

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  connections = [];
  repositories = open();
});

afterEach(async () => {
  await Promise.all(connections.map((opened) => opened.close()));
  await database.drop();
});

describe('clean-up', () => {
  const now = new Date('2026-11-21T00:00:00.000Z');
  const record = { keyHash: 'a key', fingerprint: 'f', sealedResponse: 's' };

  it('deletes any number of expired records, a thousand at a time, and no others', async () => {
    const accountId = await addAccount(repositories);
    await repositories.websites.insert(accountId, aWebsite(), {
      ...UNRECORDED,
      record: { ...record, expiresAt: new Date(now.getTime() + 1) },
    });
    await run(
      database.url,
      `insert into store_record select $1, 'expired ' || n, 'f', 's', $2::timestamptz - n * interval '1 s' from generate_series(0, 2999) n`,
      [accountId, now],
    );
    await run(
      database.url,
      `create function refuse_many() returns trigger language plpgsql as $$ begin
         if (select count(*) from gone) > 1000 then raise 'too many at once'; end if;
         return null;
       end $$;
       create trigger few after delete on store_record referencing old table as gone
         for each statement execute function refuse_many()`,
    );

    expect(await repositories.idempotency.deleteExpired(now)).toBe(3000);

    expect(await rowsOf(database.url, 'select key_hash from store_record')).toEqual([{ key_hash: 'a key' }]);
  });

  it('leaves an expired record that a create replaces meanwhile', async () => {
    const accountId = await addAccount(repositories);
    await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record: { ...record, expiresAt: now } });
    // Replaces the record, and commits only once the clean-up waits for it.
    const holding = run(
      database.url,
      `do $$ begin
         update store_record set expires_at = '2030-01-01';
         while not exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) loop
           perform pg_sleep(0.01);
           perform pg_stat_clear_snapshot();
         end loop;
       end $$`,
    );
    const isHeld = `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`;
    while ((await rowsOf(database.url, isHeld)).length === 0);

    expect(await repositories.idempotency.deleteExpired(now)).toBe(0);

    await holding;
    expect(await repositories.idempotency.find(accountId, record.keyHash, now)).toMatchObject(record);
  });
});

describe('an operation of the command line may take longer than a statement of a request', () => {
  /** Longer than both timeouts of a request's statement. */
  const SECONDS = DATABASE_TIMEOUTS.response / 1000 + 0.5;
  const SLOWLY = `create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(${SECONDS}); return null; end $$`;

  it('deleting an account', async () => {
    const accountId = await addAccount(repositories);
    await addWebsites(repositories, accountId, ['https://a.example']);
    await run(
      database.url,
      `${SLOWLY}; create trigger slow after delete on website for each statement execute function slowly()`,
    );

    expect(await repositories.access.deleteAccount(accountId)).toBe(true);

    expect(await rowsOf(database.url, 'select from account')).toEqual([]);
    expect(await rowsOf(database.url, 'select from website')).toEqual([]);
  });
});
