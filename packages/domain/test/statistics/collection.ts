import { aWebsite } from '../../../testing/src/fixtures.ts';
import { timeZone } from '../../src/calendar/time-zone.ts';
import { type AddressedHit, collectHits, collectHitsOnce, findSettings } from '../../src/hits/collect-hits.ts';
import { compileSettings } from '../../src/hits/count-hit.ts';
import type { CrawlerHits } from '../../src/hits/crawlers.ts';
import type { CountedHit } from '../../src/hits/hit.ts';
import type { HitBatchRecord } from '../../src/hits/hit-batch.ts';
import type { DroppedHits } from '../../src/hits/hit-repository.ts';
import { createHitNotes, type NotedHits } from '../../src/hits/noted-hits.ts';
import { aHit, type HitFields } from './hits.ts';
import { lookups } from './lookups.ts';

/** Two websites, whose days are in different time zones. */
export const OWN = aWebsite({ url: 'https://ex.com', excludedIps: ['203.0.113.7'] });
export const OTHER = aWebsite({
  id: '01997c3e-0000-7000-8000-000000000002',
  url: 'https://other.example',
  timeZone: 'America/New_York',
});

/** Counts bots. */
export const OPEN = aWebsite({
  id: '01997c3e-0000-7000-8000-000000000003',
  url: 'https://open.example',
  excludeBots: false,
});

const SETTINGS = new Map(
  [OWN, OTHER, OPEN].map((website) => [website.id, compileSettings(website, timeZone('Europe/Berlin'))]),
);

export function aSentHit(fields: HitFields = {}, website = OWN.id): AddressedHit {
  return { website, hit: aHit(fields) };
}

/** A deadline that leaves time for a few attempts. */
export const inTime = () => performance.now() + 900;

/** A journal, and what is written to it. */
export function aCollection(fails: { add?: Error } = {}) {
  const added: CountedHit[][] = [];
  const droppedHits: DroppedHits[] = [];
  /** Those that no commit waits for. */
  const lateDrops: DroppedHits[] = [];
  const crawled: CrawlerHits[] = [];
  const noted: NotedHits[] = [];
  const records = new Map<string, HitBatchRecord>();
  const find = (website: string) => SETTINGS.get(website);
  const deps = {
    hits: {
      add: async (hits: readonly CountedHit[], dropped: readonly DroppedHits[] = []) => {
        if (fails.add) throw fails.add;
        added.push([...hits]);
        droppedHits.push(...dropped);
      },
      addDropped: (dropped: DroppedHits) => void lateDrops.push(dropped),
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
    crawlers: { add: (one: CrawlerHits) => void crawled.push(one) },
    visitors: { of: (day: string) => BigInt(day.replaceAll('-', '')) },
    lookups,
    notes: createHitNotes({ add: (one) => void noted.push(one) }),
    now: () => new Date('2026-11-20T23:30:00.000Z'),
  };
  const collectOnce = (
    batch: readonly AddressedHit[],
    idempotencyKey = 'key',
    fields = 'fields',
    account = 'account',
  ) => collectHitsOnce(deps, find, account, () => batch, { idempotencyKey, fields }, inTime());
  const collect = async (batch: readonly AddressedHit[]) =>
    collectHits(deps, await findSettings(find, batch, inTime()), { deadline: inTime(), untilCertain: true });
  return { deps, find, collect, collectOnce, added, droppedHits, lateDrops, crawled, noted, records };
}

/** What the promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
