import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNRECORDED } from '@hitherto/domain/changes';
import { IMPORT_LEASE_MS } from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { openPostgres } from '@hitherto/postgres';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { newFolder } from '@hitherto/testing/folder';
import { lineOfLog } from '@hitherto/testing/log-line';
import { plausibleExport } from '@hitherto/testing/plausible-export';
import type { Random } from '@hitherto/testing/random';
import { row, type Trial } from '../row.ts';
import { hitFile } from '../support/hit-file.ts';
import { MOST_VALUES, readAll } from '../support/numbers.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type Arm, killAfter, killWhen, runProgram, spawnProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

type Ports = ReturnType<typeof openPostgres>;

/** Years that contain every hit, and the sums of the export. */
const PERIOD = { from: '2023-01-01', to: '2026-12-31' };
const LINES = 12_000;
/** Lines of a log that is followed. */
const FOLLOWED = 600;
/** The statements of an import of hits before which it is killed, and of each kind of content. */
const STEPS_OF_HITS = [
  /insert into import \(/,
  /copy book/,
  /max\(part\)/,
  /insert into website_day/,
  /set status = 'done'/,
] as const;
const STEPS = {
  logs: [...STEPS_OF_HITS, /insert into import_crawler_hit/, /insert into log_checkpoint/],
  files: STEPS_OF_HITS,
  sums: [/insert into import \(/, /copy imported_sum/, /insert into import_day/, /set status = 'done'/],
} as const;
/** An import has more commits. */
const COMMITS = 5;
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
] as const;

/**
 * An import of a log or a file that is killed shows nothing; run again, it has the numbers of one that was not killed. A killed
 * `logs follow` goes on where it was, through rotation and truncation.
 */
export const importKills = row('import-kills', 100, 'kills', { small: 4 }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const { path: folder } = await trials.open(newFolder());
  const ports = await trials.open(openPostgres({ connection: postgres.url, log: () => {} }));
  await ports.migrate();
  const env = { DATABASE_URL: postgres.url };
  /** By kind, the numbers after an import that was not killed, and how long that took in milliseconds. */
  const whole = new Map<string, { readonly numbers: unknown; readonly ms: number }>();

  /** Each has an account of its own, so that all can have the host of the lines. */
  const newWebsite = async (): Promise<WebsiteKey> => {
    const [accountId, websiteId] = [newId(), newId()];
    await ports.access.insertAccount(anAccount({ id: accountId, name: accountId }), UNRECORDED);
    await ports.websites.insert(accountId, aWebsite({ id: websiteId, url: 'https://example.com' }), UNRECORDED);
    return { accountId, websiteId };
  };

  await trials.each(async (trial) => {
    const website = await newWebsite();
    const kind = (['logs', 'files', 'sums', 'follows'] as const)[trial.index % 4] ?? 'logs';
    trial.add({ [kind]: 1 });
    if (kind === 'follows') {
      await killFollow(trial, postgres, ports, website.websiteId, folder);
      return;
    }
    const file = join(folder, kind);
    const args = (id: string) =>
      kind === 'logs'
        ? ['logs', 'import', file, '--website', id, '--json']
        : ['statistics', 'import', file, '--website', id];
    if (!whole.has(kind)) {
      writeFileSync(file, CONTENTS[kind](trial.random));
      const { websiteId } = await newWebsite();
      const start = performance.now();
      await runProgram(args(websiteId), env);
      const ms = performance.now() - start;
      whole.set(kind, { numbers: await numbersOf(ports, websiteId), ms });
    }
    const expected = whole.get(kind);
    const nothing = await numbersOf(ports, website.websiteId);
    const program = spawnProgram({ args: args(website.websiteId), env });
    const arm = armIn(trial.random, postgres, STEPS[kind], expected?.ms ?? 0);
    await killWhen(trial, program, arm, postgres.proxy);
    const isDone = (await ports.imports.list(website))?.some(({ status }) => status === 'done') === true;
    assert.deepEqual(await numbersOf(ports, website.websiteId), isDone ? expected?.numbers : nothing);
    await letLeaseEnd(postgres);
    await runProgram(args(website.websiteId), env);
    assert.deepEqual(await numbersOf(ports, website.websiteId), expected?.numbers);
  });
  await expectNothingStaged(ports, postgres);
});

/** All numbers, with the crawlers. */
async function numbersOf(ports: Ports, websiteId: string) {
  const crawlersBy = (kind: 'operator' | 'page') =>
    ports.crawlers.values(websiteId, PERIOD.from, PERIOD.to, kind, MOST_VALUES);
  const numbers = await readAll(ports, websiteId, PERIOD);
  return { ...numbers, operators: await crawlersBy('operator'), asked: await crawlersBy('page') };
}

