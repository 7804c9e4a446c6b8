import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UNRECORDED } from '@hitherto/domain/changes';
import { CLEANUP, type CleanupStatus, parseNewCleanup, settleCleanup } from '@hitherto/domain/cleanups';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import type { Repositories } from '@hitherto/domain/repositories';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { openPostgres } from '@hitherto/postgres';
import { rowsOf } from '@hitherto/testing/databases';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { newFolder } from '@hitherto/testing/folder';
import { start } from '@hitherto/testing/processes';
import type { Random } from '@hitherto/testing/random';
import { row } from '../row.ts';
import { hitFile } from '../support/hit-file.ts';
import { JOBS_NOW } from '../support/job-data.ts';
import { readAll } from '../support/numbers.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { killWhen, type Program, runProgram, spawnProgram } from '../support/program.ts';
import { randomHits } from '../support/random-hits.ts';
import { until } from '../support/until.ts';

type Ports = Repositories & StatisticsEngine;

const WORKER = fileURLToPath(new URL('../support/job-worker.ts', import.meta.url));
const LONGEST_MS = 60_000;
/** Of the kept days; `kill-jobs` covers the rest of the work. */
const FIRST_DAY = new Date('2026-11-01T00:00:00Z');
const now = () => new Date(JOBS_NOW);
const RULE = parseNewCleanup({ name: 'Spam', filters: [['country', ['DE']]], to: null });

/** The statements before which the work is killed; each of them changes something. */
const STEPS: readonly (readonly [CleanupStatus, readonly [RegExp, ...RegExp[]]])[] = [
  [
    'applying',
    [/update cleanup set/, /delete from day_numbers/, /update website_day set/, /^commit/, /copy day_numbers/],
  ],
  ['erasing', [/with taken as/, /delete from book/, /copy book/, /insert into website_day/, /erased_at =/]],
  [
    'undoing',
    [/delete from cleanup/, /delete from day_numbers/, /update website_day set/, /^commit/, /copy day_numbers/],
  ],
];

/** What is killed at the same moment, by turns. */
const BESIDE = ['nothing', 'an import', 'a rebuild'] as const;
/** The imported hits: of days that are kept, before the website has collected any. */
const IMPORTED = { page: '/imported', hits: 3_000, days: 9 };

/**
 * A cleanup whose work is killed, next to an import or a rebuild, shows the old numbers or the new ones, never a mix; done again, all
 * of them have the numbers of ones that were not killed.
 */
