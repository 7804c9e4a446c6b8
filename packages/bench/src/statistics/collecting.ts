import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { WebsiteInput } from '@hitherto/domain/websites';
import { rowsOf } from '@hitherto/testing/databases';
import { createDatabase, numberIn, withClient } from '../database.ts';
import { atLeast, atMost, medianOf } from '../figures.ts';
import { addServer, measureLoad, measureServer, startLoad } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import { requestOf } from '../load/request.ts';
import { inTurns, type Run } from '../run.ts';
import { type RunningServer, startBare, startHitherto } from '../servers.ts';
import { hitRequests, measuredHitRequests, REQUESTS_OF_MEASURED } from './hits.ts';
import { type AddedWebsites, addWebsite, addWebsites, tenHosts } from './websites.ts';

const CONNECTIONS = 64;
const HOSTS = tenHosts('site');

/** A server that collects hits, with its own database. */
interface Collector {
  readonly name: 'hitherto' | 'nothing';
  readonly server: RunningServer;
  readonly databaseUrl: string;
  readonly added: AddedWebsites;
}

/** Measures collecting over HTTP. */
export async function measureCollecting(run: Run): Promise<void> {
  const start = async (name: Collector['name'], open: (url: string) => Promise<RunningServer>): Promise<Collector> => {
    const databaseUrl = await createDatabase(run.database.url, `bench_${name}`);
    const added = await addWebsites(databaseUrl, HOSTS);
    return { name, server: await run.open(open(databaseUrl)), databaseUrl, added };
  };
  const own = await start('hitherto', (url) => startHitherto({ DATABASE_URL: url }));
  const rate = await measureRates(run, [own, await start('nothing', startBare)]);
  await measureDisk(run, own);
  const load = { url: own.server.url, connections: CONNECTIONS, next: hitRequests(own.added.websites, 2) };
  const half = await measureLoad({ ...load, perSecond: rate / 2 }, run.isFull ? 30 : 3);
  run.figures.times('a hit at half of the highest rate', half.times, {
    50: atMost(5, 3),
    99: atMost(40, 20),
    100: undefined,
  });
  await compareExclusions(run, own);
  await compareEngagement(run, own);
  await catchUp(own.databaseUrl);
  await measureDuringHits(run, own);
}

/**
 * How many hits a second Hitherto stores, and how many a server acknowledges that stores nothing.
 * Checks that Hitherto has stored as many as it acknowledged, and returns its rate.
 */
async function measureRates(run: Run, collectors: readonly [Collector, Collector]): Promise<number> {
  const { figures } = run;
  const [{ databaseUrl }] = collectors;
  let acknowledged = 0;
  const catchUps: number[] = [];
  const sides = collectors.map(({ name, server, added }) => ({
    name,
    async measure(seconds: number) {
      const load = { url: server.url, connections: CONNECTIONS, next: hitRequests(added.websites) };
      if (name === 'nothing') return measureServer(server, run.database.pid, load, seconds);
      const after = async () => void catchUps.push(await catchUp(databaseUrl));
      const sample = await measureServer(server, run.database.pid, load, seconds, after);
      acknowledged += sample.times.length;
      return sample;
    },
  }));
  const of = await inTurns(run, sides);
  for (const { name } of collectors) addServer(figures, `hits: ${name}`, (pick) => of(name, pick));
  const stored = await numberIn(databaseUrl, STORED);
  if (stored !== acknowledged) throw new Error(`${acknowledged} hits were acknowledged, ${stored} are stored.`);
  const rates = (name: Collector['name']) => of(name, ({ perSecond }) => perSecond);
  const nodeCpu = (name: Collector['name']) => of(name, (sample) => sample.nodeCpu);
  const databaseCpu = of('hitherto', (sample) => sample.databaseCpu);
  figures.ratio('hits/s against a server that stores nothing', rates('hitherto'), rates('nothing'), atLeast(0.22, 0.4));
  figures.ratio('CPU of Node a hit, against it', nodeCpu('hitherto'), nodeCpu('nothing'), atMost(3.6, 2.4));
  figures.ratio('CPU of the database a hit, against Node of it', databaseCpu, nodeCpu('nothing'), atMost(2.5, 1.6));
  const cpu = of('hitherto', (sample) => sample.cpu);
  figures.add('CPU of a hit, both processes', 'µs', cpu);
  const memory = of('hitherto', ({ peakMemory }) => peakMemory);
  figures.add('memory at the highest rate, the peak', 'MB', [Math.max(...memory)], atMost(220, 150));
  figures.add('until hits are handed over, after a round', 's', catchUps);
  return medianOf(rates('hitherto'));
}

/** How many hits the days of all websites have. */
const STORED = `select coalesce(sum(hits), 0) as value
  from (select hits from website_day union all select hits from added_hits) stored`;
/** So many hits are left in the journal for a while. */
const FEW = 5_000;

/**
 * Waits until the hits of all batches are handed over, but for a few; returns the seconds that took. Looks less often the longer it takes,
 * on one connection: each look reads what deleted rows have left, and its CPU would be counted as that of the hits.
 */
export function catchUp(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const start = performance.now();
    const elapsed = () => performance.now() - start;
    while ((await client.query('select from added_hits having sum(hits) >= $1', [FEW])).rowCount !== 0) {
      await sleep(Math.max(50, elapsed() / 4));
    }
    return elapsed() / 1_000;
  });
}

