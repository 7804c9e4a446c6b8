import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '@hitherto/testing/folder';
import { row, type Trial, type Trials } from '../row.ts';
import { openClient } from '../support/client.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { poolerVersion, startPooler } from '../support/pooler.ts';
import { signalServer } from '../support/processes.ts';
import { spawnProgram, startProgram } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';
import { expectResponses, isGood, outcomesOf, type Seen, startTraffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';

const HEALS_WITHIN_MS = 2_000;
/** Every request ends by then: while the database refuses connections, and while it is silent. */
const RESPONDS_WITHIN_MS = 3_000;
const ENDS_WITHIN_MS = 7_000;

type Served = Pick<Service, 'openClient'>;

/** Sends the traffic of a new account, without a limit of connections, for a moment. */
async function startLoad(trial: Trial, service: Served, perSecond: number) {
  const { open, random, patience } = trial;
  const client = await open(service.openClient(undefined, Number.POSITIVE_INFINITY));
  const traffic = await open(startTraffic(client, random, perSecond));
  await sleep(300 + random.below(500));
  return {
    client,
    traffic,
    /** Ends the traffic, and checks all responses and the stored data; returns how many responses were 503. */
    async end(withinMs: number): Promise<number> {
      await traffic.stop();
      expectResponses(traffic.seen, patience * withinMs);
      const { acknowledged } = await traffic.check(client);
      const { good, unavailable, slowestMs } = outcomesOf(traffic.seen);
      trial.add({ '× 2xx': good, '× 503': unavailable, 'writes acknowledged': acknowledged });
      trial.took('the slowest response', slowestMs);
      return unavailable;
    },
  };
}

/** Something that takes the database away and brings it back. */
interface Absence {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Takes the database away under 50 requests a second: a write must succeed soon after its return. */
function surviveAbsences(trials: Trials, service: Served, longestMs: number, { begin, end }: Absence): Promise<void> {
  return trials.each(async (trial) => {
    const load = await startLoad(trial, service, 50);
    await begin();
    const absentAt = performance.now();
    await sleep(trial.random.below(longestMs));
    await end();
    const isWritten = (each: Seen) => isGood(each) && each.kind === 'write' && each.endedAt > absentAt;
    const isBack = () => load.traffic.seen.some(isWritten);
    const took = await until('no write had succeeded.', trial.patience * HEALS_WITHIN_MS, isBack);
    trial.took('the first write', took);
    await sleep(300);
    await load.end(RESPONDS_WITHIN_MS);
  });
}

const databaseRestarts = row('database-restarts', 20, 'restarts', {}, async (trials) => {
  const service = await trials.open(startService());
  const { stop, start } = service.postgres;
  await surviveAbsences(trials, service, 2_000, { begin: stop, end: start });
});

const missingPooler = () => (poolerVersion() === undefined ? 'PgBouncer (Debian: apt install pgbouncer)' : undefined);

const pooler = row('pooler', 20, 'kills', { missing: missingPooler }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const sessions = await trials.open(startPooler(postgres.url, 'session'));
  const program = await trials.open(startProgram({ env: { DATABASE_URL: sessions.url } }));
  await expectRejection(postgres.url);
  const open = async () => openClient(program.url, await postgres.issueKey(), Number.POSITIVE_INFINITY);
  await surviveAbsences(trials, { openClient: open }, 1_000, { begin: sessions.kill, end: sessions.restart });
});

/** A start on transaction mode never becomes ready, and its log names the setting. */
async function expectRejection(databaseUrl: string): Promise<void> {
  const transactions = await startPooler(databaseUrl, 'transaction');
  const { output, stop } = spawnProgram({ env: { DATABASE_URL: transactions.url } });
  try {
    const isRejected = () => output().includes('pool_mode = session');
    await until(() => `transaction mode had not been rejected:\n${output()}`, 20_000, isRejected);
    if (output().includes('"msg":"ready"')) throw new Error('It is ready behind a pooler by transaction.');
  } finally {
    await stop();
    await transactions.close();
  }
}

/** More concurrent requests than the pool has connections. */
const BURST = 40;

const databaseFrozen = row('database-frozen', 8, 'freezes', {}, async (trials) => {
  const service = await trials.open(startService());
  await trials.each(async (trial) => {
    const load = await startLoad(trial, service, 20);
    const { client, traffic } = load;
    const living = startPace(10, async () => {
      const { ms } = await client.request('GET', '/livez', { expects: 200 });
      trial.took('/livez', ms);
    });
    const server = service.postmaster();
    signalServer(server, 'SIGSTOP');
    await sleep(trial.isFull ? 10_000 : 2_000).finally(() => signalServer(server, 'SIGCONT'));

    const since = performance.now();
    const isWhole = async () => {
      const before = new Set(traffic.seen);
      await Promise.all(Array.from({ length: BURST }, traffic.send));
      return traffic.seen.filter((each) => !before.has(each)).every((each) => isGood(each) || each.sentAt < since);
    };
    trial.took('recovery', await until('the pool had not recovered.', trial.patience * HEALS_WITHIN_MS, isWhole));
    await living.stop();
    const unavailable = await load.end(ENDS_WITHIN_MS);
    if (unavailable === 0 && trial.isFull) throw new Error('Nothing noticed the freeze.');
  });
});

const READ_ONLY_MS = 2_000;

/**
 * Read-only by turns through its settings, as an operator would, and as a standby, as after a failover. While the server
 * restarts as a standby, reads may be 503 as well; this row ignores that moment.
 */
const databaseReadOnly = row('database-read-only', 5, 'times', {}, async (trials) => {
  const { path: dataDir } = await trials.open(newFolder());
  const service = await trials.open(startService({}, { dataDir }));
  await trials.each(async (trial) => {
    const load = await startLoad(trial, service, 30);
    const { seen } = load.traffic;
    const { begin, end } = trial.index % 2 === 0 ? bySettings(service.postgres) : asStandby(service.postgres, dataDir);
    await begin();
    // By then, requests from before have ended and lost connections are open again.
    await sleep(1_500);
    const from = performance.now();
    await sleep(READ_ONLY_MS);
    const to = performance.now();
    await end();
    const endedAt = performance.now();
    await sleep(HEALS_WITHIN_MS);
    await load.end(ENDS_WITHIN_MS);

    const during = seen.filter((each) => each.sentAt > from && each.endedAt < to);
    const writes = during.filter(({ kind }) => kind === 'write').length;
    if (writes === 0 || writes === during.length) throw new Error('There was no read or no write meanwhile.');
    const wrong = during.find((each) => (each.kind === 'read' ? !isGood(each) : each.status !== 503));
    if (wrong !== undefined) {
      throw new Error(`A ${wrong.kind} had ${wrong.status} while the database was read-only: ${wrong.text}`);
    }
    const lastUnavailable = Math.max(endedAt, ...seen.map((each) => (isGood(each) ? 0 : each.endedAt)));
    trial.took('recovery', lastUnavailable - endedAt);
    if (!seen.some((each) => each.kind === 'write' && isGood(each) && each.endedAt > lastUnavailable)) {
      throw new Error(`No write succeeded within ${HEALS_WITHIN_MS} ms of the end.`);
    }
  });
});

/** For every session, including existing ones. */
function bySettings({ query }: OwnPostgres): Absence {
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
function asStandby({ stop, start, query }: OwnPostgres, dataDir: string): Absence {
  return {
    async begin() {
      await stop();
      await writeFile(join(dataDir, 'postgres', 'standby.signal'), '', { mode: 0o644 });
      await start();
    },
    end: () => query('select pg_promote()'),
  };
}

export const outages = [databaseRestarts, pooler, databaseFrozen, databaseReadOnly];
