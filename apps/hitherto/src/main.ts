#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { countryFileFault, openHitLookups } from '@hitherto/adapters/lookups';
import { createPasswordHasher } from '@hitherto/adapters/password-hasher';
import { openPostgres } from '@hitherto/adapters/postgres';
import { newId, now } from '@hitherto/adapters/system';
import { COMMAND_LINE } from '@hitherto/domain';
import { joinOrStartEmbeddedPostgres, startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { FAILED, run } from './cli/run.ts';
import type { Database, OpenOptions } from './database.ts';
import type { Settings } from './settings.ts';

/** The database of the settings: an external PostgreSQL, or the embedded one in the data folder. */
async function openDatabase(
  settings: Settings,
  { use, log, onProgress, onCommit = () => {} }: OpenOptions,
): Promise<Database> {
  const options = { log, zone: settings.timeZone, onCommit };
  if (settings.databaseUrl !== undefined) return openPostgres({ connection: settings.databaseUrl, ...options });
  const start = use === 'service' ? startEmbeddedPostgres : joinOrStartEmbeddedPostgres;
  const embedded = await start({ dataDir: settings.dataDir, log, onProgress });
  const database = openPostgres({ connection: embedded.connection, ...options });
  return {
    ...database,
    close: async () => {
      await database.close();
      await embedded.stop();
    },
  };
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
