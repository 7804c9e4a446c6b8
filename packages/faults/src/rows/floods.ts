import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start, stop } from '@hitherto/testing/processes';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { quantile, startPace } from '../support/pace.ts';
import { startProgram } from '../support/program.ts';
import { isGood, openTraffic, type Seen, type Traffic } from '../support/traffic.ts';

const FLOODER = fileURLToPath(new URL('../../dist/support/flooder.js', import.meta.url));
const LIMIT_PER_MINUTE = 600;
/** The load of all other accounts: too little to keep the service busy, even on two shared cores. */
const PER_SECOND = 50;
/** Enough accounts that none comes near its own limit. */
const OTHERS = 8;
/** A different address from the flood's, because an address that sends too many bad keys is limited on purpose. */
const OTHER_ADDRESS = '127.0.0.2';
const PHASE_MS = 6_000;
/** The time until the flood has reached its full rate. */
const RISE_MS = 3_000;
const TIMES_ALONE = 3;
/** Well-formed keys: each is looked up until the flood's address has failed too often; after that, none is. */
const BAD_KEYS = 40;

interface Flood {
  readonly name: string;
  readonly what: string;
  /** Requests per second, or `slow`. */
  readonly kind: string;
  /** Whether its keys are no longer valid; otherwise it has one valid key of its own account. */
  readonly hasBadKeys?: true;
}

/** Each round compares the other accounts' times without and with the flood, one after the other. */
function floodRow({ name, what, kind, hasBadKeys }: Flood): Row {
  return {
    name,
    what,
    required: 'other accounts: no errors; median p99 of five rounds ≤ 3 × alone',
    unit: 'rounds',
    full: 5,
    async run(trials) {
      // Durability is off: disk time is long and the same in both cases, so without it the limit is stricter.
      const postgres = await startOwnPostgres({ settings: { synchronous_commit: 'off' } });
      const env = { DATABASE_URL: postgres.url, RATE_LIMIT_PER_MINUTE: String(LIMIT_PER_MINUTE) };
      const program = await startProgram({ env });
      const alone: number[] = [];
      const flooded: number[] = [];
      let responses = 0;
      try {
        await trials.each(async ({ index, random }) => {
          const word = random.word(8);
          const keys: string[] = [];
          while (keys.length < (hasBadKeys ? BAD_KEYS : 1)) {
            keys.push(await postgres.issueKey(`flood ${keys.length} ${index} ${word}`));
          }
          if (hasBadKeys) await postgres.query("delete from account where name like 'flood %'");
          const clients = await Promise.all(
            Array.from({ length: OTHERS }, async (_, other) => {
              const key = await postgres.issueKey(`other ${other} ${index} ${random.word(8)}`);
              return openClient(program.url, key, Number.POSITIVE_INFINITY, OTHER_ADDRESS);
            }),
          );
          const traffics = clients.map((client) => openTraffic(client, random, false));
          const pace = startPace(PER_SECOND, (each) => traffics[each % OTHERS]?.send() ?? Promise.resolve());
          // First let connections open and prepare their statements.
          await sleep(1_000);
          alone.push(await measure(traffics));
          const { port } = new URL(program.url);
          const flooder = start(process.execPath, [FLOODER, kind, port, ...keys], { stdio: 'inherit' });
          try {
            await sleep(RISE_MS);
            flooded.push(await measure(traffics));
            if (flooder.exitCode !== null) throw new Error('The flooder ended by itself.');
          } finally {
            await stop(flooder);
          }
          await pace.stop();
          const seen = traffics.flatMap((traffic) => [...traffic.seen]);
          const failed = seen.find((each) => !isGood(each));
          if (failed !== undefined) {
            throw new Error(`Another account's ${failed.kind} had ${failed.status ?? 'no response'}: ${failed.text}`);
          }
          for (const client of clients) client.close();
          responses += seen.length;
          trials.progress(`p99 alone ${alone.at(-1)?.toFixed(1)} ms, flooded ${flooded.at(-1)?.toFixed(1)} ms`);
        });
      } finally {
        await program.stop();
        await postgres.close();
      }
      const times = quantile(flooded, 0.5) / quantile(alone, 0.5);
      const found = `median p99 ${quantile(alone, 0.5).toFixed(1)} ms alone, ${quantile(flooded, 0.5).toFixed(1)} ms flooded (${times.toFixed(1)} ×)`;
      if (times > TIMES_ALONE) throw new Error(`The other accounts wait too long: ${found}.`);
      return `${found}; ${responses.toLocaleString('en')} requests of other accounts, all 2xx`;
    },
  };
}

/** The p99 of the requests from now on, in milliseconds. */
async function measure(traffics: readonly Traffic[]): Promise<number> {
  const from = performance.now();
  await sleep(PHASE_MS);
  const isOfPhase = ({ sentAt }: Seen) => sentAt >= from && sentAt < from + PHASE_MS;
  const times = traffics.flatMap(({ seen }) => seen.filter(isOfPhase).map((each) => each.endedAt - each.sentAt));
  return quantile(times, 0.99);
}

export const floodAccount = floodRow({
  name: 'flood-account',
  what: 'one account at 20 × its limit',
  kind: String((20 * LIMIT_PER_MINUTE) / 60),
});

export const floodKeys = floodRow({
  name: 'flood-keys',
  what: 'invalid keys at 2,000/s',
  kind: '2000',
  hasBadKeys: true,
});

export const floodSlow = floodRow({
  name: 'flood-slow',
  what: 'slow headers, bodies and reads on 1,000 connections',
  kind: 'slow',
});
