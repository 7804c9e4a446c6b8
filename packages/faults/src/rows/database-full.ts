import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@hitherto/testing/random';
import { row } from '../row.ts';
import type { Client } from '../support/client.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { startService } from '../support/service.ts';
import { missingForSmallDisk, mountSmallDisk } from '../support/small-disk.ts';
import { expectResponses, isGood, startTraffic } from '../support/traffic.ts';
import { until } from '../support/until.ts';

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
export const databaseFull = row('database-full', 5, 'times', { missing: missingForSmallDisk }, async (trials) => {
  const disk = await trials.open(mountSmallDisk(MEGABYTES));
  // Keeps the server from freeing or taking space in the background.
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', min_wal_size: '32MB', max_wal_size: '64MB' };
  const service = await trials.open(startService({}, { dataDir: disk.folder, settings }));
  const { query } = service.postgres;
  await trials.each(async (trial) => {
    const { index, random, open } = trial;
    const client = await open(service.openClient(undefined, Number.POSITIVE_INFINITY));
    const traffic = await open(startTraffic(client, random, 20));
    await sleep(500);
    disk.fill();
    const from = performance.now();
    const rejected = await createUntilFull(client, random);
    await sleep(FULL_MS);
    const to = performance.now();
    const reads = traffic.seen.filter((each) => each.kind === 'read' && each.sentAt > from && each.endedAt < to);
    const failed = reads.find((each) => !isGood(each));
    if (failed !== undefined)
      throw new Error(`A read had ${failed.status} while tables could not grow: ${failed.text}`);
    const isCrash = index % 2 === 1;
    if (isCrash) {
      await fillLog(service.postgres);
      await sleep(FULL_MS);
    }
    disk.makeRoom();
    const isWritten = () => createLarge(client, random);
    trial.took('recovery', await until('no create succeeded.', trial.patience * HEALS_WITHIN_MS, isWritten));
    await sleep(500);
    await traffic.stop();
    expectResponses(traffic.seen, 7_000);
    await traffic.check(client);
    trial.add({ 'reads 200': reads.length, 'creates 503': rejected, 'crashes of the server': isCrash ? 1 : 0 });
    // Space for the next trial: delete the filler.
    await query('delete from website');
    await query('vacuum full website');
    await query('checkpoint');
  });
});

/** Creates a website of some 15 kB that does not compress; returns whether that succeeded. */
async function createLarge(client: Client, random: Random): Promise<boolean> {
  const names = Array.from({ length: 400 }, () => random.word(40));
  const form = { url: `https://large-${random.word(16)}.example`, exclude_params: names.join('\n') };
  const { status, text } = await client.request('POST', '/api/v1/websites', { form });
  if (status !== 201 && status !== 503) throw new Error(`A create had ${status}: ${text}`);
  return status === 201;
}

/** Creates websites until a table cannot grow; returns how many creates were rejected. */
async function createUntilFull(client: Client, random: Random): Promise<number> {
  let rejected = 0;
  for (let n = 0; rejected < 5; n += 1) {
    if (!(await createLarge(client, random))) rejected += 1;
    if (n > 2_000) throw new Error('The disk did not become full.');
  }
  return rejected;
}

/** Makes the server extend its log until it stops for lack of space. */
async function fillLog({ query }: OwnPostgres): Promise<void> {
  for (let n = 0; n < 30; n += 1) {
    try {
      await query("select pg_logical_emit_message(false, 'fill', repeat('x', 1000000))");
      await query('select pg_switch_wal()');
    } catch {
      return;
    }
  }
  throw new Error('The log did not become full.');
}
