import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfServer } from '@hitherto/testing/proc';
import { createDatabase } from '../database.ts';
import { atMost, type Target } from '../figures.ts';
import { measureLoad, measureServer, timed } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import type { Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { fillClosedDays } from './closed-days.ts';
import { catchUp } from './collecting.ts';
import { hitRequests } from './hits.ts';
import { addWebsites, tenHosts } from './websites.ts';

const FULL = { stored: 1_000_000, seconds: 60 };
const SHORT = { stored: 56_000, seconds: 5 };

const PER_SECOND = 100;
const CONNECTIONS = 16;
const HOSTS = tenHosts('quiet');
const LAST_HITS_SECONDS = 15;
/** A start leaves work: connections are opened, and jobs run for the first time. */
const SETTLE_MS = 15_000;

/** CPU in milliseconds: a second, or a hit. */
interface Cost {
  readonly node: number;
  readonly database: number;
}

/** The cost of little work: CPU at rest and at 100 hits a second, and the first page after hits while nobody read any. */
export async function measureQuiet(run: Run): Promise<void> {
  const { database, figures, open, progress, rounds } = run;
  const { stored, seconds } = run.isFull ? FULL : SHORT;
  const databaseUrl = await createDatabase(database.url, 'bench_quiet');
  const { websites } = await addWebsites(databaseUrl, HOSTS);
  const today = new Date().toISOString().slice(0, 10);
  await fillClosedDays(run, databaseUrl, websites[0], today, stored);
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

  // Some of the last hits are not in visits yet.
  await measureLoad(load, LAST_HITS_SECONDS);
  const firstPages: number[] = [];
  for (const { id } of websites) firstPages.push(await timed(() => readFrom(server, `/statistics/${id}`)));
  figures.add('first page of each website, after all of these hits and no reads', 'ms', firstPages);
}
