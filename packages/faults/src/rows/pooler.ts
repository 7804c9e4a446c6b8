import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { poolerVersion, startPooler } from '../support/pooler.ts';
import { spawnProgram, startProgram } from '../support/program.ts';
import { expectResponses, isGood, openTraffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';

const PER_SECOND = 50;
const RESPONSE_WITHIN_MS = 3_000;
const GOOD_WRITE_WITHIN_MS = 2_000;
const LONGEST_ABSENCE_MS = 1_000;

export const pooler: Row = {
  name: 'pooler',
  what: 'kill -9 of PgBouncer in session mode under 50 req/s; a start on transaction mode',
  required:
    'acknowledged ⊆ stored; every response within 3 s, 2xx or 503 only; a successful write within 2 s of its return; transaction mode is refused with the reason',
  unit: 'kills',
  full: 20,
  missing: () => (poolerVersion() === undefined ? 'PgBouncer (Debian: apt install pgbouncer)' : undefined),
  async run(trials) {
    const postgres = await startOwnPostgres();
    const sessions = await startPooler(postgres.url, 'session');
    const sum = { good: 0, refused: 0, acknowledged: 0, latestWrite: 0 };
    try {
      await expectRefusal(postgres.url);
      const program = await startProgram({ env: { DATABASE_URL: sessions.url } });
      await trials.each(async ({ index, random }) => {
        const client = openClient(
          program.url,
          await postgres.issueKey(`pooler ${index} ${random.word(8)}`),
          Number.POSITIVE_INFINITY,
        );
        const traffic = openTraffic(client, random);
        const pace = startPace(PER_SECOND, traffic.send);
        await sleep(300 + random.below(500));
        await sessions.kill();
        await sleep(random.below(LONGEST_ABSENCE_MS));
        await sessions.restart();
        const isBack = (since: number) =>
          traffic.seen.some((each) => isGood(each) && each.kind === 'write' && each.sentAt > since);
        const returned = performance.now();
        const took = await until(
          () => isBack(returned),
          GOOD_WRITE_WITHIN_MS,
          () => 'no write had succeeded.',
        );
        await sleep(200);
        await pace.stop();
        expectResponses(traffic.seen, RESPONSE_WITHIN_MS);
        const { acknowledged } = await traffic.check(client);
        client.close();
        sum.good += traffic.seen.filter(isGood).length;
        sum.refused += traffic.seen.filter((each) => !isGood(each)).length;
        sum.acknowledged += acknowledged;
        sum.latestWrite = Math.max(sum.latestWrite, took);
      });
      await program.stop();
    } finally {
      await sessions.close();
      await postgres.close();
    }
    return (
      `${poolerVersion()}: ${sum.good.toLocaleString('en')} responses 2xx, ${sum.refused.toLocaleString('en')} 503; ` +
      `${sum.acknowledged.toLocaleString('en')} writes acknowledged, all stored; first successful write after at most ` +
      `${(sum.latestWrite / 1_000).toFixed(1)} s; transaction mode refused, with its name`
    );
  },
};

/** A start on transaction mode never becomes ready, and its log names the setting. */
async function expectRefusal(databaseUrl: string): Promise<void> {
  const transactions = await startPooler(databaseUrl, 'transaction');
  const program = spawnProgram({ env: { DATABASE_URL: transactions.url } });
  try {
    await until(
      () => program.output().includes('pool_mode = session'),
      20_000,
      () => `transaction mode had not been refused:\n${program.output()}`,
    );
    if (program.output().includes('"msg":"ready"')) throw new Error('It is ready behind a pooler by transaction.');
  } finally {
    await program.stop();
    await transactions.close();
  }
}
