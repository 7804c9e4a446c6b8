import { setTimeout as sleep } from 'node:timers/promises';
import { describeMachine, type Machine } from '@hitherto/testing/machine';
import { childrenOf, cpuOf, cpuOfServer, memoryOf, shareOfMemory } from '@hitherto/testing/proc';
import { type BenchDatabase, createDatabase, withClient } from '../database.ts';
import { type Load, send } from '../load/send.ts';
import { percentile } from '../spread.ts';
import { createHits, getRequest, hitRequest } from '../statistics/hits.ts';
import { addWebsites } from '../statistics/websites.ts';
import { startHitherto } from '../variants.ts';
import { createWindow } from './window.ts';

/** How much a steady run sends, and for how long. */
export interface SteadyPlan {
  readonly minutes: number;
  readonly hitsPerSecond: number;
  readonly pagesPerSecond: number;
}

/** What a steady run saw in an interval. Times in milliseconds, memory and disk in MB, CPU in cores. */
export interface SteadySample {
  /** Since the start, at the end of the interval. */
  readonly minutes: number;
  readonly hits: number;
  /** Hits and pages without a good response. */
  readonly failures: number;
  readonly hitP99: number;
  readonly hitLongest: number;
  readonly pageP99: number;
  readonly memory: number;
  readonly databaseMemory: number;
  readonly disk: number;
  readonly cpu: number;
  readonly databaseCpu: number;
}

export interface SteadyResult extends Machine, SteadyPlan {
  readonly command: string;
  readonly date: string;
  readonly database: string;
  readonly samples: readonly SteadySample[];
  /** Rows at the end: the hits that were acknowledged, and perhaps some of those that failed. */
  readonly stored: number;
}

const INTERVAL_MS = 10_000;
const HIT_CONNECTIONS = 64;
const PAGE_CONNECTIONS = 8;
const HOSTS = Array.from({ length: 10 }, (_, n) => `steady-${n}.example`);

/** Sends hits and reads pages at a steady rate; rejects if a hit that was acknowledged is not stored. */
export async function measureSteady(
  plan: SteadyPlan,
  command: string,
  database: BenchDatabase,
  progress: (text: string) => void,
): Promise<SteadyResult> {
  const databaseUrl = await createDatabase(database.url, 'bench_steady');
  const { websites } = await addWebsites(databaseUrl, HOSTS);
  const server = await startHitherto(databaseUrl);
  const [hits, pages] = [createWindow(), createWindow()];
  const ending = new AbortController();
  const nextHit = createHits(websites, 8);
  let page = 0;
  const nextPage = () => getRequest(`/statistics/${websites[page++ % websites.length]?.id}`);
  const load = (more: Pick<Load, 'connections' | 'perSecond' | 'next' | 'onResponse'>) =>
    send({ url: server.url, signal: ending.signal, ...more });
  const loads = [
    load({
      connections: HIT_CONNECTIONS,
      perSecond: plan.hitsPerSecond,
      next: () => hitRequest(nextHit()),
      onResponse: hits.add,
    }),
    load({ connections: PAGE_CONNECTIONS, perSecond: plan.pagesPerSecond, next: nextPage, onResponse: pages.add }),
  ];
  const cpu = () => ({ node: cpuOf(server.pid) ?? 0, database: cpuOfServer(database.pid ?? 0) ?? 0 });

  const samples: SteadySample[] = [];
  const start = performance.now();
  try {
    for (let before = cpu(), last = start; last - start < plan.minutes * 60_000; ) {
      await sleep(INTERVAL_MS);
      const [now, used] = [performance.now(), cpu()];
      const seconds = (now - last) / 1_000;
      const [ofHits, ofPages] = [hits.take(), pages.take()];
      const failures = [...ofHits.failures, ...ofPages.failures];
      if (failures[0] !== undefined) progress(`${failures.length} responses were not good: ${failures[0]}`);
      samples.push({
        minutes: (now - start) / 60_000,
        hits: ofHits.times.length,
        failures: failures.length,
        hitP99: percentile(ofHits.times, 99),
        hitLongest: percentile(ofHits.times, 100),
        pageP99: percentile(ofPages.times, 99),
        memory: memoryOf(server.pid)?.now ?? Number.NaN,
        databaseMemory: memoryOfServer(database.pid ?? 0),
        disk: await diskOf(databaseUrl),
        cpu: (used.node - before.node) / seconds,
        databaseCpu: (used.database - before.database) / seconds,
      });
      progress(describe(samples.at(-1)));
      [before, last] = [used, now];
    }
    ending.abort();
    await Promise.all(loads);
    const rest = hits.take();
    const acknowledged = samples.reduce((sum, sample) => sum + sample.hits, rest.times.length);
    const failed = samples.reduce((sum, sample) => sum + sample.failures, rest.failures.length);
    const stored = await storedHits(databaseUrl);
    if (stored < acknowledged || stored > acknowledged + failed) {
      throw new Error(`${acknowledged} hits were acknowledged and ${failed} failed, ${stored} are stored.`);
    }
    const date = new Date().toISOString().slice(0, 10);
    return { ...plan, command, date, ...describeMachine(), database: database.description, samples, stored };
  } finally {
    ending.abort();
    await server.stop();
  }
}

/** The processes of a server, in MB; memory that they share counts once. */
function memoryOfServer(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, id) => sum + (shareOfMemory(id) ?? 0), 0);
}

function diskOf(databaseUrl: string): Promise<number> {
  return one(databaseUrl, 'select pg_database_size(current_database()) / 1e6::double precision as value');
}

function storedHits(databaseUrl: string): Promise<number> {
  return one(databaseUrl, 'select count(*)::double precision as value from hit');
}

function one(databaseUrl: string, query: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ value: number }>(query);
    return rows[0]?.value ?? Number.NaN;
  });
}

function describe(sample: SteadySample | undefined): string {
  if (sample === undefined) return '';
  const { minutes, hits, hitP99, pageP99, memory, disk } = sample;
  return `${minutes.toFixed(1)} min: ${hits} hits, p99 ${hitP99.toFixed(1)} ms, pages ${pageP99.toFixed(0)} ms, ${memory.toFixed()} MB, disk ${disk.toFixed()} MB`;
}
