import { repositoriesContract } from '@hitherto/contracts/repositories';
import { clearAccounts } from '@hitherto/testing/clear';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, describe, inject } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const repositories: PostgresRepositories = openPostgres({
  connection: database.url,
  log: () => {},
  secretKey: () => new Uint8Array(32).fill(7),
});

afterAll(async () => {
  await repositories.close();
  await database.drop();
});

const makeRepositories = async () => {
  await clearAccounts(database.url);
  return repositories;
};
const makeWithoutStatistics = async () => {
  await clearStatistics(database.url);
  return makeRepositories();
};

describe('the PostgreSQL adapters', () => repositoriesContract(makeRepositories, makeWithoutStatistics));
