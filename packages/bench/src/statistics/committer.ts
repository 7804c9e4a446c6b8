import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { openHitLookups } from '@hitherto/adapters/lookups';
import { openPostgres } from '@hitherto/adapters/postgres';
import { timeZone } from '@hitherto/domain/calendar';
import {
  type CountedHit,
  type CrawlerHits,
  collectHits,
  compileSettings,
  createVisitors,
  type DroppedHits,
  HIT_STRINGS,
  MAX_WAIT_MS,
} from '@hitherto/domain/hits';
import { from as copyFrom } from 'pg-copy-streams';
import { createDatabase, withClient } from '../database.ts';
import { atLeast } from '../figures.ts';
import { inTurns, type Run } from '../run.ts';
import { createHits, type HitWebsite } from './hits.ts';
import { addWebsite } from './websites.ts';

/** Senders that feed the committer: as many as the connections over HTTP, and many. */
const SENDERS = [64, 500];
const HITS = 20_000;

/**
 * Compares the committer, fed from memory without HTTP, with a loop of COPY that writes batches of the same size into the same
 * table on one connection. The committer also writes the batch's id, and marks the visitors whose visits have to be computed.
 */
export async function measureCommitter(run: Run): Promise<void> {
  for (const senders of SENDERS) {
    const databaseUrl = await createDatabase(run.database.url, `bench_committer_${senders}`);
    const hits = await countedHits(await addWebsite(databaseUrl, 'one.example'));
    let batch = senders;
    const committer = async (seconds: number) => {
      const committed = await commit(databaseUrl, hits, senders, seconds);
      batch = committed.batch;
      return committed.perSecond;
    };
    const of = await inTurns(run, [
      { name: 'committer', measure: committer },
      { name: 'COPY', measure: (seconds) => copy(databaseUrl, hits, batch, seconds) },
    ]);
    const [ours, bare] = ['committer', 'COPY'].map((name) => of(name, (perSecond) => perSecond));
    const about = `${senders} senders, batches of ${batch}`;
    run.figures.add(`committer, ${about}`, 'hits/s', ours ?? []);
    run.figures.add(`COPY, ${about}`, 'hits/s', bare ?? []);
    const target = senders === SENDERS[0] ? atLeast(0.6, 0.8) : undefined;
    run.figures.ratio(`the committer alone against a bare COPY loop, ${about}`, ours ?? [], bare ?? [], target);
  }
}

/** Hits as the collector has counted them. */
async function countedHits(website: HitWebsite): Promise<readonly CountedHit[]> {
  const lookups = await openHitLookups();
  const none = { timeZone: null, excludeBots: true, excludedParams: [], excludedIps: [] };
  const settings = compileSettings({ ...none, id: website.id, url: `https://${website.host}` }, timeZone('UTC'));
  const [salt, time, next] = [randomBytes(32), new Date(), createHits([website], 6)];
  const visitors = createVisitors({ saltOf: async () => salt, deleteBefore: async () => 0 }, randomBytes);
  const counted: CountedHit[] = [];
  const hits = {
    add: async (added: readonly CountedHit[]) => void counted.push(...added),
    drop: ({ reason }: DroppedHits) => {
      throw new Error(`A hit was dropped: ${reason}.`);
    },
  };
  const sent = Array.from({ length: HITS }, () => {
    const { url, referrer, address: ip, userAgent, language } = next();
    const hit = { url, ip, userAgent, language, time, sender: 'browser', ...(referrer && { referrer }) } as const;
    return { website: website.id, hit };
  });
  const patience = { deadline: performance.now() + MAX_WAIT_MS, untilCertain: true };
  const crawlers = {
    add: ({ operator }: CrawlerHits) => {
      throw new Error(`A hit is a bot's: ${operator}.`);
    },
  };
  await collectHits({ hits, crawlers, visitors, lookups }, () => settings, sent, patience);
  return counted;
}

/** Each sender adds its next hit when the last one is committed. */
async function commit(
  databaseUrl: string,
  hits: readonly CountedHit[],
  senders: number,
  seconds: number,
): Promise<{ perSecond: number; batch: number }> {
  let [stored, batches] = [0, 0];
  const onCommit = (count: number) => {
    stored += count;
    batches += 1;
  };
  const repositories = openPostgres({ connection: databaseUrl, log: () => {}, onCommit });
  try {
    const start = performance.now();
    const end = start + seconds * 1_000;
    await Promise.all(
      Array.from({ length: senders }, async (_, sender) => {
        for (let n = sender; performance.now() < end; n += senders) await repositories.hits.add([at(hits, n)]);
      }),
    );
    const perSecond = stored / ((performance.now() - start) / 1_000);
    return { perSecond, batch: Math.round(stored / batches) };
  } finally {
    await repositories.close();
  }
}

/** One COPY and its commit a batch, on one connection, and nothing else. */
async function copy(databaseUrl: string, hits: readonly CountedHit[], batch: number, seconds: number): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ number: string }>('select number from website limit 1');
    const number = rows[0]?.number ?? '';
    const start = performance.now();
    let stored = 0;
    for (; performance.now() < start + seconds * 1_000; stored += batch) {
      const lines = Array.from({ length: batch }, (_, n) => lineOf(at(hits, stored + n), number));
      await pipeline([lines.join('')], client.query(copyFrom(`copy hit (${COLUMNS}) from stdin`)));
    }
    return stored / ((performance.now() - start) / 1_000);
  });
}

const COLUMNS = ['website_number', 'visitor', 'time', 'day', ...Object.keys(HIT_STRINGS)].join(', ');

/** The hits of this benchmark have nothing to escape. */
function lineOf(hit: CountedHit, number: string): string {
  const fixed = [number, BigInt.asIntN(64, hit.visitor), hit.time.toISOString(), hit.day];
  const texts = Object.values(HIT_STRINGS).map((field) => hit[field] ?? '\\N');
  return `${[...fixed, ...texts].join('\t')}\n`;
}

function at(hits: readonly CountedHit[], n: number): CountedHit {
  const hit = hits[n % hits.length];
  if (hit === undefined) throw new Error('There are no hits.');
  return hit;
}
