import { historiesContract } from '@hitherto/contracts/statistics/histories';
import {
  engineContract,
  JUST_ADDED,
  readingContract,
  recordsContract,
  SETTLED_DAYS_THAT_ARE_OVER,
} from '@hitherto/contracts/statistics/statistics';
import type { StatisticsPorts } from '@hitherto/contracts/statistics/support';
import { timeZone } from '@hitherto/domain/calendar';
import { createInMemoryRepositories } from '@hitherto/memory';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { runs } from '@hitherto/testing/runs';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, describe, inject } from 'vitest';
import { openPostgres } from '../../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const repositories = openPostgres({
  connection: database.url,
  log: () => {},
  parts: { hits: 2_000, parts: 8, lists: 1, listsOfMonths: 1 },
  secretKey: () => new Uint8Array(32).fill(7),
});
/** Its clocks change by half an hour, so that its hours begin on the hour or half hour of UTC. */
const ZONE = timeZone('Australia/Lord_Howe');
const zonedStore = openPostgres({ connection: database.url, log: () => {}, zone: ZONE });
/** Another instance of the same database. */
const otherStore = openPostgres({ connection: database.url, log: () => {}, zone: ZONE });

const columnStore = openPostgres({
  connection: database.url,
  log: () => {},
  zone: ZONE,
  parts: { hits: 4, parts: 2, lists: 6, listsOfMonths: 12 },
});

afterAll(async () => {
  await repositories.close();
  await zonedStore.close();
  await otherStore.close();
  await columnStore.close();
  await database.drop();
});

const makeRepositories = async () => {
  await clearStatistics(database.url);
  return repositories;
};

/** Batches arrive by turns through two instances, repeated ones through both at once, while both do background work. */
function bothInstances(): StatisticsPorts {
  const instances = [zonedStore, otherStore] as const;
  const now = () => new Date('2026-11-21T12:00:00.000Z');
  const work = () =>
    instances.flatMap(({ maintenance }) => maintenance.jobs(now).map((job) => job.work(new AbortController().signal)));
  let turn = 0;
  return {
    ...zonedStore,
    hits: {
      ...zonedStore.hits,
      async add(hits) {
        turn += 1;
        await Promise.all([instances[turn % 2 === 0 ? 0 : 1].hits.add(hits), ...work()]);
      },
    },
    batches: {
      ...zonedStore.batches,
      async add(...batch) {
        const adding = Promise.all(instances.map(({ batches }) => batches.add(...batch)));
        await Promise.all([adding, ...work()]);
        return (await adding)[0];
      },
    },
  };
}

describe('statistics in PostgreSQL', () => {
  engineContract(makeRepositories);
  recordsContract(makeRepositories);
  readingContract(makeRepositories, [JUST_ADDED, SETTLED_DAYS_THAT_ARE_OVER]);
  describe('random histories', () => {
    const makeZoned = async () => {
      await makeRepositories();
      return zonedStore;
    };
    historiesContract(makeZoned, async () => createInMemoryRepositories(ZONE), runs(8, 1_000));
  });
  describe('random histories with all days that are over in columns', () => {
    const makeColumns = async () => {
      await makeRepositories();
      return columnStore;
    };
    historiesContract(makeColumns, async () => createInMemoryRepositories(ZONE), runs(8, 1_000), 'settle');
  });
  describe('random histories through two instances', () => {
    const makeBoth = async () => {
      await makeRepositories();
      return bothInstances();
    };
    historiesContract(makeBoth, async () => createInMemoryRepositories(ZONE), runs(5, 500));
  });
});
