import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from './connection/client.ts';
import { raw, sql } from './connection/sql.ts';

/** How long replicas may take to copy hits from each other. */
const MAX_LAG_MS = 30_000;
const PAUSE_MS = 500;

/** How many shards and servers a cluster is configured to have. */
interface ClusterSize {
  readonly shards: number;
  readonly servers: number;
}

/** A server that has the tables. */
export interface Replica {
  readonly host: string;
  /** The path in Keeper that it shares with the other replicas of its shard. */
  readonly path: string;
  /** How many different hits it has. */
  readonly hits: number;
}

/** Waits until the replicas of each shard have the same hits, and describes them; rejects with the difference if they never have. */
export async function compareReplicas(
  server: Pick<ClickHouse, 'read'>,
  cluster: string,
  database: string,
): Promise<string> {
  const size = await sizeOf(server, cluster);
  const deadline = performance.now() + MAX_LAG_MS;
  for (;;) {
    const fault = faultOf(size, await findReplicas(server, cluster, database));
    if (fault === undefined) return `${size.shards} shards, ${size.servers} servers`;
    if (performance.now() > deadline) throw new Error(fault);
    await sleep(PAUSE_MS);
  }
}

/** The first reason why these are not the replicas of a cluster of this size with the same hits in each shard. */
export function faultOf({ shards, servers }: ClusterSize, replicas: readonly Replica[]): string | undefined {
  if (replicas.length !== servers) return `${replicas.length} of ${servers} servers have the tables`;
  const first = new Map<string, Replica>();
  for (const replica of replicas) {
    const other = first.get(replica.path) ?? replica;
    if (other.hits !== replica.hits) {
      return `${replica.host} has ${replica.hits} hits, and ${other.host} of the same shard has ${other.hits}`;
    }
    first.set(replica.path, other);
  }
  return first.size === shards ? undefined : `the macros name ${first.size} shards instead of ${shards}`;
}

async function sizeOf(server: Pick<ClickHouse, 'read'>, cluster: string): Promise<ClusterSize> {
  const [row] = await server.read<{ shards: string; servers: string }>(sql`
    select uniqExact(shard_num) as shards, uniqExact((host_name, port)) as servers
    from system.clusters where cluster = ${cluster}`);
  return { shards: Number(row?.shards ?? 0), servers: Number(row?.servers ?? 0) };
}

/** In `clusterAllReplicas`, each server is a shard, so its number there is the server's. One without hits has no row of them. */
async function findReplicas(server: Pick<ClickHouse, 'read'>, cluster: string, database: string): Promise<Replica[]> {
  const found = await server.read<{ number: number; host: string; path: string }>(sql`
    select shardNum() as number, hostName() as host, zookeeper_path as path
    from clusterAllReplicas(${raw(cluster)}, system, replicas) where database = ${database} and table = 'hit_local'`);
  const counts = await server.read<{ number: number; hits: string }>(sql`
    select shardNum() as number, uniqExact((website, batch, place)) as hits
    from clusterAllReplicas(${raw(cluster)}, ${raw(database)}, hit_local) group by number`);
  const hits = new Map(counts.map((row) => [row.number, Number(row.hits)]));
  return found.map(({ number, host, path }) => ({ host, path, hits: hits.get(number) ?? 0 }));
}
