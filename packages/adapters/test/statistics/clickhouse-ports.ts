import { timeZone } from '@hitherto/domain';
import { type ClickHouseServer, startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeAll, inject } from 'vitest';
import { openClickHouse } from '../../src/clickhouse/index.ts';
import { openPostgres } from '../../src/postgres/index.ts';
import { clearStatistics } from './tables.ts';

/** Seals the secrets of webhooks. */
const secretKey = () => new Uint8Array(32).fill(7);

/** Opens a journal in PostgreSQL with an engine in ClickHouse, for the tests of a file. */
export function useClickHouse(zoneName = 'UTC') {
  let ports: ReturnType<typeof openPorts>;
  let close: () => Promise<unknown>;
  let server: ClickHouseServer;
  let databaseUrl: string;

  function openPorts(connection: string, url: string) {
    const postgres = openPostgres({ connection, log: () => {}, zone: timeZone(zoneName), secretKey });
    const engine = openClickHouse({ url, journal: postgres.journal });
    return { ...postgres, ...engine, closeAll: () => Promise.all([postgres.close(), engine.close()]) };
  }

  beforeAll(async () => {
    server = await startClickHouse({ threads: 1 });
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    databaseUrl = database.url;
    ports = openPorts(databaseUrl, server.url);
    await ports.useEngine('outside');
    await ports.prepare();
    close = async () => {
      await ports.closeAll();
      await database.drop();
      await server.close();
    };
  });
  afterAll(() => close());

  return async () => {
    await clearStatistics(databaseUrl);
    // Numbers of websites do not come again, so other rows do no harm.
    await server.query('truncate table retention');
    return ports;
  };
}
