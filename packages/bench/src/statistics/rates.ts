import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfServer, memoryOf } from '@hitherto/testing/proc';
import { withClient } from '../database.ts';
import { measureLoad } from '../load/measure.ts';
import type { RunningVariant } from '../variants.ts';
import { createHits, type HitWebsite, hitRequest } from './hits.ts';
import type { StatisticsPlan } from './plan.ts';

/** A server that collects hits. */
export interface Collecting {
  readonly name: CollectorName;
  readonly server: RunningVariant;
  readonly databaseUrl: string;
  readonly websites: readonly HitWebsite[];
}

export const COLLECTORS = {
  hitherto: 'Hitherto as shipped',
  usual: 'Fastify + Kysely as usually written: website looked up, isbot, ua-parser-js, one insert per hit, same table',
  umami: 'Umami 3.1’s write shape: session upsert and event insert, prepared; 25 secondary indexes; on node:http',
  nothing: 'bare node:http that reads the body and stores nothing',
} as const;

export type CollectorName = keyof typeof COLLECTORS;

/** One collector in one round. CPU in microseconds a hit, times in milliseconds, memory in MB. */
export interface CollectingSample {
  readonly collector: CollectorName;
  readonly round: number;
  readonly hitsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly nodeCpu: number;
  /** What the visits of these hits took afterwards included. */
  readonly databaseCpu: number;
  /** The most so far. */
  readonly memory: number;
  /** Until the visits of all hits were up to date, after the load. */
  readonly catchUpSeconds: number;
}

export const CONNECTIONS = 64;

/**
 * Measures how many hits a second each collector stores, in turns. Checks that as many rows have been stored as hits were
 * acknowledged.
 */
export async function measureRates(
  collectors: readonly Collecting[],
  serverPid: number,
  plan: StatisticsPlan,
): Promise<CollectingSample[]> {
  const loaded = collectors.map((collector) => {
    const hits = createHits(collector.websites);
    return { ...collector, next: () => hitRequest(hits()), acknowledged: 0 };
  });
  const samples: CollectingSample[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    for (const collector of loaded) {
      const { name, server, next } = collector;
      const load = { url: server.url, connections: CONNECTIONS, next };
      const before = { node: cpuOf(server.pid) ?? 0, database: cpuOfServer(serverPid) ?? 0 };
      const measured = await measureLoad(load, round === 0 ? plan.warmUpSeconds : plan.seconds);
      const catchUpSeconds = name === 'hitherto' ? await catchUp(collector.databaseUrl) : 0;
      collector.acknowledged += measured.good;
      if (round === 0) continue;
      const perHit = (start: number, end = 0) => ((end - start) / measured.good) * 1e6;
      samples.push({
        collector: name,
        round,
        hitsPerSecond: measured.perSecond,
        p50: measured.p50,
        p99: measured.p99,
        nodeCpu: perHit(before.node, cpuOf(server.pid)),
        databaseCpu: perHit(before.database, cpuOfServer(serverPid)),
        memory: memoryOf(server.pid)?.peak ?? Number.NaN,
        catchUpSeconds,
      });
      plan.progress(
        `hits: round ${round} of ${plan.rounds}, ${name}: ${measured.perSecond.toFixed()}/s, p99 ${measured.p99.toFixed(1)} ms`,
      );
    }
  }
  for (const collector of loaded) await checkStored(collector, collector.acknowledged);
  return samples;
}

/** Waits until no visitor is marked as changed any more; resolves to the seconds that took. */
export function catchUp(databaseUrl: string): Promise<number> {
  const start = performance.now();
  return withClient(databaseUrl, async (client) => {
    const isBehind = async () => (await client.query('select from changed_visitor limit 1')).rowCount !== 0;
    while (await isBehind()) await sleep(50);
    return (performance.now() - start) / 1_000;
  });
}

async function checkStored({ name, databaseUrl }: Collecting, acknowledged: number): Promise<void> {
  if (name === 'nothing') return;
  const table = name === 'umami' ? 'umami.website_event' : 'hit';
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ stored: number }>(`select count(*)::integer as stored from ${table}`);
    if (rows[0]?.stored !== acknowledged) {
      throw new Error(`${name}: ${acknowledged} hits were acknowledged, ${rows[0]?.stored} are stored.`);
    }
  });
}
