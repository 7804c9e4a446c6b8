import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { signalServer, startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { startProgram } from '../support/program.ts';
import { expectResponses, isGood, openTraffic, slowestOf } from '../support/traffic.ts';

const PER_SECOND = 20;
const ENDS_WITHIN_MS = 7_000;
const WHOLE_WITHIN_MS = 2_000;
/** More concurrent requests than the pool has connections. */
const BURST = 40;

export const databaseFrozen: Row = {
  name: 'database-frozen',
  what: 'database frozen (SIGSTOP) 10 s',
  required: 'every request ends within 7 s; `/livez` stays 200; the pool recovers within 2 s',
  unit: 'freezes',
  full: 8,
  small: 1,
  async run(trials) {
    const patience = trials.isFull ? 1 : 10;
    const frozenMs = trials.isFull ? 10_000 : 2_000;
    const postgres = await startOwnPostgres();
    const program = await startProgram({ env: { DATABASE_URL: postgres.url } });
    const sum = { good: 0, refused: 0, slowest: 0, wholeAfter: 0, alive: 0, slowestAlive: 0 };
    try {
      await trials.each(async ({ index, random }) => {
        const key = await postgres.issueKey(`freeze ${index} ${random.word(8)}`);
        const client = openClient(program.url, key, Number.POSITIVE_INFINITY);
        const traffic = openTraffic(client, random);
        const pace = startPace(PER_SECOND, traffic.send);
        const living = startPace(10, async () => {
          const { status, ms } = await client.request('GET', '/livez');
          if (status !== 200) throw new Error(`/livez responds with ${status}.`);
          sum.alive += 1;
          sum.slowestAlive = Math.max(sum.slowestAlive, ms);
        });
        await sleep(300 + random.below(500));
        const pid = await postgres.pid();
        signalServer(pid, 'SIGSTOP');
        try {
          await sleep(frozenMs);
        } finally {
          signalServer(pid, 'SIGCONT');
        }
        const goesOnAt = performance.now();

        const burst = openTraffic(client, random);
        const sendBurst = async () => {
          const before = burst.seen.length;
          await Promise.all(Array.from({ length: BURST }, burst.send));
          return burst.seen.slice(before).every(isGood);
        };
        while (!(await sendBurst()) && performance.now() < goesOnAt + patience * WHOLE_WITHIN_MS) await sleep(20);
        const wholeAfter = performance.now() - goesOnAt;
        await pace.stop();
        await living.stop();
        expectResponses([...traffic.seen, ...burst.seen], patience * ENDS_WITHIN_MS);
        if (!burst.seen.slice(-BURST).every(isGood) || wholeAfter > patience * WHOLE_WITHIN_MS) {
          throw new Error(`The pool had not recovered ${Math.round(wholeAfter)} ms after the server resumed.`);
        }
        if (!traffic.seen.some((each) => !isGood(each)) && trials.isFull)
          throw new Error('Nothing noticed the freeze.');
        await traffic.check(client).catch((error: unknown) => {
          throw new Error(`The stored data differs from what was acknowledged: ${error}`);
        });
        client.close();
        sum.good += traffic.seen.filter(isGood).length;
        sum.refused += traffic.seen.filter((each) => !isGood(each)).length;
        sum.slowest = Math.max(sum.slowest, slowestOf(traffic.seen));
        sum.wholeAfter = Math.max(sum.wholeAfter, wholeAfter);
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    return (
      `${sum.good.toLocaleString('en')} responses 2xx, ${sum.refused.toLocaleString('en')} 503, the slowest after ${(sum.slowest / 1_000).toFixed(1)} s; ` +
      `/livez 200 in all ${sum.alive.toLocaleString('en')}, the slowest ${Math.round(sum.slowestAlive)} ms; pool recovered after at most ${(sum.wholeAfter / 1_000).toFixed(1)} s`
    );
  },
};
