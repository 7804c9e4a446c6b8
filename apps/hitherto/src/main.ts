#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type ClickHouseEngine, checkClickHouse, openClickHouse } from '@hitherto/adapters/clickhouse';
import { countryFileFault, openHitLookups } from '@hitherto/adapters/lookups';
import { createPasswordHasher } from '@hitherto/adapters/password-hasher';
import { openPostgres, type PostgresOptions, type PostgresRepositories } from '@hitherto/adapters/postgres';
import { newId, now } from '@hitherto/adapters/system';
import { COMMAND_LINE } from '@hitherto/domain';
import { joinOrStartEmbeddedPostgres, startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { FAILED, run } from './cli/run.ts';
import type { Database, OpenOptions } from './database.ts';
import type { Settings } from './settings.ts';

/** The database of the settings: an external PostgreSQL, or the embedded one in the data folder. */
async function openDatabase(settings: Settings, options: OpenOptions): Promise<Database> {
  const { use, log, onProgress } = options;
  if (settings.databaseUrl !== undefined) return withEngine(settings, settings.databaseUrl, options);
  const start = use === 'service' ? startEmbeddedPostgres : joinOrStartEmbeddedPostgres;
  const embedded = await start({ dataDir: settings.dataDir, log, onProgress });
  const database = withEngine(settings, embedded.connection, options);
  return {
    ...database,
    close: async () => {
      await database.close();
      await embedded.stop();
    },
  };
}

/** PostgreSQL, and the engine of the settings: PostgreSQL itself, or ClickHouse. */
function withEngine(
  { clickhouseUrl: url, clickhouseCluster: cluster, timeZone: zone }: Settings,
  connection: PostgresOptions['connection'],
  { log, onCommit = () => {}, onHandOver = () => {} }: OpenOptions,
): Database {
  const postgres = openPostgres({ connection, log, zone, onCommit, handsOver: url !== undefined });
  const { journal } = postgres;
  const engine = url === undefined ? undefined : openClickHouse({ url, cluster, journal, onHandOver });
  const migrate = async () => {
    const applied = await postgres.migrate();
    await chooseEngine(postgres, engine, log);
    return applied;
  };
  if (engine === undefined) return { ...postgres, migrate };
  const { statistics, maintenance, ping } = engine;
  return {
    ...postgres,
    statistics,
    maintenance,
    outside: { ping, backlog: journal.backlog },
    migrate,
    close: async () => {
      await postgres.close();
      await engine.close();
    },
  };
}

/** Refuses an engine that has not the statistics of the database, and one that cannot be used; it may be away. */
async function chooseEngine(
  postgres: PostgresRepositories,
  engine: ClickHouseEngine | undefined,
  log: OpenOptions['log'],
): Promise<void> {
  if (!(await postgres.useEngine(engine === undefined ? 'inside' : 'outside'))) {
    throw new Error(
      engine === undefined
        ? 'The statistics of this database are in ClickHouse: set CLICKHOUSE_URL.'
        : 'CLICKHOUSE_URL is set, but this database has statistics of its own: unset it, or use an empty database.',
    );
  }
  const isThere = (await engine?.prepare()) ?? true;
  if (!isThere) log('warn', 'the engine of statistics is not reachable yet');
}

/** Most commands send no mail, and loading the mailer takes long. */
const loadMail = () => import('@hitherto/adapters/mail');

const tell = (text: string) => process.stderr.write(text);

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** A reader of the output that ends early, as `head` does, needs no message. */
process.stdout.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
  process.exitCode = FAILED;
  if (code !== 'EPIPE') tell(`hitherto: Standard output cannot be written (${code}).\n`);
});
process.stderr.on('error', () => {});

const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  version,
  openDatabase,
  openLookups: ({ geoDb }) => openHitLookups({ countryFile: geoDb }),
  countryFileFault,
  openMailer: async (options) => (await loadMail()).createSmtpMailer(options),
  composeReport: async (from, mail) => (await loadMail()).composeReport(from, mail),
  checkClickHouse,
  passwords: createPasswordHasher({ concurrency: 2, waiting: 64 }),
  now,
  newId,
  randomBytes,
  author: COMMAND_LINE,
  print: (text) => process.stdout.write(text),
  writeBytes: (bytes) => pipeline(bytes, process.stdout, { end: false }),
  input: () => process.stdin,
  tell,
  isTerminal: process.stderr.isTTY === true,
});
process.exitCode ||= exitCode;
