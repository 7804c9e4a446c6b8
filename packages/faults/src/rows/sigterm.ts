import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { allWebsites } from '../support/client.ts';
import { openFleet } from '../support/fleet.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { startProgram } from '../support/program.ts';
import { isGood, openTraffic } from '../support/traffic.ts';

const PER_SECOND = 200;
/** Each connection is used every 200 ms: never idle for long enough that the service may close it. */
const CONNECTIONS = 40;
const ENDS_WITHIN_MS = 15_000;

/**
 * A request is accepted if it was sent on a connection with an earlier response, unless that response said
 * `Connection: close`. A request on a new connection is accepted if any of it was done or responded to: until the service
 * accepts a connection, only the kernel has it, and resets it when the service stops listening. Nothing of such a request
 * may be done. Every accepted request gets its full, normal response.
 */
export const sigterm: Row = {
  name: 'sigterm',
  what: 'SIGTERM at 200 req/s',
  required: 'no accepted request cut or failed; exit 0 within 15 s',
  unit: 'stops',
  full: 40,
  small: 1,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const env = { DATABASE_URL: postgres.url };
    let program = await startProgram({ env });
    const sum = { answered: 0, refused: 0, reset: 0, slowest: 0 };
    try {
      await trials.each(async ({ index, random }) => {
        const key = await postgres.issueKey(`stop ${index} ${random.word(8)}`);
        const fleet = openFleet(program.url, key, CONNECTIONS);
        const traffic = openTraffic(fleet, random);
        const pace = startPace(PER_SECOND, traffic.send);
        await sleep(400 + random.below(400));
        const since = performance.now();
        const code = await program.stop('SIGTERM');
        const took = performance.now() - since;
        const { output } = program;
        await pace.stop();
        fleet.close();

        program = await startProgram({ env });
        const reader = openFleet(program.url, key, 1);
        await traffic.check(reader);
        const stored = new Set((await allWebsites(reader)).map(({ url }) => url));
        reader.close();
        if (code !== 0) throw new Error(`It ended with ${code}:\n${output().slice(-2_000)}`);
        if (took > ENDS_WITHIN_MS) throw new Error(`It ended after ${Math.round(took)} ms.`);
        const [cut] = fleet.cut;
        if (cut !== undefined) throw new Error(`${fleet.cut.length} accepted requests were cut, the first: ${cut}`);
        const done = fleet.reset.find((url) => stored.has(url));
        if (done !== undefined) throw new Error(`The create of ${done} was done, and its connection reset.`);
        const failed = traffic.seen.find((each) => each.status !== undefined && !isGood(each));
        if (failed !== undefined) throw new Error(`A ${failed.kind} had ${failed.status}: ${failed.text}`);
        sum.answered += traffic.seen.filter(isGood).length;
        sum.refused += fleet.refused();
        sum.reset += fleet.reset.length;
        sum.slowest = Math.max(sum.slowest, took);
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    return (
      `${sum.answered.toLocaleString('en')} requests accepted, all 2xx; ${sum.refused.toLocaleString('en')} refused ` +
      `(${sum.reset} of them connected, but not yet accepted); stopped after at most ${(sum.slowest / 1_000).toFixed(1)} s`
    );
  },
};
