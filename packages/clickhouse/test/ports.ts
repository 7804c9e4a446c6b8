import type { StatisticsPorts } from '@hitherto/contracts/statistics/support';
import { timeZone } from '@hitherto/domain/calendar';
import type { StatisticsMaintenance } from '@hitherto/domain/engine';
import { openPostgres } from '@hitherto/postgres';
import { type ClickHouseServer, startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeAll, inject } from 'vitest';
import { openClickHouse } from '../src/index.ts';
import { TEMPLATE_OF_CLICKHOUSE } from './template.ts';

/** Lets reads have ended that began before hits were no longer kept. */
export async function letMinutePass({ query }: Pick<ClickHouseServer, 'query'>, table = 'retention'): Promise<void> {
  await query(`alter table ${table} update since = since - 61 where true settings mutations_sync = 2`);
}

/** Seals the secrets of webhooks. */
const secretKey = () => new Uint8Array(32).fill(7);

/** Opens a journal in PostgreSQL with an engine in ClickHouse, for the tests of a file. */
export function useClickHouse(zoneName = 'UTC'): () => Promise<StatisticsPorts> {
  let ports: ReturnType<typeof openPorts>;
  let close: () => Promise<unknown>;
  let server: ClickHouseServer;
  let databaseUrl: string;

  function openPorts(connection: string, url: string) {
    const postgres = openPostgres({ connection, log: () => {}, zone: timeZone(zoneName), secretKey });
    const engine = openClickHouse({ url, journal: postgres.journal });
    const maintenance: StatisticsMaintenance = {
      ...engine.maintenance,
      /** Also does what a call a minute later does: it deletes the hits. */
      async deleteHitsBefore(day) {
        if (await engine.maintenance.deleteHitsBefore(day)) return true;
        await letMinutePass(server);
        return engine.maintenance.deleteHitsBefore(day);
      },
    };
    return { ...postgres, ...engine, maintenance, closeAll: () => Promise.all([postgres.close(), engine.close()]) };
  }

  beforeAll(async () => {
    server = await startClickHouse({ threads: 1 });
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE_OF_CLICKHOUSE });
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
