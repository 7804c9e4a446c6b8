import { randomBytes } from 'node:crypto';
import { checkClickHouse } from '@hitherto/adapters/clickhouse';
import { createImportFiles, hitFile } from '@hitherto/adapters/import-files';
import { logFiles } from '@hitherto/adapters/logs';
import { countryFileFault, openHitLookups } from '@hitherto/adapters/lookups';
import { composeReport, createSmtpMailer } from '@hitherto/adapters/mail';
import { openPostgres } from '@hitherto/adapters/postgres';
import { newId, now } from '@hitherto/adapters/system';
import { openUmamiDatabase } from '@hitherto/adapters/umami-database';
import { createWebhookClient } from '@hitherto/adapters/webhooks';
import { COMMAND_LINE } from '@hitherto/domain';
import { createDatabase } from '@hitherto/testing/databases';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { startTestPostgres } from '@hitherto/testing/test-postgres';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import type { OpenDatabase } from '../../src/database.ts';
import type { Ended } from './program.ts';

/** The settings of an empty database of its own. */
export interface DatabaseSettings extends Record<string, string> {
  readonly DATABASE_URL: string;
}

/** A PostgreSQL without durability, for as many databases as a file needs. The caller stops it. */
export async function startDatabases(): Promise<{ create(): Promise<DatabaseSettings>; stop(): Promise<void> }> {
  const server = await startTestPostgres();
  return {
    create: async () => ({ DATABASE_URL: (await createDatabase(server.url)).url }),
    stop: server.stop,
  };
}

/** Opens the database of `DATABASE_URL`. */
export const openDatabase: OpenDatabase = async ({ databaseUrl, timeZone: zone }, { log }) => {
  if (databaseUrl === undefined) throw new Error('Commands of tests need DATABASE_URL.');
  return openPostgres({ connection: databaseUrl, log, zone });
};

/**
 * Runs a command in this process, on the database of `DATABASE_URL`: a second sooner than the program itself, which is for
 * tests of processes, signals and the embedded database.
 */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  overrides: Partial<Context> = {},
): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  const code = await run(args, {
    env,
    version: '0.1.0',
    openDatabase,
    openEngines: () => Promise.reject(new Error('Tests of moves run the program itself.')),
    openLookups: ({ geoDb }) => openHitLookups({ countryFile: geoDb }),
    countryFileFault,
    openMailer: async (options) => createSmtpMailer(options),
    composeReport,
    openWebhookClient: createWebhookClient,
    checkClickHouse,
    importFiles: createImportFiles(),
    hitFile,
    passwords: { ...quickHasher, load: () => ({ active: 0, waiting: 0 }) },
    now,
    newId,
    randomBytes,
    author: COMMAND_LINE,
    print: (text) => {
      stdout += text;
    },
    tell: (text) => {
      stderr += text;
    },
    writeBytes: async (bytes) => {
      for await (const piece of bytes) stdout += Buffer.from(piece).toString('latin1');
    },
    input: async function* () {},
    openUmamiDatabase,
    openLogFiles: async () => logFiles,
    stopped: () => new Promise(() => {}),
    isTerminal: false,
    ...overrides,
  });
  return { code, stdout, stderr };
}
