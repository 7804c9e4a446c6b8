import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '@hitherto/postgres';
import { rowsOf } from '@hitherto/testing/databases';
import { start } from '@hitherto/testing/processes';
import { row, type Trial } from '../row.ts';
import { fillForJobs, KEPT_FROM, SALTS_FROM } from '../support/job-data.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { killWhen, type Program } from '../support/program.ts';
import { until } from '../support/until.ts';

const WORKER = fileURLToPath(new URL('../support/job-worker.ts', import.meta.url));
const LONGEST_MS = 60_000;

/** The statements before which the work is killed, by job. */
const STEPS = [
  ['hits', [/with taken as/, /insert into website_day/]],
  ['summaries', [/delete from day_numbers/, /copy day_numbers/, /update website_day/]],
  ['book', [/copy book/, /delete from book using/]],
  ['noting of the book', [/max\(part\), -1/, /is_loose = false/]],
  ['retention', [/update hit_retention/, /delete from book where ctid/]],
  ['purge', [/from "book" where website_number/, /delete from "website_day"/, /update deleted_website/]],
  ['salts', [/lock table salt/, /truncate salt/, /insert into salt/]],
  ['commits', [/^commit/]],
] as const;
const KILLS_PER_JOB = 20;
/** Which of the commits, of all jobs together. */
const COMMITS = 12;

export const killJobs = row('kill-jobs', KILLS_PER_JOB * STEPS.length, 'kills', {}, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  await trials.each(async (trial) => {
    const [job, statement] = stepOf(trial.index);
    const url = await postgres.createDatabase(`jobs${trial.index}`);
    const after = job === 'commits' ? trial.random.below(COMMITS) : 0;
    await killOnce(url, trial, () => killBefore(trial, postgres, url, statement, after));
    trial.add({ [`within ${job}`]: 1 });
  });
});

/** The jobs by turns, and the steps of each by turns. */
function stepOf(index: number): readonly [string, RegExp] {
  const [job, steps] = STEPS[index % STEPS.length] ?? STEPS[0];
  return [job, steps[Math.floor(index / STEPS.length) % steps.length] ?? steps[0]];
}

/** Fills the database, kills the work, does the rest of it, and compares the numbers. */
async function killOnce(url: string, { open, random }: Trial, kill: () => Promise<void>): Promise<void> {
  const repositories = await open(openPostgres({ connection: url, log: () => {} }));
  await repositories.migrate();
  const data = await fillForJobs(repositories, random);
  await kill();
  if (random.below(2) === 0) await data.addLateHits();
  const { process: worker, ended } = startWorker(url);
  await until('the work was not done.', LONGEST_MS, () => isDone(url));
  worker.kill('SIGKILL');
  await ended;
  await data.check();
}

function startWorker(url: string): Pick<Program, 'process' | 'ended'> {
  const env = { ...process.env, DATABASE_URL: url };
  const worker = start(process.execPath, [...process.execArgv, WORKER], { env, stdio: 'ignore' });
  return { process: worker, ended: once(worker, 'exit').then(([code, signal]) => code ?? signal) };
}

/** Runs the jobs until they ask for this statement, and kills them before it is done. */
async function killBefore(trial: Trial, { proxy }: OwnPostgres, url: string, statement: RegExp, after: number) {
  const worker = startWorker(url);
  const killing = killWhen(trial, worker, (kill) => proxy.whenAsked(statement, after, kill), proxy);
  const hasEnded = () => worker.process.exitCode !== null || worker.process.signalCode !== null;
  await until(`no job had asked for ${statement}.`, LONGEST_MS, hasEnded);
  if (!(await killing)) throw new Error('The jobs ended by themselves.');
}

/** Whether nothing is left to do for any job. */
async function isDone(url: string): Promise<boolean> {
  const [row] = await rowsOf<{ left: string }>(
    url,
    `select (select count(*) from added_hits)
       + (select count(*) from website_day where day < '2026-11-20' and hits <> hits_in_numbers)
       + (select count(*) from website_day where day < '2026-11-20' and day >= $1::date and is_loose)
       + (select count(*) from book where day < $1::date)
       + (select count(*) from deleted_website where not is_purged)
       + (select count(*) from salt where day < $2::date)
       as left`,
    [KEPT_FROM, SALTS_FROM],
  );
  return row?.left === '0';
}
