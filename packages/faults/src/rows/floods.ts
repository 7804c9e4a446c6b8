import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start, stop } from '@hitherto/testing/processes';
import { row, type Setting } from '../row.ts';
import { openClient } from '../support/client.ts';
import { BROWSER } from '../support/hit-senders.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { quantile, startPace } from '../support/pace.ts';
import { createWebsite, type OwnService, startHitService, startService } from '../support/service.ts';
import { isGood, openTraffic } from '../support/traffic.ts';

const FLOODER = fileURLToPath(new URL('../support/flooder.ts', import.meta.url));
const LIMIT_PER_MINUTE = 600;
/** The load of all others: too little to keep the service busy, even on two shared cores. */
const PER_SECOND = 50;
const TIMES_ALONE = 3;

interface Flood {
  readonly kind: string;
  readonly perSecond: number;
  /** Of the requests: keys, or the id of a website. */
  readonly given: readonly string[];
}

/**
 * Measures the others for some time, alone and then while the flood has reached its full rate.
 *
 * @param others sends one of their requests, and returns its time in milliseconds
 * @returns their p99 in milliseconds, alone and flooded
 */
async function compare(
  { program }: OwnService,
  phaseMs: number,
  { kind, perSecond, given }: Flood,
  others: (index: number) => Promise<number>,
): Promise<Round> {
  const sent: { readonly at: number; readonly ms: number }[] = [];
  const pace = startPace(PER_SECOND, async (index) => {
    const at = performance.now();
    sent.push({ at, ms: await others(index) });
  });
  const measure = async () => {
    const from = performance.now();
    await sleep(phaseMs);
    const times = sent.flatMap(({ at, ms }) => (at >= from ? [ms] : []));
    return quantile(times, 0.99);
  };
  const alone = await measure();
  const args = [...process.execArgv, FLOODER, kind, new URL(program.url).port, String(perSecond), ...given];
  const flooder = start(process.execPath, args, { stdio: 'inherit' });
  try {
    await sleep(phaseMs / 2);
    const flooded = await measure();
    if (flooder.exitCode !== null) throw new Error('The flooder ended by itself.');
    await pace.stop();
    return { alone, flooded };
  } finally {
    await stop(flooder);
  }
}

interface Round {
  readonly alone: number;
  readonly flooded: number;
}

/** Notes the times of several rounds; throws if the others wait too long, by the medians. */
function judge({ isFull, took }: Setting, rounds: readonly Round[], kind = ''): void {
  const median = (part: keyof Round) => {
    const times = rounds.map((round) => round[part]);
    for (const ms of times) took(`p99 ${part}${kind}`, ms);
    return quantile(times, 0.5);
  };
  const [alone, flooded] = [median('alone'), median('flooded')];
  if (isFull && flooded > TIMES_ALONE * alone) {
    throw new Error(`The others wait too long: p99 ${alone} ms alone, ${flooded} ms flooded.`);
  }
}

/** Enough accounts that none comes near its own limit. */
const OTHERS = 8;
/** A different address from the flood's, because an address that sends too many bad keys is limited on purpose. */
const OTHER_ADDRESS = '127.0.0.2';

/**
 * A flood of the API. Each round compares the times of other accounts without and with it.
 *
 * @param badKeys of the flood, which are no longer valid; without any it has one valid key of its own account
 */
function floodRow(name: string, kind: string, perSecond: number, badKeys = 0) {
  return row(name, 5, 'rounds', {}, async (trials) => {
    // Durability is off: disk time is long and the same in both cases, so without it the limit is stricter.
    const env = { RATE_LIMIT_PER_MINUTE: String(LIMIT_PER_MINUTE) };
    const service = await trials.open(startService(env, { settings: { synchronous_commit: 'off' } }));
    const { postgres, program } = service;
    const rounds: Round[] = [];
    await trials.each(async ({ index, random, open, add }) => {
      const given: string[] = [];
      while (given.length < Math.max(1, badKeys)) {
        given.push(await postgres.issueKey(`flood ${given.length} ${index} ${random.word(8)}`));
      }
      if (badKeys > 0) await postgres.query("delete from account where name like 'flood %'");
      const traffics = await Promise.all(
        Array.from({ length: OTHERS }, async () => {
          const key = await postgres.issueKey();
          const client = await open(openClient(program.url, key, Number.POSITIVE_INFINITY, OTHER_ADDRESS));
          return openTraffic(client, random, { passwords: 0 });
        }),
      );
      const send = async (each: number) => {
        const since = performance.now();
        await traffics[each % OTHERS]?.send();
        return performance.now() - since;
      };
      // First let connections open and prepare their statements.
      for (let each = 0; each < PER_SECOND; each += 1) await send(each);
      rounds.push(await compare(service, 6_000, { kind, perSecond, given }, send));
      const seen = traffics.flatMap((traffic) => traffic.seen);
      const failed = seen.find((each) => !isGood(each));
      if (failed !== undefined) {
        throw new Error(`Another account's ${failed.kind} had ${failed.status ?? 'no response'}: ${failed.text}`);
      }
      add({ 'responses of others 2xx': seen.length });
    });
    judge(trials, rounds);
  });
}

