import { randomUUID } from 'node:crypto';
import type { HitJournal } from '@hitherto/domain/engine';
import { openPostgres } from '@hitherto/postgres';
import { queryClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, run } from '@hitherto/testing/databases';
import { inject, onTestFinished } from 'vitest';
import { openClickHouse } from '../src/index.ts';
import { TEMPLATE_OF_CLICKHOUSE } from './template.ts';

/** Runs a statement on the ClickHouse of all test files. */
export function runOnServer(statement: string): Promise<string> {
  return queryClickHouse(inject('clickhouseUrl'), statement);
}

/** An empty database on the ClickHouse of all test files, and a function that runs statements in it. */
export async function createClickHouseDatabase() {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(`create database ${name}`);
  const server = inject('clickhouseUrl');
  return {
    name,
    url: `${server}/${name}`,
    run: (statement: string) => queryClickHouse(`${server}/?database=${name}`, statement),
  };
}

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

/** Makes databases of both kinds for a test. */
export async function openDatabases() {
  const clickhouse = await createClickHouseDatabase();
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
  /** Opens an engine as another process does. */
  const openEngine = (journal: HitJournal = postgres.journal, engineUrl = clickhouse.url) => {
    const engine = openClickHouse({ url: engineUrl, journal });
    opened.push(engine.close);
    return engine;
  };
  return { ...clickhouse, postgres, restorePostgres, openEngine };
}
