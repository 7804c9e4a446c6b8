import { join } from 'node:path';
import { newFolder } from '@hitherto/testing/folder';
import { row, type Trial } from '../row.ts';
import { type Clients, startLoad } from '../support/backup.ts';
import { openClient } from '../support/client.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { createKey, type Program, runProgram, startProgram } from '../support/program.ts';
import { installedPostgres, startSystemPostgres } from '../support/system-postgres.ts';

type Env = Readonly<Record<string, string>>;

/** Creates before the backup starts. */
const CREATES_BEFORE = 200;

const backupEmbedded = row('backup-embedded', 5, 'backups', {}, async (trials) => {
  let compared = 0;
  await trials.each(async (trial) => {
    const { path: folder } = await trial.open(newFolder());
    const original = { DATA_DIR: join(folder, 'original') };
    const restored = { DATA_DIR: join(folder, 'restored') };
    const file = join(folder, 'file');
    const write = trial.index % 2 === 0 ? ['backup'] : ['backup', '--settings'];
    compared += await backUp(trial, original, restored, async () => {
      await runProgram([...write, file], original);
      await runProgram(['restore', file], restored);
    });
  });
  return withNumbers`${compared} websites compared, all identical`;
});

const missing = () =>
  installedPostgres() === undefined ? "an installed PostgreSQL with pg_dump (Debian's postgresql)" : undefined;

const backupOwn = row('backup-own', 5, 'backups', { missing }, async (trials) => {
  const { tool, url } = await trials.open(startSystemPostgres(installedPostgres() ?? ''));
  const version = (await tool('pg_dump', ['--version'])).trim();
  let compared = 0;
  await trials.each(async (trial) => {
    const [from, to, file] = [`original_${trial.index}`, `restored_${trial.index}`, `dump_${trial.index}`];
    for (const name of [from, to]) await tool('createdb', ['--maintenance-db', url('postgres'), name]);
    compared += await backUp(trial, { DATABASE_URL: url(from) }, { DATABASE_URL: url(to) }, async () => {
      await tool('pg_dump', ['--format=custom', '--file', file, '--dbname', url(from)]);
      await tool('pg_restore', ['--exit-on-error', '--dbname', url(to), file]);
    });
  });
  return withNumbers`${compared} websites compared, all identical; on the installed server, ${version}`;
});

/** Takes a backup while websites are created, restores it, and compares both. */
async function backUp(
  { open, random }: Trial,
  original: Env,
  restored: Env,
  copy: () => Promise<void>,
): Promise<number> {
  const service = await open(startProgram({ env: original }));
  const issue = async (account: string) => {
    await runProgram(['accounts', 'create', '--name', account], original);
    return createKey(original, account);
  };
  const keys = { quiet: await issue('quiet'), busy: await issue('busy') };
  const clientsOf = async ({ url }: Program): Promise<Clients> => ({
    quiet: await open(openClient(url, keys.quiet)),
    busy: await open(openClient(url, keys.busy)),
  });
  const before = await clientsOf(service);
  const load = await startLoad(before, random);
  try {
    await load.until(CREATES_BEFORE);
    load.begin();
    await copy();
  } finally {
    await load.end();
  }
  return load.compare(before, await clientsOf(await open(startProgram({ env: restored }))));
}

export const backups = [backupEmbedded, backupOwn];