/** One account at 20 times its limit. */
const floodAccount = floodRow('flood-account', 'lists', (20 * LIMIT_PER_MINUTE) / 60);
/** Well-formed keys that are no longer valid: each is looked up until the flood's address has failed too often; after that, none is. */
const floodKeys = floodRow('flood-keys', 'lists', 2_000, 40);
/** Slow headers, bodies and reads on 1,000 connections. */
const floodSlow = floodRow('flood-slow', 'slow', 0);

/** Floods a website that is not the one whose hits are measured. At most a third of the rate that the service sustains on two cores. */
const HIT_FLOODS = [
  ['one-address', 500],
  ['many-addresses', 500],
  ['unknown-ids', 500],
  ['huge-values', 200],
] as const;
const ROUNDS = 5;
/** The space of a flooding hit on disk: the longest page and properties, without their visit and the write-ahead log. */
const MOST_BYTES = 16 * 1024;
/** The growth that is allowed without stored rows: free space of pages, statistics of tables. */
const SLACK_BYTES = 2 * 1024 * 1024;

const floodHits = row('flood-hits', HIT_FLOODS.length, 'floods', {}, async (trials) => {
  const service = await trials.open(startHitService({ RATE_LIMIT_PER_MINUTE: String(LIMIT_PER_MINUTE) }));
  const { postgres, website } = service;
  const flooded = await createWebsite(service, await postgres.issueKey());
  const client = await trials.open(service.openClient(null, Number.POSITIVE_INFINITY));
  let sent = 0;
  const send = async () => {
    sent += 1;
    const address = `198.51.100.${sent % 250}`;
    const headers = { 'content-type': 'text/plain', 'user-agent': BROWSER, 'x-forwarded-for': address };
    const body = JSON.stringify({ website, url: `https://example.com/${sent % 100}` });
    const { status, text, ms } = await client.request('POST', '/hits', { body, headers });
    if (status !== 202) throw new Error(`A hit of the other website gets ${status} ${text}`);
    return ms;
  };
  await trials.each(async (trial) => {
    const { index, isFull, add } = trial;
    const [kind, perSecond] = HIT_FLOODS[index % HIT_FLOODS.length] ?? HIT_FLOODS[0];
    const before = await usage(postgres);
    const rounds: Round[] = [];
    while (rounds.length < (isFull ? ROUNDS : 1)) {
      rounds.push(await compare(service, 4_000, { kind, perSecond, given: [flooded] }, send));
    }
    const after = await usage(postgres);
    const [hits, bytes] = [after.hits - before.hits, after.bytes - before.bytes];
    judge(trial, rounds, `, ${kind}`);
    add({ [`hits of ${kind}`]: hits, [`MB of ${kind}`]: bytes / 1e6 });
    if (bytes > SLACK_BYTES + hits * MOST_BYTES)
      throw new Error(`The disk fills too fast: ${bytes} bytes for ${hits} hits.`);
    service.expectAlive();
  });
});

/** The stored hits of all websites, and the size of the database. */
async function usage({ query }: Pick<OwnPostgres, 'query'>): Promise<{ hits: number; bytes: number }> {
  const [row] = await query<{ hits: number; bytes: number }>(
    `select (select coalesce(sum(hits), 0) from (select hits from website_day union all select hits from added_hits) stored)::double precision as hits,
       pg_database_size(current_database())::double precision as bytes`,
  );
  return row ?? { hits: 0, bytes: 0 };
}

export const floods = [floodAccount, floodKeys, floodSlow, floodHits];
