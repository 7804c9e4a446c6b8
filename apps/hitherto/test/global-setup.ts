import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { openPostgres, type PostgresOptions } from '@hitherto/postgres';
import { newDataFolder } from '@hitherto/testing/data-folder';
import { TEMPLATE } from '@hitherto/testing/databases';
import { startWithTemplate } from '@hitherto/testing/test-postgres';
import type { TestProject } from 'vitest/node';
import { bundleProgram } from './support/bundle.ts';

/** Its own, because tests of other packages may run on the same server at the same time. */
const TEMPLATE_OF_PROGRAM = `${TEMPLATE}_of_program`;

/** One server for all test files, a migrated database and data folder that theirs are copied from, and the program as a bundle. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startWithTemplate(TEMPLATE_OF_PROGRAM, migrate);
  const dataDir = await newDataFolder();
  const embedded = await startEmbeddedPostgres({ dataDir, log: () => {} });
  await migrate(embedded.connection);
  await embedded.stop();
  const bundle = await bundleProgram();
  project.provide('bundle', bundle);
  project.provide('templates', { serverUrl: server.url, database: TEMPLATE_OF_PROGRAM, dataDir });
  return async () => {
    for (const folder of [dataDir, dirname(bundle)]) await rm(folder, { recursive: true, force: true });
    await server.stop();
  };
}

async function migrate(connection: PostgresOptions['connection']): Promise<void> {
  const repositories = openPostgres({ connection, log: () => {} });
  await repositories.migrate();
  await repositories.close();
}

declare module 'vitest' {
  export interface ProvidedContext {
    bundle: string;
    templates: { readonly serverUrl: string; readonly database: string; readonly dataDir: string };
  }
}
