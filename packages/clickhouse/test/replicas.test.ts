import { describe, expect, it } from 'vitest';
import { faultOf, type Replica } from '../src/replicas.ts';

describe('the check of the replicas of a cluster', () => {
  const size = { shards: 2, servers: 4 };
  const replicas = (...hits: readonly number[]): Replica[] =>
    hits.map((number, place) => ({
      host: `server ${place + 1}`,
      path: place < 2 ? '/first' : '/second',
      hits: number,
    }));

  it('accepts shards of which all replicas have the same hits', () => {
    expect(faultOf(size, replicas(10, 10, 0, 0))).toBeUndefined();
  });

  it.each([
    ['a replica that lacks hits', replicas(10, 10, 8, 7), 'server 4 has 7 hits, and server 3 of the same shard has 8'],
    ['a replica without hits', replicas(10, 0, 8, 8), 'server 2 has 0 hits, and server 1 of the same shard has 10'],
    ['a server without tables', replicas(10, 10, 8), '3 of 4 servers have the tables'],
    [
      'replicas that are shards of their own',
      replicas(10, 10, 8, 8).map((replica) => ({ ...replica, path: `/${replica.host}` })),
      'the macros name 4 shards instead of 2',
    ],
  ])('rejects %s', (_, found, fault) => {
    expect(faultOf(size, found)).toBe(fault);
  });
});
