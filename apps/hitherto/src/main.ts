#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newId } from '@hitherto/adapters/ids';
import { createPasswordHasher } from '@hitherto/adapters/password-hasher';
import { openPostgres } from '@hitherto/adapters/postgres';
import { joinOrStartEmbeddedPostgres, startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import type { StoreOptions } from './cli/context.ts';
import { run } from './cli/run.ts';
import type { Store } from './cli/store.ts';
import type { Config } from './config.ts';

/** The database of the settings: one's own PostgreSQL, or the embedded one in the data folder. */
async function openStore(config: Config, { use, log, onProgress }: StoreOptions): Promise<Store> {
  if (config.databaseUrl !== undefined) return openPostgres({ connection: config.databaseUrl, log });
  const start = use === 'service' ? startEmbeddedPostgres : joinOrStartEmbeddedPostgres;
  const embedded = await start({ dataDir: config.dataDir, log, onProgress });
  const store = openPostgres({ connection: embedded.connection, log });
  return {
    ...store,
    close: async () => {
      await store.close();
      await embedded.stop();
    },
  };
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  version,
  openStore,
  passwords: createPasswordHasher({ concurrency: 2, waiting: 64 }),
  now: () => new Date(),
  newId,
  randomBytes,
  print: (text) => process.stdout.write(text),
  tell: (text) => process.stderr.write(text),
});
