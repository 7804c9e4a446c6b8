import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type ClickHouseEngine, checkClickHouse, openClickHouse } from '@hitherto/clickhouse';
import { unavailable } from '@hitherto/domain/base';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import {
  type EmbeddedOptions,
  joinEmbeddedPostgres,
  joinOrStartEmbeddedPostgres,
  startEmbeddedPostgres,
} from '@hitherto/embedded-postgres';
import { addressFileFault, countingLists, loadCommonPasswords, openHitLookups } from '@hitherto/outside/lookups';
import { passkeyChecks } from '@hitherto/outside/passkeys';
import { createPasswordHasher } from '@hitherto/outside/password-hasher';
import { newId, now } from '@hitherto/outside/system';
import { totp } from '@hitherto/outside/totp';
import { createWebhookClient } from '@hitherto/outside/webhooks';
import { openPostgres, type PostgresOptions, type PostgresRepositories, rejectLaterBackup } from '@hitherto/postgres';
import { FAILED, run } from './commands/run.ts';
import type { Engines, OpenedDatabase, OpenOptions } from './installation/database.ts';
import { readEnvFile } from './installation/env-file.ts';
import { secretKeyOf } from './installation/secret-key.ts';
import type { Settings } from './installation/settings.ts';
import { WORKER_NUMBER } from './service/workers/messages.ts';

/** The most connections of a process that serves, and those for commands and for PostgreSQL's superuser. */
const CONNECTIONS_OF_PROCESS = 25;
const CONNECTIONS_OF_COMMANDS = 30;

const STARTS = {
  service: startEmbeddedPostgres,
  command: (options: EmbeddedOptions) => joinOrStartEmbeddedPostgres(options),
  filling: (options: EmbeddedOptions) => joinOrStartEmbeddedPostgres(options, true),
  companion: joinEmbeddedPostgres,
} as const;

/** Where the database of the settings is: an external PostgreSQL, or the embedded one in the data folder, which runs then. */
async function findDatabase(
  settings: Settings,
  { use, log, onProgress }: OpenOptions,
): Promise<{ readonly connection: PostgresOptions['connection']; readonly stop: () => Promise<void> }> {
  if (settings.databaseUrl !== undefined) return { connection: settings.databaseUrl, stop: async () => {} };
  const start = STARTS[use];
  const connections = { max_connections: String(CONNECTIONS_OF_COMMANDS + settings.workers * CONNECTIONS_OF_PROCESS) };
  return start({ dataDir: settings.dataDir, log, onProgress, settings: connections });
}

async function openDatabase(settings: Settings, options: OpenOptions): Promise<OpenedDatabase> {
  const { connection, stop } = await findDatabase(settings, options);
  const database = withEngine(settings, connection, options);
  return {
    ...database,
    close: async () => {
      await database.close();
      await stop();
    },
  };
}

/** PostgreSQL and ClickHouse, whichever of them has the statistics. */
async function openEngines(settings: Settings, options: OpenOptions): Promise<Engines> {
  const { clickhouseUrl: url, clickhouseCluster: cluster, timeZone: zone } = settings;
  if (url === undefined) {
    throw new Error('Set CLICKHOUSE_URL: it names the ClickHouse that statistics move to, or from.');
  }
  const { connection, stop } = await findDatabase(settings, options);
  const postgres = openPostgres({ connection, log: options.log, zone, readsInactiveEngine: true });
  const { journal, moving, statistics, maintenance } = postgres;
  const outside = openClickHouse({ url, cluster, journal });
  const close = async () => {
    await postgres.close();
    await outside.close();
    await stop();
  };
  try {
    await postgres.migrate();
    if (!(await outside.prepare())) throw unavailable('ClickHouse cannot be reached.');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...moving,
    inside: { statistics, maintenance, store: moving.store },
    outside,
    current: async () => ((await postgres.useEngine('inside')) ? 'inside' : 'outside'),
    close,
  };
}

