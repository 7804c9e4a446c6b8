import { gzipSync } from 'node:zlib';
import { type BenchDatabase, createDatabase, withClient } from '../database.ts';
import { type Measured, measureLoad } from '../load/measure.ts';
import { spreadOf } from '../spread.ts';
import { type RunningVariant, startHitherto, startRival } from '../variants.ts';
import { type BesideResult, measureBeside } from './beside.ts';
import { type ExclusionsResult, MANY_EXCLUSIONS, measureExclusions } from './exclusions.ts';
import { createHits, hitRequest } from './hits.ts';
import type { StatisticsPlan } from './plan.ts';
import { CONNECTIONS, type Collecting, type CollectingSample, catchUp, measureRates } from './rates.ts';
import { UMAMI_SCHEMA } from './umami-schema.ts';
import { type AddedWebsites, addWebsites } from './websites.ts';

/** Collecting over HTTP. */
export interface CollectingResult {
  readonly samples: readonly CollectingSample[];
  /** At half of the median rate. */
  readonly half: { readonly perSecond: number } & Omit<Measured, 'failures' | 'perSecond'>;
  readonly exclusions: ExclusionsResult;
  readonly beside: readonly BesideResult[];
  /** Of the hits that Hitherto collected in the rounds: the table `hit` with its indexes, and all tables. */
  readonly bytesPerHit: { readonly hit: number; readonly all: number; readonly hits: number };
  /** Of the tracker, compressed by gzip -9. */
  readonly trackerBytes: number;
}

const HOSTS = Array.from({ length: 10 }, (_, n) => `site-${n}.example`);

export async function measureCollecting(database: BenchDatabase, plan: StatisticsPlan): Promise<CollectingResult> {
  if (database.pid === undefined) throw new Error('The database must run on this machine: its CPU time is measured.');
  const collectors = await startCollectors(database);
  const [hitherto] = collectors;
  if (hitherto === undefined) throw new Error('Hitherto is not among the collectors.');
  const { server, databaseUrl, added } = hitherto;
  try {
    const samples = await measureRates(collectors, database.pid, plan);
    const bytesPerHit = await bytesOf(databaseUrl);
    const trackerBytes = await trackerSize(server);
    const rate = spreadOf(samples.filter(isHitherto).map(({ hitsPerSecond }) => hitsPerSecond)).median;
    const half = await measureHalf(server, added, rate / 2, plan);
    const [many] = (await addWebsites(databaseUrl, ['many.example'], MANY_EXCLUSIONS)).websites;
    const [none] = added.websites;
    if (many === undefined || none === undefined) throw new Error('Websites are missing.');
    const exclusions = await measureExclusions(server, { with: many, without: none }, plan);
    await catchUp(databaseUrl);
    const beside = await measureBeside(server, added, plan);
    return { samples, half, exclusions, beside, bytesPerHit, trackerBytes };
  } finally {
    await Promise.all(collectors.map((collector) => collector.server.stop()));
  }
}

function isHitherto({ collector }: CollectingSample): boolean {
  return collector === 'hitherto';
}

/** Each collector has its own database on the same server. */
async function startCollectors({ url }: BenchDatabase): Promise<(Collecting & { readonly added: AddedWebsites })[]> {
  const [own, usual, umami] = await Promise.all([
    createDatabase(url, 'bench_hitherto'),
    createDatabase(url, 'bench_usual'),
    createDatabase(url, 'bench_umami'),
  ]);
  const added = await addWebsites(own, HOSTS);
  const addedUsual = await addWebsites(usual, HOSTS);
  await withClient(umami, async (client) => {
    for (const statement of UMAMI_SCHEMA) await client.query(statement);
    for (const { id, host } of added.websites) {
      await client.query('insert into umami.website (website_id, domain) values ($1, $2)', [id, host]);
    }
  });
  return [
    { name: 'hitherto', server: await startHitherto(own), databaseUrl: own, added, websites: added.websites },
    {
      name: 'usual',
      server: await startRival('collect-usual', usual),
      databaseUrl: usual,
      added: addedUsual,
      websites: addedUsual.websites,
    },
    {
      name: 'umami',
      server: await startRival('collect-umami', umami),
      databaseUrl: umami,
      added,
      websites: added.websites,
    },
    {
      name: 'nothing',
      server: await startRival('collect-nothing', own),
      databaseUrl: own,
      added,
      websites: added.websites,
    },
  ];
}

async function measureHalf(
  server: RunningVariant,
  { websites }: AddedWebsites,
  perSecond: number,
  plan: StatisticsPlan,
): Promise<CollectingResult['half']> {
  const hits = createHits(websites, 2);
  const load = { url: server.url, connections: CONNECTIONS, perSecond, next: () => hitRequest(hits()) };
  const { failures: _none, ...measured } = await measureLoad(load, plan.steadySeconds);
  plan.progress(`half of the highest rate, ${perSecond.toFixed()}/s: p99 ${measured.p99.toFixed(1)} ms`);
  return { ...measured, perSecond };
}

async function trackerSize({ url }: RunningVariant): Promise<number> {
  const script = await (await fetch(`${url}/script.js`)).text();
  return gzipSync(script, { level: 9 }).length;
}

/** Sizes as they are after a vacuum, which autovacuum does by and by. */
function bytesOf(databaseUrl: string): Promise<CollectingResult['bytesPerHit']> {
  return withClient(databaseUrl, async (client) => {
    await client.query('vacuum (analyze)');
    const { rows } = await client.query<{ hits: number; hit: number; all: number }>(
      `select (select count(*) from hit)::double precision as hits,
        (select sum(pg_total_relation_size(relid)) from pg_partition_tree('hit'))::double precision as hit,
        (select sum(pg_total_relation_size(oid)) from pg_class
          where relnamespace = 'public'::regnamespace and relkind = 'r')::double precision as "all"`,
    );
    const [sizes] = rows;
    if (sizes === undefined) throw new Error('The sizes are missing.');
    return { hit: sizes.hit / sizes.hits, all: sizes.all / sizes.hits, hits: sizes.hits };
  });
}
