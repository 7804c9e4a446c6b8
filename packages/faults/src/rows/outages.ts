import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '@hitherto/testing/folder';
import { row, type Trial, type Trials } from '../row.ts';
import { type Client, openClient } from '../support/client.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { poolerVersion, startPooler } from '../support/pooler.ts';
import { signalServer } from '../support/processes.ts';
import { spawnProgram, startProgram } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';
import { expectResponses, isGood, outcomesOf, type RunningTraffic, startTraffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';

/** Every request ends by then, also while the database is silent. */
const ENDS_WITHIN_MS = 7_000;
const HEALS_WITHIN_MS = 2_000;

type Served = Pick<Service, 'openClient'>;

interface Load {
  readonly client: Client;
  readonly traffic: RunningTraffic;
}

/** Opens a client of a new account without a limit of connections, and sends its traffic for a moment. */
async function startLoad({ open, random }: Trial, service: Served, perSecond: number): Promise<Load> {
  const client = await open(service.openClient(undefined, Number.POSITIVE_INFINITY));
  const traffic = await open(startTraffic(client, random, perSecond));
  await sleep(300 + random.below(500));
  return { client, traffic };
}

/** Stops the traffic, and checks all responses and the stored data. */
async function endLoad({ client, traffic }: Load, withinMs: number) {
  await traffic.stop();
  expectResponses(traffic.seen, withinMs);
  const { acknowledged } = await traffic.check(client);
  return { acknowledged, ...outcomesOf(traffic.seen) };
}

const RESPONSE_WITHIN_MS = 3_000;

/** Repeats an absence of the database under 50 requests a second: a write must succeed soon after its return. */
async function surviveAbsences(
  trials: Trials,
  service: Served,
  longestMs: number,
  { begin, end }: { begin(): Promise<unknown>; end(): Promise<unknown> },
): Promise<string> {
  const sum = { good: 0, unavailable: 0, acknowledged: 0 };
  let [slowest, latest] = [0, 0];
  await trials.each(async (trial) => {
    const load = await startLoad(trial, service, 50);
    await begin();
    const absentAt = performance.now();
    await sleep(trial.random.below(longestMs));
    await end();
    const isBack = () =>
      load.traffic.seen.some((each) => isGood(each) && each.kind === 'write' && each.endedAt > absentAt);
    const took = await until('no write had succeeded.', trials.patience * HEALS_WITHIN_MS, isBack);
    await sleep(300);
    const outcome = await endLoad(load, trials.patience * RESPONSE_WITHIN_MS);
    addTo(sum, outcome);
    [slowest, latest] = [Math.max(slowest, outcome.slowest), Math.max(latest, took / 1_000)];
  });
  return (
    withNumbers`${sum.good} responses 2xx, ${sum.unavailable} 503, the slowest after ${slowest} s; first successful write ` +
    withNumbers`after at most ${latest} s; ${sum.acknowledged} writes acknowledged, all stored`
  );
}

const databaseRestarts = row('database-restarts', 20, 'restarts', { small: 1 }, async (trials) => {
  const service = await trials.open(startService());
  const { stop, start } = service.postgres;
  return surviveAbsences(trials, service, 2_000, { begin: stop, end: start });
});

const missingPooler = () => (poolerVersion() === undefined ? 'PgBouncer (Debian: apt install pgbouncer)' : undefined);

const pooler = row('pooler', 20, 'kills', { missing: missingPooler }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const sessions = await trials.open(startPooler(postgres.url, 'session'));
  const program = await trials.open(startProgram({ env: { DATABASE_URL: sessions.url } }));
  await expectRejection(postgres.url);
  const open = async () => openClient(program.url, await postgres.issueKey(), Number.POSITIVE_INFINITY);
  const means = { begin: sessions.kill, end: sessions.restart };
  const found = await surviveAbsences(trials, { openClient: open }, 1_000, means);
  return `${poolerVersion()}: ${found}; transaction mode rejected, with its name`;
});

/** A start on transaction mode never becomes ready, and its log names the setting. */
async function expectRejection(databaseUrl: string): Promise<void> {
  const transactions = await startPooler(databaseUrl, 'transaction');
  const program = spawnProgram({ env: { DATABASE_URL: transactions.url } });
  try {
    const { output } = program;
    const isRejected = () => output().includes('pool_mode = session');
    await until(() => `transaction mode had not been rejected:\n${output()}`, 20_000, isRejected);
    if (output().includes('"msg":"ready"')) throw new Error('It is ready behind a pooler by transaction.');
  } finally {
    await program.stop();
    await transactions.close();
  }
}

/** More concurrent requests than the pool has connections. */
const BURST = 40;

