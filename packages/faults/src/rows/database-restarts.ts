import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { startProgram } from '../support/program.ts';
import { expectResponses, isGood, openTraffic, slowestOf } from '../support/traffic.ts';

const PER_SECOND = 50;
const RESPONSE_WITHIN_MS = 3_000;
const GOOD_WRITE_WITHIN_MS = 2_000;
/** The longest extra time that the database stays away after its restart. */
const LONGEST_PAUSE_MS = 2_000;

export const databaseRestarts: Row = {
  name: 'database-restarts',
  what: 'database restarted under 50 req/s',
  required:
    'every response within 3 s, 2xx or 503 only; first successful write within 2 s of the database accepting connections',
  unit: 'restarts',
  full: 20,
  small: 1,
  async run(trials) {
    // On a busy machine responses are slow: then only their status counts.
    const patience = trials.isFull ? 1 : 10;
    const postgres = await startOwnPostgres();
    const program = await startProgram({ env: { DATABASE_URL: postgres.url } });
    const sum = { good: 0, refused: 0, acknowledged: 0, slowest: 0, latestWrite: 0 };
    try {
      await trials.each(async ({ index, random }) => {
        const key = await postgres.issueKey(`restart ${index} ${random.word(8)}`);
        const client = openClient(program.url, key, Number.POSITIVE_INFINITY);
        const traffic = openTraffic(client, random);
        const pace = startPace(PER_SECOND, traffic.send);
        await sleep(300 + random.below(500));
        await postgres.stop();
        const stoppedAt = performance.now();
        await sleep(random.below(LONGEST_PAUSE_MS));
        await postgres.start();
        const acceptsAt = performance.now();

        const isBack = () =>
          traffic.seen.find((each) => isGood(each) && each.kind === 'write' && each.endedAt > stoppedAt);
        for (const limit = acceptsAt + patience * GOOD_WRITE_WITHIN_MS; performance.now() < limit; await sleep(10)) {
          if (isBack() !== undefined) break;
        }
        await sleep(300);
        await pace.stop();
        const firstWrite = isBack();
        expectResponses(traffic.seen, patience * RESPONSE_WITHIN_MS);
        if (firstWrite === undefined || firstWrite.endedAt > acceptsAt + patience * GOOD_WRITE_WITHIN_MS) {
          throw new Error(`No write succeeded within ${patience * GOOD_WRITE_WITHIN_MS} ms of the database's return.`);
        }
        const { acknowledged } = await traffic.check(client);
        client.close();
        sum.good += traffic.seen.filter(isGood).length;
        sum.refused += traffic.seen.filter((each) => !isGood(each)).length;
        sum.acknowledged += acknowledged;
        sum.slowest = Math.max(sum.slowest, slowestOf(traffic.seen));
        sum.latestWrite = Math.max(sum.latestWrite, firstWrite.endedAt - acceptsAt);
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    return (
      `${sum.good.toLocaleString('en')} responses 2xx, ${sum.refused.toLocaleString('en')} 503, the slowest after ${(sum.slowest / 1_000).toFixed(1)} s; ` +
      `first successful write after at most ${(sum.latestWrite / 1_000).toFixed(1)} s; ${sum.acknowledged.toLocaleString('en')} writes acknowledged, all stored`
    );
  },
};
