import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { newDataFolder } from '@hitherto/testing/data-folder';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { newFolder } from '@hitherto/testing/folder';
import type { Random } from '@hitherto/testing/random';
import { row, type Trial } from '../row.ts';
import { type OwnPostgres, startOwnPostgres, withPorts } from '../support/own-postgres.ts';
import { type Arm, killAfter, killWhen, runProgram, spawnProgram } from '../support/program.ts';
import { addRandomHits } from '../support/random-hits.ts';

type Env = Readonly<Record<string, string>>;

const HITS = 20_000;
const DAYS = 60;
/** The time for the jobs: two of the days are not over. */
const NOW = new Date('2026-11-20T12:00:00Z');
/** A kill that comes later finds the command at its end. */
const LONGEST_MS = 4_000;
/** The statements before which a restore is killed. */
const STEPS = [
  /lock table account/,
  /truncate/,
  /copy "website"/,
  /copy "hit"/,
  /copy "book"/,
  /copy "day_numbers"/,
  /CREATE INDEX/,
  /^commit/,
  /vacuum/,
] as const;

/**
 * A killed backup is not a backup, and a killed restore leaves an installation that is empty or whole. The last restored database is
 * the same, row by row.
 */
export const backupKills = row('backup-kills', 100, 'kills', { small: 2 }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const { path: folder } = await trials.open(newFolder());
  const original = { DATABASE_URL: postgres.url };
  const whole = join(folder, 'whole');
  let content = '';
  await trials.each(async (trial) => {
    if (content === '') {
      await fill(postgres.url, trial.random);
      await runProgram(['backup', whole], original);
      content = contentOf(whole);
    }
    const saved = { folder, whole, content };
    if (trial.index % 3 === 0) await killBackup(trial, original, saved);
    else await killRestore(trial, postgres, saved);
  });
});

/** A whole backup, its content, and the folder of further ones. */
type Saved = Readonly<Record<'whole' | 'content' | 'folder', string>>;

/** Two websites with visits, summaries and columns. */
function fill(url: string, random: Random): Promise<void> {
  return withPorts(url, async (ports) => {
    await ports.migrate();
    const account = anAccount({ id: newId() });
    await ports.access.insertAccount(account, UNRECORDED);
    const websites: [string, string] = [newId(), newId()];
    for (const id of websites)
      await ports.websites.insert(account.id, aWebsite({ id, url: `https://${id}.example` }), UNRECORDED);
    const from = new Date(NOW.getTime() - (DAYS - 1) * 86_400_000);
    await addRandomHits(ports, random, { websites, count: HITS, from, to: NOW, visitors: 5_000, pages: 40_000 });
  });
}

/** The content of a backup but for its first line, which has its time. */
function contentOf(file: string): string {
  const text = gunzipSync(readFileSync(file)).toString();
  return text.slice(text.indexOf('\n'));
}

async function killBackup(trial: Trial, env: Env, { folder, content }: Saved): Promise<void> {
  const file = join(folder, `backup-${trial.index}`);
  await killWhen(trial, spawnProgram({ args: ['backup', file], env }), killAfter(trial.random.below(LONGEST_MS)));
  if (existsSync(file)) assert.equal(contentOf(file), content);
  else if (existsSync(`${file}.partial`)) await reject(`${file}.partial`, env, trial.random);
  await rm(`${file}.partial`, { force: true });
  if (!existsSync(file)) await runProgram(['backup', file], env);
  await runProgram(['restore', '--dry-run', file], env);
  assert.equal(contentOf(file), content);
  await rm(file);
}

/** The file of a killed backup is rejected before the database is asked for anything. */
async function reject(file: string, env: Env, random: Random): Promise<void> {
  const args = ['restore', file, ...(random.below(2) === 0 ? ['--dry-run'] : [])];
  const program = spawnProgram({ args, env: { ...env, DATABASE_URL: 'postgresql://127.0.0.1:1/none' } });
  const code = await program.ended;
  if (code === 1 && /This is not a backup|The backup is (incomplete|damaged)/.test(program.output())) return;
  throw new Error(`The file of a killed backup was not rejected: ${code} ${program.output()}`);
}

async function killRestore(trial: Trial, postgres: OwnPostgres, { folder, whole, content }: Saved): Promise<void> {
  const { index, random, open } = trial;
  const dataDir = index % 3 === 1 ? await newDataFolder() : '';
  const isEmbedded = dataDir !== '';
  if (isEmbedded) await open({ close: () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }) });
  const databaseUrl = () => postgres.createDatabase(`restored_${index}`);
  const env: Env = isEmbedded ? { DATA_DIR: dataDir } : { DATABASE_URL: await databaseUrl() };
  const atStep: Arm = (kill) => postgres.proxy.whenAsked(random.pick(STEPS), 0, kill);
  const arm = isEmbedded || random.below(3) === 0 ? killAfter(random.below(LONGEST_MS)) : atStep;
  const isKilled = await killWhen(trial, spawnProgram({ args: ['restore', whole], env }), arm, postgres.proxy);
  const { output } = await runProgram(['accounts', 'list', '--json'], env);
  if (/"id"/.test(output) && !isKilled) return;
  if (!/"id"/.test(output)) await runProgram(['restore', whole], env);
  const again = join(folder, `again-${index}`);
  await runProgram(['backup', again], env);
  assert.equal(contentOf(again), content);
  await rm(again);
}
