import { timeZone } from '@hitherto/domain';
import { skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { runs } from '@hitherto/testing/runs';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { openClickHouse } from '../../src/clickhouse/index.ts';
import { createInMemoryRepositories } from '../../src/in-memory/index.ts';
import { openPostgres } from '../../src/postgres/index.ts';
import { historiesContract } from './histories.contract.ts';
import { SETTLED_DAYS_THAT_ARE_OVER, statisticsContract } from './statistics.contract.ts';
import { clearStatistics } from './tables.ts';

/** Its clocks change by half an hour, so that its hours begin on the hour or half hour of UTC. */
const ZONE = timeZone('Australia/Lord_Howe');

describe.skipIf(skipsClickHouse)('statistics in ClickHouse', async () => {
  const server = skipsClickHouse ? undefined : await startClickHouse();
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const open = (zone = timeZone('UTC')) => {
    const postgres = openPostgres({ connection: database.url, log: () => {}, zone, handsOver: true });
    const engine = openClickHouse({ url: server?.url ?? '', journal: postgres.journal });
    return { ...postgres, ...engine, closeAll: () => Promise.all([postgres.close(), engine.close()]) };
  };
  const ports = open();
  const zoned = open(ZONE);

  beforeAll(() => ports.prepare());

  afterAll(async () => {
    await ports.closeAll();
    await zoned.closeAll();
    await database.drop();
    await server?.stop();
  });

  const makePorts = async () => {
    await clearStatistics(database.url);
    // Numbers of websites do not come again, so other rows do no harm.
    await fetch(server?.url ?? '', { method: 'POST', body: 'truncate table retention' });
    return ports;
  };
  statisticsContract(makePorts, SETTLED_DAYS_THAT_ARE_OVER);

  describe('random histories', () => {
    const makeZoned = async () => {
      await makePorts();
      return zoned;
    };
    historiesContract(makeZoned, async () => createInMemoryRepositories(ZONE), runs(40, 1_000));
  });
});
