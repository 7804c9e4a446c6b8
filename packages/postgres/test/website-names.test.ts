import { addAccount } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { createDatabase, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

let database: TestDatabase;
let repositories: PostgresRepositories;

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  repositories = openPostgres({ connection: database.url, log: () => {} });
});
afterEach(async () => {
  await repositories.close();
  await database.drop();
});

it('names from before their time was noted lead where they led: aliases, exact addresses, hosts, then the first', async () => {
  const given: readonly (readonly [url: string, alias?: string])[] = [
    ['https://a.example/first'],
    ['https://www.a.example'],
    ['https://a.example'],
    ['https://b.example/second'],
    ['https://c.example', 'b.example'],
    ['https://c.example'],
  ];
  const accounts: string[] = [];
  for (const [index, [url, alias]] of given.entries()) {
    const account = await addAccount(repositories);
    accounts.push(account);
    const createdAt = new Date(Date.UTC(2026, 0, index + 1));
    const aliases = alias === undefined ? [] : [alias];
    await repositories.websites.insert(
      account,
      aWebsite({ id: newId(), url, aliases, createdAt, updatedAt: createdAt }),
      UNRECORDED,
    );
  }
  await run(database.url, 'update website set address_since = null, host_since = null');
  await run(database.url, 'update website_alias set since = null');
  const late = await addAccount(repositories);
  for (const url of ['https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'])
    await repositories.websites.insert(late, aWebsite({ id: newId(), url }), UNRECORDED);

  const owner = (aliases: readonly string[], ...addresses: readonly string[]) =>
    repositories.directory.findOwner({ aliases, addresses });

  expect(await owner([], 'a.example', 'www.a.example')).toBe(accounts[2]);
  expect(await owner([], 'www.a.example', 'a.example')).toBe(accounts[1]);
  expect(await owner(['b.example'], 'b.example', 'www.b.example')).toBe(accounts[4]);
  expect(await owner([], 'b.example')).toBe(accounts[3]);
  expect(await owner([], 'c.example')).toBe(accounts[4]);
  expect(await owner([], 'd.example')).toBe(late);
});
