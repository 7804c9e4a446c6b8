import { type ClickHouseServer, startClickHouse } from '@hitherto/testing/clickhouse';
import { row, type Trial, type Trials } from '../row.ts';
import { openClient } from '../support/client.ts';
import { missingClickHouse, pageviewsOf, storedHits, untilRead } from '../support/engine-hits.ts';
import { sendBatches } from '../support/hit-batches.ts';
import { startHitSenders } from '../support/hit-senders.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { type HitService, startHitService } from '../support/service.ts';
import { missingForSmallDisk, mountSmallDisk } from '../support/small-disk.ts';

const HITS = 200;
const CATCHES_UP_WITHIN_MS = 30_000;
/** A read of a silent server ends by its timeout. */
const READ_ENDS_WITHIN_MS = 12_000;

const OPTIONS = { small: 1, missing: missingClickHouse };

interface Absence {
  begin(): unknown;
  end(): unknown;
}

/**
 * While the engine is away, every hit is 202, and a read is 503 with `Retry-After` of at most 3 s. Afterwards every hit is in the
 * numbers, once, without any help.
 */
async function surviveAbsences(trials: Trials, engine: ClickHouseServer, { begin, end }: Absence): Promise<string> {
  const service = await trials.open(startHitService({ CLICKHOUSE_URL: engine.url }));
  let [acknowledged, latest] = [0, 0];
  await trials.each(async ({ random, open }: Trial) => {
    const senders = await open(startHitSenders(service, random, (prefix) => storedHits(service, engine, prefix)));
    await senders.reach(random.below(HITS) + 1);
    await pageviewsOf(service);
    await begin();
    const before = senders.acknowledged();
    await senders.reach(before + HITS);
    await expectUnavailable(service);
    await end();
    const { ms } = await untilRead(service, trials.patience * CATCHES_UP_WITHIN_MS);
    await senders.close();
    await senders.check();
    if (senders.unavailable() > 0) throw new Error(`${senders.unavailable()} hits were 503.`);
    acknowledged += senders.acknowledged();
    latest = Math.max(latest, ms / 1_000);
  });
  return withNumbers`${acknowledged} hits, all 202 and counted once; statistics were 503, and read again at most ${latest} s later`;
}

async function expectUnavailable({ program, website, key }: HitService): Promise<void> {
  const client = openClient(() => program.url, key);
  const start = performance.now();
  const { status, headers } = await client.request('GET', `/api/v1/websites/${website}/statistics`);
  client.close();
  const wait = Number(headers['retry-after']);
  if (status !== 503 || !(wait <= 3)) throw new Error(`Statistics get ${status}, Retry-After ${wait}.`);
  if (performance.now() - start > READ_ENDS_WITHIN_MS) throw new Error('The read took too long.');
}

const engineFrozen = row('engine-frozen', 10, 'freezes', OPTIONS, async (trials) => {
  const engine = await trials.open(startClickHouse());
  const signal = (name: NodeJS.Signals) => void process.kill(engine.pid, name);
  await trials.open({ close: () => signal('SIGCONT') });
  return surviveAbsences(trials, engine, { begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') });
});

const MEGABYTES = 300;

const missingForFull = () => missingClickHouse() ?? missingForSmallDisk();

const engineFull = row('engine-full', 10, 'times', { missing: missingForFull }, async (trials) => {
  const disk = await trials.open(mountSmallDisk(MEGABYTES));
  const engine = await trials.open(startClickHouse({ parent: disk.folder }));
  return surviveAbsences(trials, engine, { begin: disk.fill, end: disk.makeRoom });
});

/** The hits of an hour at 100 a second. */
const HITS_OF_AN_HOUR = 360_000;
const FEW_HITS = 5_000;

/** Hits of an hour arrive while the engine is away, all of them in batches, and a page at a time from browsers. */
const engineOutage = row('engine-outage', 3, 'outages', OPTIONS, async (trials) => {
  const engine = await trials.open(startClickHouse());
  const service = await trials.open(startHitService({ CLICKHOUSE_URL: engine.url }));
  const waiting = trials.isFull ? HITS_OF_AN_HOUR : FEW_HITS;
  let [sent, latest] = [0, 0];
  await trials.each(async ({ random, open }) => {
    const before = await pageviewsOf(service);
    await engine.kill();
    const senders = await open(startHitSenders(service, random, (prefix) => storedHits(service, engine, prefix)));
    const pages = await sendBatches(service, random, waiting);
    await senders.reach(HITS);
    await expectUnavailable(service);
    await senders.close();
    if (senders.unavailable() > 0) throw new Error(`${senders.unavailable()} hits were 503.`);
    await engine.restart();
    const { ms } = await untilRead(service, trials.patience * CATCHES_UP_WITHIN_MS * 10);
    await senders.check();
    const stored = new Map((await storedHits(service, engine, pages.prefix)).map(({ page, hits }) => [page, hits]));
    for (const [page, hits] of pages.sent) {
      if (stored.get(page) !== hits)
        throw new Error(`${page} was sent ${hits} times, and is stored ${stored.get(page)} times.`);
    }
    const after = await pageviewsOf(service);
    if (after - before !== waiting + senders.acknowledged()) {
      throw new Error(
        `${waiting + senders.acknowledged()} hits were acknowledged, but pageviews grew by ${after - before}.`,
      );
    }
    sent += after - before;
    latest = Math.max(latest, ms / 1_000);
  });
  return withNumbers`${sent} hits, all 202 and counted once; statistics were 503, and read again at most ${latest} s later`;
});

export const engineOutages = [engineFrozen, engineFull, engineOutage];