/** PostgreSQL, and the engine of the settings: PostgreSQL itself, or ClickHouse. */
function withEngine(
  settings: Settings,
  connection: PostgresOptions['connection'],
  { log, onCommit = () => {}, onHandOver = () => {} }: OpenOptions,
): OpenedDatabase {
  const { clickhouseUrl: url, clickhouseCluster: cluster, timeZone: zone } = settings;
  const secretKey = secretKeyOf(settings);
  const countsInThread = url === undefined;
  const postgres = openPostgres({ connection, log, zone, onCommit, secretKey, countsInThread });
  const { journal } = postgres;
  const engine = url === undefined ? undefined : openClickHouse({ url, cluster, journal, onHandOver });
  const migrate = async () => {
    const applied = await postgres.migrate();
    await chooseEngine(postgres, engine, log);
    return applied;
  };
  if (engine === undefined) return { ...postgres, migrate };
  const { statistics, maintenance, staging, ping } = engine;
  return {
    ...postgres,
    statistics,
    maintenance,
    staging,
    outside: { ping, backlog: journal.backlog },
    migrate,
    close: async () => {
      await postgres.close();
      await engine.close();
    },
  };
}

/** Rejects an engine that does not have the database's statistics, or that cannot be used. ClickHouse may be unreachable. */
async function chooseEngine(
  postgres: PostgresRepositories,
  engine: ClickHouseEngine | undefined,
  log: OpenOptions['log'],
): Promise<void> {
  if (!(await postgres.useEngine(engine === undefined ? 'inside' : 'outside'))) {
    throw new Error(
      engine === undefined
        ? 'The statistics of this database are in ClickHouse: set CLICKHOUSE_URL, or move them by "statistics move --to postgresql".'
        : 'CLICKHOUSE_URL is set, but this database has statistics of its own: move them by "statistics move --to clickhouse", or unset it.',
    );
  }
  const isThere = (await engine?.prepare()) ?? true;
  if (!isThere) log('warn', 'the engine of statistics is not reachable yet');
}

/** Most commands send no mail, and loading the mailer takes long. */
const loadMail = () => import('@hitherto/outside/mail');

/** Only imports and exports read and write files of hits. */
const loadFiles = () => import('@hitherto/files/imports');

const tell = (text: string) => process.stderr.write(text);

/** Of the repository, whose version all packages have; or of the program as npm installs it. */
const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  private?: true;
  version: string;
};
const { version } = manifest;
/** Whether this is the program as npm installs it, and as it is in an image, and not in a clone. */
const isPackaged = manifest.private === undefined;
const command = process.env.npm_lifecycle_event === 'npx' ? 'npx hitherto' : 'hitherto';
const args = process.argv.slice(2);

/** A reader of the output that ends early, as `head` does, needs no message. */
process.stdout.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
  process.exitCode = FAILED;
  if (code !== 'EPIPE') tell(`hitherto: Standard output cannot be written (${code}).\n`);
});
process.stderr.on('error', () => {});

const exitCode = await run(isPackaged && args.length === 0 ? ['serve'] : args, {
  command: isPackaged ? command : 'npm run hitherto --',
  env: process.env,
  readEnvFile: () => {
    // A worker has the environment of the primary, whatever the file says by now.
    if (process.env[WORKER_NUMBER] === undefined) readEnvFile(process.cwd(), process.env);
  },
  version,
  openDatabase,
  openEngines,
  loadCommonPasswords,
  countingLists,
  openLookups: ({ geoDb }) => openHitLookups({ addressFiles: geoDb }),
  addressFileFault,
  rejectLaterBackup,
  openMailer: async (options) => (await loadMail()).createSmtpMailer(options),
  openIdentityProvider: async (options) =>
    (await import('@hitherto/outside/identity-provider')).createIdentityProvider(options),
  openWebhookClient: createWebhookClient,
  composeReport: async (from, mail) => (await loadMail()).composeReport(from, mail),
  checkClickHouse,
  importFiles: { open: async (path, options) => (await loadFiles()).createImportFiles().open(path, options) },
  async *hitFile(hits) {
    yield* (await loadFiles()).hitFile(hits);
  },
  passwords: createPasswordHasher({ concurrency: 2, waiting: 64 }),
  totp,
  passkeyChecks,
  now,
  newId,
  randomBytes,
  author: COMMAND_LINE,
  print: (text) => process.stdout.write(text),
  writeBytes: (bytes) => pipeline(bytes, process.stdout, { end: false }),
  input: () => process.stdin,
  openUmamiDatabase: async (connection, options) =>
    (await import('@hitherto/files/umami-database')).openUmamiDatabase(connection, options),
  openLogFiles: async () => (await import('@hitherto/files/logs')).logFiles,
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    }),
  tell,
  isTerminal: process.stderr.isTTY === true,
});
process.exitCode ||= exitCode;
