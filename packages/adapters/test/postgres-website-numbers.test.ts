import { aWebsite } from '@hitherto/domain/testing';
import { createDatabase, rowsOf, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/postgres/index.ts';
import { up as upToAccounts } from '../src/postgres/migrations/0001-accounts-keys-websites.ts';
import { up as upToDirectory } from '../src/postgres/migrations/0002-website-directory.ts';
import { newId } from '../src/system.ts';
import { addAccount, addWebsites } from './repositories.ts';

let database: TestDatabase;
let repositories: PostgresRepositories;

const open = async (template?: string) => {
  database = await createDatabase(inject('postgresUrl'), template === undefined ? {} : { template });
  repositories = openPostgres({ connection: database.url, log: () => {} });
};
const numbers = async (table: string) => {
  const rows = await rowsOf<{ number: string }>(database.url, `select number from ${table} order by number`);
  return rows.map(({ number }) => number);
};

/** Inserts a website as the first version does. */
const insertWebsite = (accountId: string, address: string) =>
  run(
    database.url,
    `insert into website (account_id, id, scheme, address, privacy, email_reports, exclude_bots, excluded_params,
       excluded_ips, created_at, updated_at)
     values ($1, $2, 'https', $3, 'private', false, true, '{}', '{}', now(), now())`,
    [accountId, newId(), address],
  );

afterEach(async () => {
  await repositories.close();
  await database.drop();
});

describe('the numbers of websites', () => {
  it('are assigned to existing websites, and to those that an earlier version adds later', async () => {
    await open();
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url }) }),
    });
    await upToAccounts(db);
    const accountId = newId();
    await run(database.url, `insert into account (id, name, created_at) values ($1, 'é', now())`, [accountId]);
    await insertWebsite(accountId, 'a.example');
    await insertWebsite(accountId, 'b.example');

    await upToDirectory(db);
    await db.destroy();

    expect(await numbers('website')).toEqual(['1', '2']);
    await insertWebsite(accountId, 'c.example');
    expect(await numbers('website')).toEqual(['1', '2', '3']);
  });

  it('of deleted websites are recorded, also those of deleted accounts, and never reused', async () => {
    await open(TEMPLATE);
    const accountId = await addAccount(repositories);
    const otherId = await addAccount(repositories);
    const [first] = await addWebsites(repositories, accountId, [
      'https://a.example',
      'https://b.example',
      'https://c.example',
    ]);
    await addWebsites(repositories, otherId, ['https://a.example']);

    await repositories.websites.delete(accountId, first?.id ?? '');
    expect(await numbers('deleted_website')).toEqual(['1']);
    await repositories.access.deleteAccount(accountId);

    expect(await numbers('deleted_website')).toEqual(['1', '2', '3']);
    await repositories.websites.insert(otherId, aWebsite({ id: newId(), url: 'https://d.example' }));
    expect(await numbers('website')).toEqual(['4', '5']);
    const [deleted] = await rowsOf<{ recently: boolean }>(
      database.url,
      `select bool_and(deleted_at between now() - interval '1 min' and now()) as recently from deleted_website`,
    );
    expect(deleted?.recently).toBe(true);
  });
});
