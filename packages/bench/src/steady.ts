import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, cpuOf, cpuOfServer, memoryOf, shareOfMemory } from '@hitherto/testing/proc';
import { createDatabase, databaseBytes, numberIn } from './database.ts';
import { percentile } from './figures.ts';
import { followLog } from './imports/followed-log.ts';
import { isGood } from './load/measure.ts';
import { eachOf, requestOf } from './load/request.ts';
import { type Received, send } from './load/send.ts';
import type { Run } from './run.ts';
import { startHitherto } from './servers.ts';
import { hitRequests } from './statistics/hits.ts';
import { addToWebsite, addWebsite, addWebsites, tenHosts } from './statistics/websites.ts';

const INTERVAL_MS = 10_000;
/** How long the lines of the log may take to be stored after the last one is written. */
const READ_WITHIN_MS = 60_000;
const HITS_PER_SECOND = 500;
const PAGES_PER_SECOND = 1;
const LINES_PER_SECOND = 50;
const GOALS = [
  { name: 'Read the first', page: '/articles/0/*' },
  { name: 'Read any', page: '/articles/*' },
  { name: 'Signed up', event: 'Signup' },
];
const FUNNEL = { name: 'Reading', steps: [0, 1, 2].map((n) => ({ name: `${n}`, page: `/articles/${n}*` })) };
const HOSTS = tenHosts('steady');

/** By figure: its unit, and its value in each interval. */
type Series = Map<string, { readonly unit: string; readonly values: number[] }>;

/**
 * Sends hits, reads pages with goals and a funnel, and follows the log of another website, all at a steady rate. Rejects if a
 * hit that was acknowledged, or a line of the log, is not stored once.
 */
export async function measureSteady({ database, figures, open, progress }: Run, minutes: number): Promise<void> {
  const databaseUrl = await createDatabase(database.url, 'bench_steady');
  const { key, websites } = await addWebsites(databaseUrl, HOSTS);
  const logged = await addWebsite(databaseUrl, 'logged.example');
  const server = await open(startHitherto({ DATABASE_URL: databaseUrl }));
  for (const website of websites) {
    for (const goal of GOALS) await addToWebsite({ server, website, key }, 'goals', goal);
    await addToWebsite({ server, website, key }, 'funnels', FUNNEL);
  }
  const log = await open(followLog(databaseUrl, logged, LINES_PER_SECOND));
  const [hits, pages] = [createWindow(), createWindow()];
  const ending = new AbortController();
  await open({ close: () => ending.abort() });
  const shared = { url: server.url, signal: ending.signal };
  const page = eachOf(websites.map(({ id }) => requestOf('GET', `/statistics/${id}`)));
  const nextHit = hitRequests(websites, 8);
  const loads = [
    send({ ...shared, connections: 64, perSecond: HITS_PER_SECOND, next: nextHit, onResponse: hits.add }),
    send({ ...shared, connections: 8, perSecond: PAGES_PER_SECOND, next: page, onResponse: pages.add }),
  ];
  const cpu = () => ({
    node: cpuOf(server.pid) ?? 0,
    database: cpuOfServer(database.pid) ?? 0,
    follower: cpuOf(log.pid) ?? 0,
  });
  const series: Series = new Map();
  const note = (name: string, unit: string, value: number) => {
    const { values } = series.get(name) ?? { values: [] };
    series.set(name, { unit, values: [...values, value] });
  };
  let [acknowledged, failed] = [0, 0];
  const count = () => {
    const [ofHits, ofPages] = [hits.take(), pages.take()];
    acknowledged += ofHits.times.length;
    failed += ofHits.failures + ofPages.failures;
    return { ofHits, ofPages };
  };
  const start = performance.now();
  for (let before = cpu(), last = start; last - start < minutes * 60_000; ) {
    await sleep(INTERVAL_MS);
    const [now, used] = [performance.now(), cpu()];
    const seconds = (now - last) / 1_000;
    const { ofHits, ofPages } = count();
    note('p99 of a hit', 'ms', percentile(ofHits.times, 99));
    note('longest hit', 'ms', percentile(ofHits.times, 100));
    note('p99 of a page', 'ms', percentile(ofPages.times, 99));
    note('memory of Hitherto', 'MB', memoryOf(server.pid)?.now ?? Number.NaN);
    note('memory of PostgreSQL', 'MB', memoryOfServer(database.pid));
    note('CPU of Hitherto', 'cores', (used.node - before.node) / seconds);
    note('CPU of PostgreSQL', 'cores', (used.database - before.database) / seconds);
    note('memory of logs follow', 'MB', memoryOf(log.pid)?.now ?? Number.NaN);
    note('CPU of logs follow', 'cores', (used.follower - before.follower) / seconds);
    note('disk', 'MB', (await databaseBytes(databaseUrl)) / 1e6);
    progress(`${((now - start) / 60_000).toFixed(1)} min: ${acknowledged} hits, ${failed} failures`);
    [before, last] = [used, now];
  }
  ending.abort();
  await Promise.all(loads);
  count();
  const lines = await log.end();
  const number = await numberIn(databaseUrl, 'select number as value from website where id = $1', [logged.id]);
  const hitsOf = (condition: string) =>
    numberIn(
      databaseUrl,
      `select coalesce(sum(hits), 0) as value from (
         select website_number, hits from website_day union all select website_number, hits from added_hits
       ) stored where website_number ${condition}`,
      [number],
    );
  for (const deadline = Date.now() + READ_WITHIN_MS; (await hitsOf('= $1')) < lines && Date.now() < deadline; ) {
    await sleep(1_000);
  }
  const [stored, read] = [await hitsOf('<> $1'), await hitsOf('= $1')];
  if (stored < acknowledged || stored > acknowledged + failed) {
    throw new Error(`${acknowledged} hits were acknowledged and ${failed} failed, ${stored} are stored.`);
  }
  if (read !== lines) throw new Error(`The log has ${lines} lines, ${read} are stored.`);
  figures.add('hits stored', '', [stored]);
  figures.add('lines of the log stored', '', [read]);
  figures.add('requests that failed', '', [failed]);
  for (const [name, { unit, values }] of series) {
    const tenth = Math.max(1, Math.floor(values.length / 10));
    figures.add(`${name}, first tenth`, unit, values.slice(0, tenth));
    figures.add(`${name}, last tenth`, unit, values.slice(-tenth));
    figures.add(`${name}, of 10 s each`, unit, values);
  }
}

/** The processes of a server, in MB; memory that they share counts once. */
function memoryOfServer(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, id) => sum + (shareOfMemory(id) ?? 0), 0);
}

/** Collects responses until they are taken: the times of good ones in ascending order, and the number of others. */
function createWindow() {
  let seen: Received[] = [];
  return {
    add: (response: Received) => void seen.push(response),
    take() {
      const good = seen.filter(isGood);
      const taken = { times: good.map(({ ms }) => ms).sort((a, b) => a - b), failures: seen.length - good.length };
      seen = [];
      return taken;
    },
  };
}
