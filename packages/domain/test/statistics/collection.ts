import { timeZone } from '../../src/statistics/calendar/time-zone.ts';
import {
  collectServerHits,
  collectServerHitsOnce,
  type ServerHit,
} from '../../src/statistics/collecting/collect-server-hits.ts';
import type { CountedHit, Hit } from '../../src/statistics/hit.ts';
import type { HitBatchRecord } from '../../src/statistics/journal/hit-batch.ts';
import type { DroppedHits } from '../../src/statistics/journal/hit-repository.ts';
import { aWebsite, sequentialIds } from '../../src/testing.ts';
import { lookups } from './lookups.ts';

/** The two websites of the account. */
export const OWN = aWebsite({ url: 'https://ex.com', excludedIps: ['203.0.113.7'] });
export const OTHER = aWebsite({ id: '01997c3e-0000-7000-8000-000000000002', url: 'https://other.example' });

export function aServerHit(hit: Partial<Hit> = {}, website = OWN.id): ServerHit {
  const time = new Date('2026-11-20T23:30:00.000Z');
  return { website, hit: { url: 'https://ex.com/a', ip: '192.0.2.1', time, sender: 'server', ...hit } };
}

/** A deadline that leaves time for a few attempts. */
export const inTime = () => performance.now() + 900;

/** The account of the two websites, and what is written. */
export function aCollection(fails: { add?: Error } = {}) {
  const added: CountedHit[][] = [];
  const droppedHits: DroppedHits[] = [];
  const records = new Map<string, HitBatchRecord>();
  const deps = {
    websites: {
      find: async (accountId: string, id: string) =>
        accountId === 'account' ? [OWN, OTHER].find((website) => website.id === id) : undefined,
    },
    hits: {
      add: async (_batchId: string, hits: readonly CountedHit[], dropped: readonly DroppedHits[] = []) => {
        if (fails.add) throw fails.add;
        added.push([...hits]);
        droppedHits.push(...dropped);
      },
    },
    batches: {
      find: async (keyHash: string) => records.get(keyHash),
      deleteExpired: async () => false,
      add: async (record: HitBatchRecord, hits: readonly CountedHit[], dropped: readonly DroppedHits[]) => {
        const earlier = records.get(record.keyHash);
        if (earlier !== undefined) return earlier;
        records.set(record.keyHash, record);
        added.push([...hits]);
        droppedHits.push(...dropped);
        return undefined;
      },
    },
    salts: { of: (day: string) => Buffer.alloc(32, day) },
    lookups,
    zone: timeZone('Europe/Berlin'),
    newId: sequentialIds(),
    now: () => new Date('2026-11-20T23:30:00.000Z'),
  };
  const collectOnce = (batch: readonly ServerHit[], idempotencyKey = 'key', fields = 'fields', account = 'account') =>
    collectServerHitsOnce(deps, account, () => batch, { idempotencyKey, fields }, inTime());
  const collect = (batch: readonly ServerHit[], account = 'account') =>
    collectServerHits(deps, account, batch, inTime());
  return { deps, collect, collectOnce, added, droppedHits, records };
}

/** What the promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
