import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { startTestPostgres } from '@hitherto/testing/test-postgres';
import type { TestProject } from 'vitest/node';
import { openPostgres } from '../src/postgres/index.ts';

/** One server for all test files, with a migrated database that theirs are cloned from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres();
  const template = await createDatabase(server.url, { name: TEMPLATE });
  const repositories = openPostgres({ connection: template.url, log: () => {} });
  await repositories.migrate();
  await repositories.close();
  project.provide('postgresUrl', server.url);
  return async () => {
    await template.drop();
    await server.stop();
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}
