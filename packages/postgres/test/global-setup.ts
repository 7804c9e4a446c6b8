import { TEMPLATE } from '@hitherto/testing/databases';
import { startWithTemplate } from '@hitherto/testing/test-postgres';
import type { TestProject } from 'vitest/node';
import { openPostgres } from '../src/index.ts';

/** One server for all test files, with a migrated database that theirs are cloned from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startWithTemplate(TEMPLATE, migrate);
  project.provide('postgresUrl', server.url);
  return server.stop;
}

async function migrate(connection: string): Promise<void> {
  const repositories = openPostgres({ connection, log: () => {} });
  await repositories.migrate();
  await repositories.close();
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}
