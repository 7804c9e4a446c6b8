import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { checkClickHouse } from '@hitherto/clickhouse';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { hitFile } from '@hitherto/files/imports';
import { logFiles } from '@hitherto/files/logs';
import { openFile } from '@hitherto/files/open-file';
import { openUmamiDatabase } from '@hitherto/files/umami-database';
import { createIdentityProvider } from '@hitherto/outside/identity-provider';
import { addressFileFault, countingLists, loadCommonPasswords, openHitLookups } from '@hitherto/outside/lookups';
import { composeReport, createSmtpMailer } from '@hitherto/outside/mail';
import { passkeyChecks } from '@hitherto/outside/passkeys';
import { newId, now } from '@hitherto/outside/system';
import { totp } from '@hitherto/outside/totp';
import { createWebhookClient } from '@hitherto/outside/webhooks';
import { openPostgres, rejectLaterBackup } from '@hitherto/postgres';
import { createDatabase } from '@hitherto/testing/databases';
import { version } from '@hitherto/testing/machine';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { inject } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../../src/commands/run.ts';
import type { OpenDatabase } from '../../src/installation/database.ts';
import { secretKeyOf } from '../../src/installation/secret-key.ts';
import type { Ended } from './program.ts';

/** The settings of an empty database of its own. */
export interface DatabaseSettings extends Record<string, string> {
  readonly DATABASE_URL: string;
}

/** A migrated database without accounts, or a clone of `template`, on a PostgreSQL without durability that all tests share. */
export async function createTestDatabase(template = inject('templates').database): Promise<DatabaseSettings> {
  return { DATABASE_URL: (await createDatabase(inject('templates').serverUrl, { template })).url };
}

/** Opens the database of `DATABASE_URL`. */
export const openDatabase: OpenDatabase = async (settings, { log }) => {
  const { databaseUrl: connection, timeZone: zone } = settings;
  if (connection === undefined) throw new Error('Commands of tests need DATABASE_URL.');
  return openPostgres({ connection, log, zone, secretKey: secretKeyOf(settings) });
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
    command: 'npm run hitherto --',
    env,
    readEnvFile: () => {},
    version,
    openDatabase,
    openEngines: () => Promise.reject(new Error('Tests of moves run the program itself.')),
    loadCommonPasswords,
    countingLists,
    totp,
    passkeyChecks,
    openLookups: ({ geoDb }) => openHitLookups({ addressFiles: geoDb }),
    addressFileFault,
    rejectLaterBackup,
    openIdentityProvider: async (options) => createIdentityProvider(options),
    openMailer: async (options) => createSmtpMailer(options),
    composeReport,
    openWebhookClient: createWebhookClient,
    checkClickHouse,
    importFiles: { open: openFile },
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
    input: () => Readable.from([]),
    openUmamiDatabase,
    openLogFiles: async () => logFiles,
    stopped: () => new Promise(() => {}),
    isTerminal: false,
    ...overrides,
  });
  return { code, stdout, stderr };
}

/** A key of a new account, `agency`. */
export async function createKey(env: DatabaseSettings): Promise<string> {
  await runCommand(['accounts', 'create', '--name', 'agency'], env);
  return (await runCommand(['keys', 'create', '--account', 'agency'], env)).stdout.trim();
}
