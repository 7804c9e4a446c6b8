import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseServer, skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import type { RowOptions, Trial } from '../row.ts';
import {
  expectUnavailable,
  hitsIn,
  missingClickHouse,
  pageviewsOf,
  storedHits,
  untilRead,
} from '../support/engine-hits.ts';
import { BROWSER, type HitSenders } from '../support/hit-senders.ts';
import { type HitService, startHitService } from '../support/service.ts';
import { missingForSmallDisk, mountSmallDisk } from '../support/small-disk.ts';
import { type HitWorld, hitRow, someHits } from './hits.ts';

const HITS = 200;
const CATCHES_UP_WITHIN_MS = 30_000;

interface EngineWorld extends HitWorld {
  readonly engine: ClickHouseServer;
}

async function start(parent?: string): Promise<EngineWorld> {
  const engine = await startClickHouse(parent === undefined ? {} : { parent });
  const service = await startHitService({ CLICKHOUSE_URL: engine.url });
  const stored = (prefix: string) => storedHits(service, engine, prefix);
  return { service, engine, stored, close: () => service.close().then(engine.close) };
}

/** The processes that trials kill, in turn. */
const VICTIMS = ['the engine', 'the program', 'both'] as const;
const TESTED: RowOptions = { small: 3, ...(skipsClickHouse ? {} : { isTested: true }), missing: missingClickHouse };

const killEngine = hitRow('kill-engine', 100, 'kills', {
  ...TESTED,
  start,
  async strike({ service, engine }, senders, trial) {
    const { index, random } = trial;
    const victim = VICTIMS[index % VICTIMS.length];
    await someHits(senders, trial);
    // Reads hand hits over in between.
    const read = pageviewsOf(service).catch(() => 0);
    await sleep(random.below(300));
    const { process: program, ended } = service.program;
    if (victim !== 'the engine') program.kill('SIGKILL');
    if (victim !== 'the program') await engine.kill();
    await sleep(random.below(500));
    if (victim !== 'the program') await engine.restart();
    if (victim !== 'the engine') await ended.then(service.restart);
    await read;
  },
});

/** Something that takes the engine away and brings it back. */
interface Absence<World extends EngineWorld> {
  begin(world: World, trial: Trial): unknown;
  end(world: World): unknown;
}

/** While the engine is away, every hit is 202 and statistics are 503; afterwards every hit is in the numbers, without any help. */
function surviving<World extends EngineWorld>({ begin, end }: Absence<World>) {
  return async (world: World, senders: HitSenders, trial: Trial): Promise<void> => {
    const { service } = world;
    await someHits(senders, trial);
    await pageviewsOf(service);
    await begin(world, trial);
    await senders.reach(senders.acknowledged() + HITS);
    await expectUnavailable(service);
    await end(world);
    const { ms } = await untilRead(service, trial.patience * 10 * CATCHES_UP_WITHIN_MS);
    trial.took('statistics again', ms);
    if (senders.unavailable() > 0) throw new Error(`${senders.unavailable()} hits were 503.`);
  };
}

const OPTIONS = { missing: missingClickHouse };

const engineFrozen = hitRow('engine-frozen', 10, 'freezes', {
  ...OPTIONS,
  async start() {
    const world = await start();
    // It ends only once it is awake.
    return { ...world, close: async () => process.kill(world.engine.pid, 'SIGCONT') && world.close() };
  },
  strike: surviving<EngineWorld>({
    begin: ({ engine }) => process.kill(engine.pid, 'SIGSTOP'),
    end: ({ engine }) => process.kill(engine.pid, 'SIGCONT'),
  }),
});

const MEGABYTES = 300;

const engineFull = hitRow('engine-full', 10, 'times', {
  missing: () => missingClickHouse() ?? missingForSmallDisk(),
  async start() {
    const disk = mountSmallDisk(MEGABYTES);
    const world = await start(disk.folder);
    return { ...world, disk, close: () => world.close().then(disk.close) };
  },
  strike: surviving<EngineWorld & { readonly disk: ReturnType<typeof mountSmallDisk> }>({
    begin: ({ disk }) => disk.fill(),
    end: ({ disk }) => disk.makeRoom(),
  }),
});

/** The hits of an hour at 100 a second. */
const HITS_OF_AN_HOUR = 360_000;
const FEW_HITS = 5_000;
const BATCH = 500;

const engineOutage = hitRow('engine-outage', 3, 'outages', {
  ...OPTIONS,
  start,
  async strike(world: EngineWorld, senders, trial) {
    const { engine, service } = world;
    const hits = trial.isFull ? HITS_OF_AN_HOUR : FEW_HITS;
    const prefix = `/${trial.random.word(12)}-`;
    const begin = () => engine.kill().then(() => sendBatches(service, hits, prefix));
    await surviving<EngineWorld>({ begin, end: engine.restart })(world, senders, trial);
    const pages = (await hitsIn(engine)).filter(({ page }) => page.startsWith(prefix));
    const wrong = pages.find((page) => page.hits !== hits / BATCH);
    if (pages.length !== BATCH || wrong) throw new Error(`${pages.length} pages are stored; ${JSON.stringify(wrong)}`);
    trial.add({ 'hits in batches': hits });
  },
});

/** Sends hits in batches, each under a key of its own and with a hit of each page; every one is 202. */
async function sendBatches(service: HitService, hits: number, prefix: string): Promise<void> {
  const client = await service.openClient(service.key);
  const { website } = service;
  const batch = Array.from({ length: BATCH }, (_, n) => {
    return { website, url: `https://example.com${prefix}${n}`, visitor: `v${n}`, user_agent: BROWSER };
  });
  for (let sent = 0; sent < hits; sent += BATCH) {
    const headers = { 'idempotency-key': `${prefix}${sent}` };
    await client.request('POST', '/api/v1/hits', { json: { hits: batch }, headers, expects: 202 });
  }
  client.close();
}

export const engine = [killEngine, engineFrozen, engineFull, engineOutage];