const databaseFrozen = row('database-frozen', 8, 'freezes', { small: 1 }, async (trials) => {
  const service = await trials.open(startService());
  const sum = { good: 0, unavailable: 0, alive: 0 };
  let [slowest, slowestAlive, healed] = [0, 0, 0];
  await trials.each(async (trial) => {
    const load = await startLoad(trial, service, 20);
    const { client, traffic } = load;
    const living = startPace(10, async () => {
      const { ms } = await client.request('GET', '/livez', { expects: 200 });
      sum.alive += 1;
      slowestAlive = Math.max(slowestAlive, ms);
    });
    const server = service.postmaster();
    signalServer(server, 'SIGSTOP');
    await sleep(trials.isFull ? 10_000 : 2_000).finally(() => signalServer(server, 'SIGCONT'));

    const since = performance.now();
    const isWhole = async () => {
      const before = new Set(traffic.seen);
      await Promise.all(Array.from({ length: BURST }, traffic.send));
      return traffic.seen.filter((each) => !before.has(each)).every((each) => isGood(each) || each.sentAt < since);
    };
    const took = await until('the pool had not recovered.', trials.patience * HEALS_WITHIN_MS, isWhole);
    await living.stop();
    const outcome = await endLoad(load, trials.patience * ENDS_WITHIN_MS);
    if (outcome.unavailable === 0 && trials.isFull) throw new Error('Nothing noticed the freeze.');
    sum.good += outcome.good;
    sum.unavailable += outcome.unavailable;
    [slowest, healed] = [Math.max(slowest, outcome.slowest), Math.max(healed, took / 1_000)];
  });
  return (
    withNumbers`${sum.good} responses 2xx, ${sum.unavailable} 503, the slowest after ${slowest} s; ` +
    withNumbers`/livez 200 in all ${sum.alive}, the slowest ${slowestAlive} ms; pool recovered after at most ${healed} s`
  );
});

const READ_ONLY_MS = 2_000;

/**
 * Read-only by turns through its settings, as an operator would, and as a standby, as after a failover. While the server
 * restarts as a standby, reads may be 503 as well; this row ignores that moment.
 */
const databaseReadOnly = row('database-read-only', 5, 'times', {}, async (trials) => {
  const { path: dataDir } = await trials.open(newFolder());
  const service = await trials.open(startService({}, { dataDir }));
  const { postgres } = service;
  const sum = { reads: 0, writes: 0, acknowledged: 0 };
  let healed = 0;
  await trials.each(async (trial) => {
    const load = await startLoad(trial, service, 30);
    const { traffic } = load;
    const { begin, end } = trial.index % 2 === 0 ? bySettings(postgres) : asStandby(postgres, dataDir);
    await begin();
    // By then, requests from before have ended and lost connections are open again.
    await sleep(1_500);
    const from = performance.now();
    await sleep(READ_ONLY_MS);
    const to = performance.now();
    await end();
    const endedAt = performance.now();
    await sleep(HEALS_WITHIN_MS);
    const { acknowledged } = await endLoad(load, ENDS_WITHIN_MS);

    const during = traffic.seen.filter((each) => each.sentAt > from && each.endedAt < to);
    const [reads, writes] = (['read', 'write'] as const).map((kind) => during.filter((each) => each.kind === kind));
    const wrong = during.find((each) => (each.kind === 'read' ? !isGood(each) : each.status !== 503));
    if (!reads?.length || !writes?.length) throw new Error('There was no read or no write meanwhile.');
    if (wrong !== undefined) {
      throw new Error(`A ${wrong.kind} had ${wrong.status} while the database was read-only: ${wrong.text}`);
    }
    const lastUnavailable = Math.max(endedAt, ...traffic.seen.map((each) => (isGood(each) ? 0 : each.endedAt)));
    if (!traffic.seen.some((each) => each.kind === 'write' && isGood(each) && each.endedAt > lastUnavailable)) {
      throw new Error(`No write succeeded within ${HEALS_WITHIN_MS} ms of the end.`);
    }
    addTo(sum, { reads: reads.length, writes: writes.length, acknowledged });
    healed = Math.max(healed, (lastUnavailable - endedAt) / 1_000);
  });
  return (
    withNumbers`meanwhile ${sum.reads} reads 200, ${sum.writes} writes 503; recovered after at most ${healed} s; ` +
    withNumbers`${sum.acknowledged} writes acknowledged before and after, all stored`
  );
});

interface Means {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** For every session, including existing ones. */
function bySettings({ query }: OwnPostgres): Means {
  const set = async (statement: string) => {
    await query(statement);
    await query('select pg_reload_conf()');
  };
  return {
    begin: () => set('alter system set default_transaction_read_only = on'),
    end: () => set('alter system reset default_transaction_read_only'),
  };
}

/** The standby is promoted in place: its connections stay open. */
function asStandby(postgres: OwnPostgres, dataDir: string): Means {
  return {
    async begin() {
      await postgres.stop();
      await writeFile(join(dataDir, 'postgres', 'standby.signal'), '', { mode: 0o644 });
      await postgres.start();
    },
    async end() {
      await postgres.query('select pg_promote()');
    },
  };
}

export const outages = [databaseRestarts, pooler, databaseFrozen, databaseReadOnly];
