import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, describe, inject } from 'vitest';
import { openPostgres, type PostgresStore } from '../src/postgres/index.ts';
import { accessRepositoryContract } from './access-repository.contract.ts';
import { countCapContract } from './count-cap.contract.ts';
import { pageLocksContract } from './page-locks.contract.ts';
import { sessionRepositoryContract } from './session-repository.contract.ts';
import { transferContract } from './transfer.contract.ts';
import { websiteDirectoryContract } from './website-directory.contract.ts';
import { websiteListContract } from './website-list.contract.ts';
import { websiteRepositoryContract } from './website-repository.contract.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const store: PostgresStore = openPostgres({ connection: database.url, log: () => {} });

afterAll(async () => {
  await store.close();
  await database.drop();
});

const makeStore = async () => {
  await run(database.url, 'truncate account cascade');
  return store;
};

describe('the PostgreSQL store', () => {
  describe('keeps websites', () => websiteRepositoryContract(makeStore));
  describe('lists websites', () => websiteListContract(makeStore));
  describe('finds websites by id alone', () => websiteDirectoryContract(makeStore));
  describe('counts websites', () => countCapContract(makeStore));
  describe('keeps accounts and keys', () => accessRepositoryContract(makeStore));
  describe('locks of pages', () => pageLocksContract(makeStore));
  describe('keeps sessions', () => sessionRepositoryContract(makeStore));
  describe('moves everything', () => transferContract(makeStore));
});
