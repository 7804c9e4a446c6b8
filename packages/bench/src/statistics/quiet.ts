import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@hitherto/domain';
import { cpuOf, cpuOfServer } from '@hitherto/testing/proc';
import { settle } from '../api/fill.ts';
import { createDatabase, withRepositories } from '../database.ts';
import { atMost, type Target } from '../figures.ts';
import { measureLoad, measureServer } from '../load/measure.ts';
import type { Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { numberOf, PERIOD_DAYS } from './closed-days.ts';
import { catchUp } from './collecting.ts';
import { fillDay } from './fill-hits.ts';
import { type HitWebsite, hitRequests } from './hits.ts';
import { addWebsites } from './websites.ts';

const FULL = { stored: 1_000_000, seconds: 60, secondsUnread: 600 };
const SHORT = { stored: 28_000, seconds: 5, secondsUnread: 5 };

const PER_SECOND = 100;
const CONNECTIONS = 16;
const HOSTS = Array.from({ length: 10 }, (_, n) => `quiet-${n}.example`);
/** A start leaves work: connections are opened, and jobs run for the first time. */
const SETTLE_MS = 15_000;

/** CPU in milliseconds: a second, or a hit. */
interface Cost {
  readonly node: number;
  readonly database: number;
}

/** What little work costs: CPU at rest and at 100 hits a second, and the first page after hits while nobody read any. */
export async function measureQuiet(run: Run): Promise<void> {
  const { database, figures, open, progress, rounds } = run;
  const { stored, seconds, secondsUnread } = run.isFull ? FULL : SHORT;
  const databaseUrl = await createDatabase(database.url, 'bench_quiet');
  const { websites } = await addWebsites(databaseUrl, HOSTS);
  progress(`filling: ${stored.toLocaleString('en')} hits`);
  await fillDays(databaseUrl, websites, Math.ceil(stored / PERIOD_DAYS / HOSTS.length));
  const server = await open(startHitherto({ DATABASE_URL: databaseUrl }));
  await sleep(SETTLE_MS);

  const inRounds = async (name: string, target: Target, measure: () => Promise<Cost>) => {
    const costs: Cost[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}: ${name}`);
      costs.push(await measure());
    }
    const add = (about: string, pick: (cost: Cost) => number, bound?: Target) =>
      figures.add(`CPU ${name}: ${about}`, 'ms', costs.map(pick), bound);
    add('Node', ({ node }) => node);
    add('the database', (cost) => cost.database);
    add('both', (cost) => cost.node + cost.database, target);
  };

  await inRounds('a second at rest', atMost(5, 1), async () => {
    const used = () => ({ node: cpuOf(server.pid) ?? Number.NaN, database: cpuOfServer(database.pid) ?? Number.NaN });
    const [start, before] = [performance.now(), used()];
    await sleep(seconds * 1_000);
    const [ms, now] = [performance.now() - start, used()];
    const cost = (name: keyof Cost) => ((now[name] - before[name]) * 1e6) / ms;
    return { node: cost('node'), database: cost('database') };
  });

  const load = { url: server.url, connections: CONNECTIONS, perSecond: PER_SECOND, next: hitRequests(websites, 9) };
  await measureLoad(load, run.warmUpSeconds);
  const times: number[] = [];
  await inRounds(`of a hit at ${PER_SECOND} a second`, atMost(1, 0.4), async () => {
    const after = async () => void (await catchUp(databaseUrl));
    const sample = await measureServer(server, database.pid, load, seconds, after);
    times.push(...sample.times);
    return { node: sample.nodeCpu / 1_000, database: sample.databaseCpu / 1_000 };
  });
  figures.times(`a hit at ${PER_SECOND} a second`, times, { 50: undefined, 99: undefined });

  progress(`${secondsUnread} s without reads`);
  await measureLoad(load, secondsUnread);
  const firstPages: number[] = [];
  for (const { id } of websites) {
    const start = performance.now();
    const response = await fetch(`${server.url}/statistics/${id}`);
    await response.text();
    if (response.status !== 200) throw new Error(`The page returned ${response.status}.`);
    firstPages.push(performance.now() - start);
  }
  figures.add(`first page of a website, after ${secondsUnread} s of hits without reads`, 'ms', firstPages);
}

/** Fills the period of a page, the same number of hits on each day; visits, summaries and columns are made. */
async function fillDays(databaseUrl: string, websites: readonly HitWebsite[], hitsADay: number): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const days = Array.from({ length: PERIOD_DAYS }, (_, n) => addDays(today, n - PERIOD_DAYS));
  await withRepositories(databaseUrl, async ({ maintenance }) => {
    await maintenance.settle(new Date(days[0] ?? today));
    for (const website of websites) {
      const websiteNumber = await numberOf(databaseUrl, website);
      for (const day of days) await fillDay(databaseUrl, { websiteNumber, host: website.host, day, hits: hitsADay });
    }
    await maintenance.rebuild({}, new Date());
  });
  await settle(databaseUrl);
}
