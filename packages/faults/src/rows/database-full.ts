import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@hitherto/testing/random';
import type { Row } from '../row.ts';
import { type Client, openClient } from '../support/client.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { startProgram } from '../support/program.ts';
import { missingForSmallDisk, mountSmallDisk } from '../support/small-disk.ts';
import { expectResponses, isGood, openTraffic } from '../support/traffic.ts';

const PER_SECOND = 20;
const MEGABYTES = 220;
const FULL_MS = 2_000;
/** A server that could not start is tried again at least every five seconds. */
const HEALS_WITHIN_MS = 10_000;

/**
 * The disk holds the data and the write-ahead log. At first only the tables cannot grow: reads are always 200, a create that
 * needs space is 503, and a write that fits into space the server already has still succeeds. In every other trial the log
 * cannot grow either: PostgreSQL then stops and does not start until there is space, so reads are 503 too. In the end
 * everything that was acknowledged is there.
 */
export const databaseFull: Row = {
  name: 'database-full',
  what: 'database full',
  required: 'reads 200, writes 503, recovers without help',
  unit: 'times',
  full: 5,
  missing: missingForSmallDisk,
  async run(trials) {
    const disk = mountSmallDisk(MEGABYTES);
    // Keeps the server from freeing or taking space in the background.
    const settings = { autovacuum: 'off', checkpoint_timeout: '1h', min_wal_size: '32MB', max_wal_size: '64MB' };
    let postgres: OwnPostgres | undefined;
    const sum = { reads: 0, refused: 0, healed: 0, crashes: 0 };
    try {
      postgres = await startOwnPostgres({ dataDir: disk.folder, settings });
      const program = await startProgram({ env: { DATABASE_URL: postgres.url } });
      try {
        const server = postgres;
        await trials.each(async ({ index, random }) => {
          const key = await server.issueKey(`full ${index} ${random.word(8)}`);
          const client = openClient(program.url, key, Number.POSITIVE_INFINITY);
          const traffic = openTraffic(client, random);
          const pace = startPace(PER_SECOND, traffic.send);
          await sleep(500);
          disk.fill();
          const from = performance.now();
          sum.refused += await createUntilFull(client, random);
          await sleep(FULL_MS);
          const to = performance.now();
          const during = traffic.seen.filter((each) => each.sentAt > from && each.endedAt < to);
          const failed = during.find((each) => each.kind === 'read' && !isGood(each));
          if (failed !== undefined)
            throw new Error(`A read had ${failed.status} while tables could not grow: ${failed.text}`);
          if (index % 2 === 1) {
            await fillLog(server);
            sum.crashes += 1;
            await sleep(FULL_MS);
          }
          disk.makeRoom();
          const roomAt = performance.now();
          const stored = await createUntilGood(client, random, roomAt + HEALS_WITHIN_MS);
          sum.healed = Math.max(sum.healed, stored - roomAt);
          await sleep(500);
          await pace.stop();
          expectResponses(traffic.seen, 7_000);
          await traffic.check(client);
          client.close();
          sum.reads += during.filter((each) => each.kind === 'read').length;
          // Space for the next trial: delete the filler.
          await server.query('delete from website where account_id in (select id from account where name like $1)', [
            'full %',
          ]);
          await server.query('vacuum full website');
          await server.query('checkpoint');
        });
      } finally {
        await program.stop();
      }
    } finally {
      await postgres?.close();
      disk.remove();
    }
    return (
      `${sum.reads} reads 200 and ${sum.refused} creates 503 while tables could not grow; in ${sum.crashes} trials the log could not grow either; ` +
      `recovered at most ${(sum.healed / 1_000).toFixed(1)} s after there was space`
    );
  },
};

/** A website of some 15 kB that does not compress. */
function large(random: Random): Record<string, string> {
  const names = Array.from({ length: 400 }, () => random.word(40));
  return { url: `https://large-${random.word(16)}.example`, exclude_params: names.join('\n') };
}

/** Creates websites until a table cannot grow; returns how many creates were refused. */
async function createUntilFull(client: Client, random: Random): Promise<number> {
  let refused = 0;
  for (let n = 0; refused < 5; n += 1) {
    const { status, text } = await client.request('POST', '/api/v1/websites', { form: large(random) });
    if (status !== 201 && status !== 503) throw new Error(`A create had ${status} while the disk was full: ${text}`);
    if (status === 503) refused += 1;
    if (n > 2_000) throw new Error('The disk did not become full.');
  }
  return refused;
}

/** Creates websites until one succeeds; returns the time of that. */
async function createUntilGood(client: Client, random: Random, deadline: number): Promise<number> {
  for (;;) {
    const { status, text } = await client.request('POST', '/api/v1/websites', { form: large(random) });
    if (status === 201) return performance.now();
    if (status !== 503) throw new Error(`A create had ${status} after there was space: ${text}`);
    if (performance.now() > deadline)
      throw new Error(`No create succeeded within ${HEALS_WITHIN_MS} ms of there being space.`);
    await sleep(50);
  }
}

/** Makes the server extend its log until it stops for lack of space. */
async function fillLog(postgres: OwnPostgres): Promise<void> {
  for (let n = 0; n < 30; n += 1) {
    try {
      await postgres.query("select pg_logical_emit_message(false, 'fill', repeat('x', 1000000))");
      await postgres.query('select pg_switch_wal()');
    } catch {
      return;
    }
  }
  throw new Error('The log did not become full.');
}
