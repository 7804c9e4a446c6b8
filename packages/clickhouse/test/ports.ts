import type { StatisticsPorts } from '@hitherto/contracts/statistics/support';
import { timeZone } from '@hitherto/domain/calendar';
import type { StatisticsMaintenance } from '@hitherto/domain/engine';
import { openPostgres } from '@hitherto/postgres';
import { createDatabase } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeAll, inject } from 'vitest';
import { openClickHouse } from '../src/index.ts';
import { createClickHouseDatabase } from './databases.ts';
import { TEMPLATE_OF_CLICKHOUSE } from './template.ts';

type ClickHouseDatabase = Awaited<ReturnType<typeof createClickHouseDatabase>>;

/** Lets reads have ended that began before hits were no longer kept. */
async function letMinutePass({ run }: Pick<ClickHouseDatabase, 'run'>): Promise<void> {
  await run('alter table retention update since = since - 61 where true settings mutations_sync = 2');
}

/** Seals the secrets of webhooks. */
const secretKey = () => new Uint8Array(32).fill(7);

/** Opens a journal in PostgreSQL with an engine in ClickHouse, for the tests of a file. */
export function useClickHouse(zoneName = 'UTC'): () => Promise<StatisticsPorts> {
  let ports: ReturnType<typeof openPorts>;
  let close: () => Promise<unknown>;
  let clickhouse: ClickHouseDatabase;
  let databaseUrl: string;

  function openPorts(connection: string, url: string) {
    const postgres = openPostgres({ connection, log: () => {}, zone: timeZone(zoneName), secretKey });
    const engine = openClickHouse({ url, journal: postgres.journal });
    const maintenance: StatisticsMaintenance = {
      ...engine.maintenance,
      /** Also does what a call a minute later does: it deletes the hits. */
      async deleteHitsBefore(day) {
        if (await engine.maintenance.deleteHitsBefore(day)) return true;
        await letMinutePass(clickhouse);
        return engine.maintenance.deleteHitsBefore(day);
      },
    };
    return { ...postgres, ...engine, maintenance, closeAll: () => Promise.all([postgres.close(), engine.close()]) };
  }

  beforeAll(async () => {
    clickhouse = await createClickHouseDatabase();
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE_OF_CLICKHOUSE });
    databaseUrl = database.url;
    ports = openPorts(databaseUrl, clickhouse.url);
    await ports.useEngine('outside');
    await ports.prepare();
    close = async () => {
      await ports.closeAll();
      await database.drop();
    };
  });
  afterAll(() => close());

  return async () => {
    await clearStatistics(databaseUrl);
    // Numbers of websites do not come again, so other rows do no harm.
    await clickhouse.run('truncate table retention');
    return ports;
  };
}
