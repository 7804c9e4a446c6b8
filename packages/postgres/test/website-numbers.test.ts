import { addAccount, addWebsites } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

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

afterEach(async () => {
  await repositories.close();
  await database.drop();
});

describe('the numbers of websites', () => {
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

    await repositories.websites.delete(accountId, first?.id ?? '', undefined, UNRECORDED);
    expect(await numbers('deleted_website')).toEqual(['1']);
    await repositories.access.deleteAccount(accountId);

    expect(await numbers('deleted_website')).toEqual(['1', '2', '3']);
    await repositories.websites.insert(otherId, aWebsite({ id: newId(), url: 'https://d.example' }), UNRECORDED);
    expect(await numbers('website')).toEqual(['4', '5']);
    const [deleted] = await rowsOf<{ recently: boolean }>(
      database.url,
      `select bool_and(deleted_at between now() - interval '1 min' and now()) as recently from deleted_website`,
    );
    expect(deleted?.recently).toBe(true);
  });
});
