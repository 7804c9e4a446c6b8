import { openPostgres } from '@hitherto/postgres';
import { skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { startWithTemplate } from '@hitherto/testing/test-postgres';
import type { TestProject } from 'vitest/node';
import { TEMPLATE_OF_CLICKHOUSE } from './template.ts';

/** One PostgreSQL for all test files, with a migrated database that theirs are cloned from, and one ClickHouse. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startWithTemplate(TEMPLATE_OF_CLICKHOUSE, migrate);
  project.provide('postgresUrl', postgres.url);
  const clickhouse = skipsClickHouse ? undefined : await startClickHouse({ threads: 1 });
  project.provide('clickhouseUrl', clickhouse?.url ?? '');
  return async () => {
    await clickhouse?.close();
    await postgres.stop();
  };
}

async function migrate(connection: string): Promise<void> {
  const repositories = openPostgres({ connection, log: () => {} });
  await repositories.migrate();
  await repositories.close();
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    clickhouseUrl: string;
  }
}