/** Kills before one of these statements, at one of the commits, or after some part of the time. */
function armIn({ below, pick }: Random, { proxy }: OwnPostgres, steps: readonly [RegExp, ...RegExp[]], ms: number) {
  return pick<Arm>([
    (kill) => proxy.whenAsked(pick(steps), 0, kill),
    (kill) => proxy.whenAsked(/^commit/, below(COMMITS), kill),
    killAfter(below(Math.ceil(ms))),
  ]);
}

/** As if the process that was killed had not reported for long enough. */
async function letLeaseEnd({ query }: OwnPostgres): Promise<void> {
  await query(`update import set reported_at = reported_at - $1 * interval '1 millisecond' where status = 'running'`, [
    2 * IMPORT_LEASE_MS,
  ]);
}

/** Ends killed imports that were not run again, and looks for their remains. */
async function expectNothingStaged({ imports, staging }: Ports, { query }: OwnPostgres): Promise<void> {
  for (;;) {
    const abandoned = await imports.findAbandoned(new Date());
    if (abandoned === undefined) break;
    const { imported } = abandoned;
    await imports.fail(imported.id, { code: 'interrupted', detail: '' }, imported, undefined);
    await staging.discard(imported.id);
  }
  const [left] = await query<{ hits: string; sums: string; crawled: string }>(`
    select (
      select count(*) from book left join import on number = import_number
      where import_number > 0 and status is distinct from 'done'
    )::text as hits, (
      select count(*) from imported_sum join import on number = import_number where status <> 'done'
    )::text as sums, (
      select count(*) from import_crawler_hit join import on number = import_number where status <> 'done'
    )::text as crawled`);
  assert.deepEqual(left, { hits: '0', sums: '0', crawled: '0' });
}

/** Lines arrive while the command is killed and started again; between two of them the log is rotated or truncated. */
async function killFollow(
  { index, random }: Trial,
  postgres: OwnPostgres,
  ports: Ports,
  websiteId: string,
  folder: string,
): Promise<void> {
  const own = join(folder, `follow-${index}`);
  mkdirSync(own);
  const path = join(own, 'access.log');
  const lines = logOf(random, FOLLOWED);
  const parts = Array.from({ length: 6 }, (_, part) => lines.filter((_, n) => Math.floor((n * 6) / FOLLOWED) === part));
  const env = { DATABASE_URL: postgres.url };
  const follow = () => spawnProgram({ args: ['logs', 'follow', path, '--website', websiteId], env });
  writeFileSync(path, '');
  let expected = 0;
  let program = follow();
  for (const [part, of] of parts.entries()) {
    if (part === 2) {
      renameSync(path, `${path}.1`);
      writeFileSync(path, '');
    }
    if (part === 4) {
      copyFileSync(path, `${path}.2`);
      truncateSync(path);
    }
    appendFileSync(path, of.join(''));
    expected += of.filter((line) => !line.includes('GPTBot')).length;
    if (part % 2 === 0) {
      await sleep(random.below(2_500));
      await program.stop('SIGKILL');
      program = follow();
    }
    const isRead = async () => (await pageviewsOf(ports, websiteId)) >= expected;
    await until(() => `the log was not read:\n${program.output()}`, 60_000, isRead);
  }
  await program.stop();
  assert.equal(await pageviewsOf(ports, websiteId), expected);
}

async function pageviewsOf({ statistics }: Ports, websiteId: string): Promise<number> {
  return (await statistics.totals({ websiteId, ...PERIOD, filters: [] })).pageviews;
}

/** Lines of a combined log over ten days. */
function logOf(random: Random, count: number): string[] {
  const start = Date.parse('2026-11-01T00:00:00Z');
  return Array.from({ length: count }, (_, n) =>
    lineOfLog({
      time: new Date(start + Math.floor((n * 10 * 86_400_000) / count)),
      address: `198.51.100.${random.below(250)}`,
      path: `/${n % 40}`,
      referrer: random.below(4) === 0 ? 'https://www.google.com/' : undefined,
      userAgent: random.pick(AGENTS),
    }),
  );
}

function hitsOf(random: Random): string {
  const start = Date.parse('2026-10-01T00:00:00Z');
  const timeOf = (n: number) => new Date(start + n * 60_000);
  return hitFile(LINES, (n) => ({ time: timeOf(n), visitor: `${random.below(500)}`, page: `/${n % 40}` }));
}

const CONTENTS = {
  logs: (random: Random) => logOf(random, LINES).join(''),
  files: hitsOf,
  sums: () => plausibleExport(),
} as const;