/** Sizes as they are after a vacuum, which autovacuum does in time, and of the tracker. */
async function measureDisk({ figures }: Run, { databaseUrl, server }: Collector): Promise<void> {
  await rowsOf(databaseUrl, 'vacuum (analyze)');
  const hits = await numberIn(databaseUrl, STORED);
  const perHit = async (size: string) => [(await numberIn(databaseUrl, `select ${size} as value`)) / hits];
  const ofHit = "pg_total_relation_size('journal_batch') + pg_total_relation_size('book')";
  const ofAll = `(select sum(pg_total_relation_size(oid)) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r')`;
  figures.add('disk per hit, index included', 'bytes', await perHit(ofHit), atMost(200, 140));
  figures.add('disk per hit, with all else', 'bytes', await perHit(ofAll));
  const script = await readFrom(server, '/script.js');
  figures.add('tracker, gzip -9', 'bytes', [gzipSync(script, { level: 9 }).length], atMost(1_400, 900));
}

const ENTRIES = 1_000;
/** Parameters and networks that no hit has; a tenth of the networks are IPv6, and they have several lengths. */
const MANY_EXCLUSIONS: WebsiteInput = {
  excludedParams: Array.from({ length: ENTRIES }, (_, n) => (n % 10 === 0 ? `prefix-${n}*` : `parameter-${n}`)),
  excludedIps: Array.from({ length: ENTRIES }, (_, n) => {
    if (n % 10 === 0) return `2001:db8:${n.toString(16)}::/48`;
    const address = `223.${n % 250}.${Math.floor(n / 250)}`;
    return n % 3 === 0 ? `${address}.0/24` : `${address}.7`;
  }),
};

/** Compares a website with many exclusions with one that has none. */
async function compareExclusions(run: Run, { server, databaseUrl }: Collector): Promise<void> {
  const side = async (name: string, fields?: WebsiteInput) => {
    const next = hitRequests([await addWebsite(databaseUrl, `${name}.example`, fields)], 3);
    const load = { url: server.url, connections: CONNECTIONS, next };
    return { name, measure: (seconds: number) => measureLoad(load, seconds) };
  };
  const of = await inTurns(run, [await side('none'), await side('many', MANY_EXCLUSIONS)]);
  const rates = (name: string) => of(name, ({ perSecond }) => perSecond);
  run.figures.add('hits/s with 1,000 excluded parameters and addresses each', 'per second', rates('many'));
  run.figures.ratio('the same, against none', rates('many'), rates('none'), atLeast(0.85, 0.95));
}

/** Compares a website that measures engagement, with two messages for each pageview, with one that does not. */
async function compareEngagement(run: Run, { server, databaseUrl }: Collector): Promise<void> {
  const off = hitRequests([await addWebsite(databaseUrl, 'unmeasured.example')], 4);
  const on = measuredHitRequests([await addWebsite(databaseUrl, 'measured.example', { engagement: true })], 4);
  const side = (name: string, next: () => string) => ({
    name,
    measure: (seconds: number) => measureLoad({ url: server.url, connections: CONNECTIONS, next }, seconds),
  });
  const of = await inTurns(run, [side('off', off), side('on', on)]);
  const pageviews = of('on', ({ perSecond }) => perSecond / REQUESTS_OF_MEASURED);
  const unmeasured = of('off', ({ perSecond }) => perSecond);
  run.figures.add('measured pageviews, with two messages each', 'per second', pageviews);
  run.figures.add('pageviews without engagement', 'per second', unmeasured);
  run.figures.ratio('pageviews/s with engagement, against without', pageviews, unmeasured, atLeast(0.7));
}

const HITS_PER_SECOND = 2_000;
const API_PER_SECOND = 100;
const SETTLE_MS = 500;

/** Measures show and list at a steady rate, each alone and while hits are collected. */
async function measureDuringHits(run: Run, { server: { url }, added: { key, websites } }: Collector): Promise<void> {
  const paths = { show: `/api/v1/websites/${websites[0].id}`, list: '/api/v1/websites?per_page=25' };
  const hits = { url, connections: CONNECTIONS, perSecond: HITS_PER_SECOND, next: hitRequests(websites, 5) };
  const sides = Object.entries(paths).flatMap(([name, path]) => {
    const next = () => requestOf('GET', path, { authorization: `Bearer ${key}` });
    const load = { url, connections: 8, perSecond: API_PER_SECOND, next };
    const alone = (seconds: number) => measureLoad(load, seconds);
    const duringHits = async (seconds: number) => {
      const collecting = startLoad(hits);
      await sleep(SETTLE_MS);
      const measured = await alone(seconds);
      await collecting.end();
      return measured;
    };
    return [
      { name: `${name} alone`, measure: alone },
      { name: `${name} during hits`, measure: duringHits },
    ];
  });
  const of = await inTurns(run, sides);
  const p99 = (name: string) => of(name, (sample) => sample.p99);
  for (const name of Object.keys(paths)) {
    const [alone, during] = [p99(`${name} alone`), p99(`${name} during hits`)];
    run.figures.add(`${name}, 100 a second alone: p99`, 'ms', alone);
    run.figures.add(`${name}, 100 a second during 2,000 hits/s: p99`, 'ms', during);
    run.figures.ratio(`${name} during 2,000 hits/s, p99 against alone`, during, alone, atMost(3, 1.5));
  }
}
