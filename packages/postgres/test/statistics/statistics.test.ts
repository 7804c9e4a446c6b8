import { historiesContract } from '@hitherto/contracts/statistics/histories';
import { statisticsContract } from '@hitherto/contracts/statistics/statistics';
import { timeZone } from '@hitherto/domain/calendar';
import { createInMemoryRepositories } from '@hitherto/memory';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { runs } from '@hitherto/testing/runs';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, describe, inject } from 'vitest';
import { openPostgres } from '../../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
/** Its background work stores all days that are over by columns. */
const repositories = openPostgres({
  connection: database.url,
  log: () => {},
  columns: { visits: 1, visitsOfRow: 1_000 },
  secretKey: () => new Uint8Array(32).fill(7),
});
/** Its clocks change by half an hour, so that its hours begin on the hour or half hour of UTC. */
const ZONE = timeZone('Australia/Lord_Howe');
const zonedStore = openPostgres({ connection: database.url, log: () => {}, zone: ZONE });
const runningStore = openPostgres({
  connection: database.url,
  log: () => {},
  zone: ZONE,
  runningSummaries: { visits: 1, appended: 1 },
});

const columnStore = openPostgres({
  connection: database.url,
  log: () => {},
  zone: ZONE,
  columns: { visits: 1, visitsOfRow: 2 },
});

afterAll(async () => {
  await repositories.close();
  await zonedStore.close();
  await runningStore.close();
  await columnStore.close();
  await database.drop();
});

const makeRepositories = async () => {
  await clearStatistics(database.url);
  return repositories;
};

describe('statistics in PostgreSQL', () => {
  statisticsContract(makeRepositories);
  describe('random histories', () => {
    const makeZoned = async () => {
      await makeRepositories();
      return zonedStore;
    };
    historiesContract(makeZoned, async () => createInMemoryRepositories(ZONE), runs(100, 1_000));
  });
  describe('random histories with all days that are over in columns', () => {
    const makeColumns = async () => {
      await makeRepositories();
      return columnStore;
    };
    historiesContract(makeColumns, async () => createInMemoryRepositories(ZONE), runs(100, 1_000), 'settle');
  });
  describe('random histories with running summaries of all days', () => {
    const makeRunning = async () => {
      await makeRepositories();
      return runningStore;
    };
    historiesContract(makeRunning, async () => createInMemoryRepositories(ZONE), runs(100, 1_000));
  });
});
