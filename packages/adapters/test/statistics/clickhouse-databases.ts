import type { HitJournal } from '@hitherto/domain';
import { startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { openClickHouse } from '../../src/clickhouse/index.ts';
import { openPostgres } from '../../src/postgres/index.ts';

/** A server for the tests of a file, and a function that makes databases of both kinds for a test. */
export function useDatabases() {
  let server: Awaited<ReturnType<typeof startClickHouse>>;
  let databases = 0;
  beforeAll(async () => {
    server = await startClickHouse({ threads: 1 });
  });
  afterAll(() => server.close());

  return async function openDatabases() {
    databases += 1;
    const name = `test_${databases}`;
    await server.query(`create database ${name}`);
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    const postgres = openPostgres({ connection: database.url, log: () => {} });
    await postgres.useEngine('outside');
    const opened: (() => Promise<void>)[] = [];
    onTestFinished(async () => {
      for (const close of opened) await close();
      await postgres.close();
      await database.drop();
    });
    const url = `${server.url}/${name}`;
    /** Opens an engine as another process does. */
    const openEngine = (journal: HitJournal = postgres.journal, engineUrl = url) => {
      const engine = openClickHouse({ url: engineUrl, journal });
      opened.push(engine.close);
      return engine;
    };
    return { name, url, postgres, openEngine, run: server.query };
  };
}
