import type { HitJournal } from '@hitherto/domain/engine';
import { openPostgres } from '@hitherto/postgres';
import { startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, run } from '@hitherto/testing/databases';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { openClickHouse } from '../src/index.ts';
import { TEMPLATE_OF_CLICKHOUSE } from './template.ts';

/** A server for the tests of a file, and a function that makes databases of both kinds for a test. */
export function useDatabases() {
  let server: Awaited<ReturnType<typeof startClickHouse>>;
  let databases = 0;
  beforeAll(async () => {
    server = await startClickHouse({ threads: 1 });
  });
  afterAll(() => server.close());

  async function openJournal() {
    const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE_OF_CLICKHOUSE });
    const postgres = openPostgres({ connection: database.url, log: () => {} });
    onTestFinished(async () => {
      await postgres.close();
      await database.drop();
    });
    await postgres.useEngine('outside');
    return { postgres, database };
  }

  return async function openDatabases() {
    databases += 1;
    const name = `test_${databases}`;
    await server.query(`create database ${name}`);
    const { postgres } = await openJournal();
    const opened: (() => Promise<void>)[] = [];
    onTestFinished(async () => {
      for (const close of opened) await close();
    });
    /** Opens a database as an old backup of this one is when it is restored: it belongs to the same ClickHouse, but lacks rows. */
    const restorePostgres = async () => {
      const restored = await openJournal();
      await run(restored.database.url, 'update statistics_engine set journal_id = $1', [await postgres.journal.id()]);
      return restored.postgres;
    };
    const url = `${server.url}/${name}`;
    /** Opens an engine as another process does. */
    const openEngine = (journal: HitJournal = postgres.journal, engineUrl = url) => {
      const engine = openClickHouse({ url: engineUrl, journal });
      opened.push(engine.close);
      return engine;
    };
    return { name, url, postgres, restorePostgres, openEngine, run: server.query };
  };
}
