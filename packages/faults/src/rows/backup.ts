import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row, Trial } from '../row.ts';
import { type Clients, startLoad } from '../support/backup.ts';
import { openClient } from '../support/client.ts';
import { type Program, runProgram, startProgram } from '../support/program.ts';
import { installedPostgres, startSystemPostgres } from '../support/system-postgres.ts';

type Env = Readonly<Record<string, string>>;

/** Creates before the backup starts. */
const CREATES_BEFORE = 200;

const required = 'the backup holds everything acknowledged before it, up to one moment; identical through the API';

export const backupEmbedded: Row = {
  name: 'backup-embedded',
  what: 'embedded: `export` under creates, `import` into an empty folder',
  required,
  unit: 'backups',
  full: 5,
  run: async (trials) => {
    let compared = 0;
    await trials.each(async (trial) => {
      const folder = await mkdtemp(join(tmpdir(), 'hitherto-faults-backup-'));
      const original = { DATA_DIR: join(folder, 'original') };
      const restored = { DATA_DIR: join(folder, 'restored') };
      const file = join(folder, 'backup.jsonl');
      try {
        compared += await backUp(trial, original, restored, async () => {
          await runProgram(['export', file], original);
          await runProgram(['import', file], restored);
        });
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    });
    return `${compared.toLocaleString('en')} websites compared, all identical`;
  },
};

export const backupOwn: Row = {
  name: 'backup-own',
  what: 'own PostgreSQL: `pg_dump` under creates, `pg_restore` into an empty database',
  required,
  unit: 'backups',
  full: 5,
  missing: () =>
    installedPostgres() === undefined ? "an installed PostgreSQL with pg_dump (Debian's postgresql)" : undefined,
  run: async (trials) => {
    const postgres = await startSystemPostgres(installedPostgres() ?? '');
    const version = (await postgres.tool('pg_dump', ['--version'])).trim();
    let compared = 0;
    try {
      await trials.each(async (trial) => {
        const [from, to, file] = [`original_${trial.index}`, `restored_${trial.index}`, `dump_${trial.index}`];
        for (const name of [from, to])
          await postgres.tool('createdb', ['--maintenance-db', postgres.url('postgres'), name]);
        const original = { DATABASE_URL: postgres.url(from) };
        const restored = { DATABASE_URL: postgres.url(to) };
        compared += await backUp(trial, original, restored, async () => {
          await postgres.tool('pg_dump', ['--format=custom', '--file', file, '--dbname', postgres.url(from)]);
          await postgres.tool('pg_restore', ['--exit-on-error', '--dbname', postgres.url(to), file]);
        });
      });
    } finally {
      await postgres.close();
    }
    return `${compared.toLocaleString('en')} websites compared, all identical; on the installed server, ${version}`;
  },
};

/** Takes a backup while websites are created, restores it, and compares both. */
async function backUp(trial: Trial, original: Env, restored: Env, copy: () => Promise<void>): Promise<number> {
  const services: Program[] = [];
  const clients: Clients[] = [];
  try {
    const service = await startProgram({ env: original });
    services.push(service);
    const keys = { quiet: await issueKey('quiet', original), busy: await issueKey('busy', original) };
    const openBoth = ({ url }: Program): Clients => {
      const opened = { quiet: openClient(url, keys.quiet), busy: openClient(url, keys.busy) };
      clients.push(opened);
      return opened;
    };
    const before = openBoth(service);
    const load = await startLoad(before, trial.random);
    try {
      await load.until(CREATES_BEFORE);
      load.begin();
      await copy();
    } finally {
      await load.end();
    }
    const again = await startProgram({ env: restored });
    services.push(again);
    return await load.compare(before, openBoth(again));
  } finally {
    for (const { quiet, busy } of clients) {
      quiet.close();
      busy.close();
    }
    await Promise.all(services.map((service) => service.stop()));
  }
}

/** Creates an account and a key on the command line, beside the service. */
async function issueKey(account: string, env: Env): Promise<string> {
  await runProgram(['accounts', 'create', '--name', account], env);
  const { output } = await runProgram(['keys', 'create', '--account', account], env);
  const key = /hto_\w+/.exec(output)?.[0];
  if (key === undefined) throw new Error('No key was printed.');
  return key;
}