export const cleanupKills = row('cleanup-kills', 100, 'kills', { small: 3 }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const { path: folder } = await trials.open(newFolder());
  const file = join(folder, 'hits.jsonl');
  await trials.each(async (trial) => {
    const { index, random } = trial;
    const [status, steps] = STEPS[index % STEPS.length] ?? ['applying', [/^commit/]];
    const beside = BESIDE[Math.floor(index / STEPS.length) % BESIDE.length] ?? 'nothing';
    const step = steps[Math.floor(index / STEPS.length) % steps.length] ?? steps[0];
    const url = await postgres.createDatabase(`cleanups${index}`);
    const actual = await trial.open(openPostgres({ connection: url, log: () => {} }));
    await actual.migrate();
    const [shown, hidden]: [Ports, Ports] = [createInMemoryRepositories(), createInMemoryRepositories()];
    const [account, websiteId] = [anAccount({ id: newId() }), newId()];
    const of = { websites: [websiteId], visitors: 40, pages: 5, from: FIRST_DAY, to: now() } as const;
    const hits = randomHits(random, { ...of, count: 1_500 });
    for (const ports of [actual, shown, hidden]) {
      await ports.access.insertAccount(account, UNRECORDED);
      await ports.websites.insert(account.id, aWebsite({ id: websiteId, url: 'https://example.com' }), UNRECORDED);
      await ports.hits.add(hits);
    }
    await actual.maintenance.settle(now());
    const key = { accountId: account.id, websiteId };
    const hide = async (ports: Ports) => {
      await ports.cleanups.insert(key, CLEANUP.make({ now, newId }, RULE), UNRECORDED);
    };
    const change = async (ports: Ports, to: CleanupStatus) => {
      const [found] = (await ports.cleanups.list(key)) ?? [];
      if (found !== undefined) await ports.cleanups.replace(key, { ...found, status: to }, found.updatedAt, UNRECORDED);
    };
    await hide(hidden);
    await settleCleanup({ ...hidden, now });
    await hide(actual);
    if (status !== 'applying') {
      await settleCleanup({ ...actual, now });
      await actual.maintenance.settle(now());
      await change(actual, status);
    }
    const readBoth = async () => ({ all: await readAll(shown, websiteId), left: await readAll(hidden, websiteId) });
    const without = await readBoth();
    const imported = importedHits(random, websiteId);
    for (const ports of [shown, hidden]) await ports.hits.add(imported);
    const whole = await readBoth();
    writeFileSync(
      file,
      hitFile(imported.length, (n) => lineOf(imported[n])),
    );

    const env = { DATABASE_URL: url };
    const args = {
      nothing: undefined,
      'an import': ['statistics', 'import', file, '--website', websiteId],
      'a rebuild': ['statistics', 'rebuild'],
    }[beside];
    const other = args && spawnProgram({ args, env });
    const worker = startWorker(url);
    const killing = killWhen(trial, worker, (kill) => postgres.proxy.whenAsked(step, 0, kill), postgres.proxy);
    const hasEnded = () => worker.process.exitCode !== null || worker.process.signalCode !== null;
    await until(`no job had asked for ${step}.`, LONGEST_MS, hasEnded);
    if (!(await killing)) throw new Error('The jobs ended by themselves.');
    await other?.stop('SIGKILL');
    const fresh = await trial.open(openPostgres({ connection: url, log: () => {} }));
    const found = await readAll(fresh, websiteId);
    const isImported = (await fresh.imports.list(key))?.some((each) => each.status === 'done') === true;
    const { all, left } = isImported ? whole : without;
    assert.deepEqual(found, found.totals.visits === all.totals.visits && status !== 'erasing' ? all : left);

    const again = startWorker(url);
    const isDone = async () => ((await fresh.cleanups.list(key)) ?? []).every((cleanup) => cleanup.status === 'active');
    await until('the cleanup was not changed.', LONGEST_MS, isDone);
    again.process.kill('SIGKILL');
    await again.ended;
    await fresh.maintenance.settle(now());
    // As if the import had not reported for long enough.
    await rowsOf(url, `update import set reported_at = '2000-01-01' where status = 'running'`);
    if (args !== undefined) await runProgram(args, env);
    const expected = beside === 'an import' ? whole : without;
    assert.deepEqual(await readAll(fresh, websiteId), status === 'undoing' ? expected.all : expected.left);
    if (status === 'erasing') {
      await change(hidden, 'erasing');
      await settleCleanup({ ...hidden, now });
      assert.deepEqual(await storedHits(fresh, websiteId), await storedHits(hidden, websiteId));
    }
    trial.add({ [`while ${status}, next to ${beside}`]: 1 });
  });
});

/** Hits of a file, of visitors of their own. */
function importedHits({ below, pick }: Random, websiteId: string): CountedHit[] {
  return Array.from({ length: IMPORTED.hits }, (_, n) =>
    aCountedHit({
      websiteId,
      time: new Date(FIRST_DAY.getTime() - below(IMPORTED.days * 86_400_000) - 1),
      visitor: BigInt(1_000 + (n % 300)),
      page: IMPORTED.page,
      country: pick(['DE', 'FR', null]),
      source: null,
    }),
  );
}

function lineOf(hit: CountedHit | undefined) {
  return { time: hit?.time, visitor: String(hit?.visitor), page: hit?.page, country: hit?.country };
}

function startWorker(url: string): Pick<Program, 'process' | 'ended'> {
  const env = { ...process.env, DATABASE_URL: url };
  const worker = start(process.execPath, [...process.execArgv, WORKER], { env, stdio: 'ignore' });
  return { process: worker, ended: once(worker, 'exit').then(([code, signal]) => code ?? signal) };
}

async function storedHits({ staging }: Ports, websiteId: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { time, visitor, page, name } of staging.hits(websiteId)) {
    // Those that are imported later are hidden, and stay.
    if (page !== IMPORTED.page) texts.push(`${time.toISOString()} ${visitor} ${page} ${name}`);
  }
  return texts.sort();
}
