import type { HitBatchRecord } from '@hitherto/domain/hits';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { addWebsite, aQuery, at, type MakePorts, type StatisticsPorts } from './support.ts';

const NOW = new Date('2026-11-20T12:00:00.123Z');

function aRecord(overrides: Partial<HitBatchRecord> = {}): HitBatchRecord {
  return {
    keyHash: newId(),
    fingerprint: 'é 🦊',
    collected: { counted: 1, dropped: [{ index: 3, reason: 'bot' }] },
    expiresAt: new Date('2026-11-22T12:00:00.123Z'),
    ...overrides,
  };
}

/** The contract of `HitBatchRepository`. */
export function hitBatchRepositoryContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    ({ websiteId } = await addWebsite(ports));
  });

  const pageviews = async () => (await ports.statistics.totals(aQuery(websiteId))).pageviews;

  describe('add', () => {
    it('adds the hits and the record', async () => {
      const record = aRecord();

      expect(await ports.batches.add(record, [at('12:00', { websiteId })], [], NOW)).toBeUndefined();

      expect(await pageviews()).toBe(1);
      expect(await ports.batches.find(record.keyHash, NOW)).toEqual(record);
    });

    it('adds the counters of dropped hits once', async () => {
      const record = aRecord();
      const dropped = [{ websiteId, day: '2026-11-20', reason: 'bot' as const, hits: 2 }];

      await ports.batches.add(record, [], dropped, NOW);
      await ports.batches.add(record, [], dropped, NOW);

      expect(await ports.droppedHits.byReason(websiteId, '2026-11-20', '2026-11-20')).toEqual([
        { reason: 'bot', hits: 2 },
      ]);
    });

    it('writes nothing if there is a record of the same key, and returns that record', async () => {
      const record = aRecord();
      await ports.batches.add(record, [at('12:00', { websiteId })], [], NOW);

      const other = aRecord({ keyHash: record.keyHash, fingerprint: 'other' });
      expect(await ports.batches.add(other, [at('12:01', { websiteId })], [], NOW)).toEqual(record);

      expect(await pageviews()).toBe(1);
      expect(await ports.batches.find(record.keyHash, NOW)).toEqual(record);
    });

    it('adds one of several concurrent batches with the same key', async () => {
      const records = [1, 2, 3, 4].map((counted) => aRecord({ keyHash: 'same', collected: { counted, dropped: [] } }));

      const earlier = await Promise.all(
        records.map((record) => ports.batches.add(record, [at('12:00', { websiteId })], [], NOW)),
      );

      expect(earlier.filter((record) => record === undefined)).toHaveLength(1);
      expect(new Set(earlier.flatMap((record) => record?.collected.counted ?? [])).size).toBe(1);
      expect(await pageviews()).toBe(1);
    });

    it('adds again if the record has expired', async () => {
      const record = aRecord();
      await ports.batches.add(record, [at('12:00', { websiteId })], [], NOW);

      const later = aRecord({ keyHash: record.keyHash, expiresAt: new Date('2026-11-30T00:00:00.000Z') });
      expect(await ports.batches.add(later, [at('12:01', { websiteId })], [], record.expiresAt)).toBeUndefined();

      expect(await pageviews()).toBe(2);
      expect(await ports.batches.find(record.keyHash, record.expiresAt)).toEqual(later);
    });

    it('records a batch without hits', async () => {
      const record = aRecord();

      await ports.batches.add(record, [], [], NOW);

      expect(await ports.batches.find(record.keyHash, NOW)).toEqual(record);
    });
  });

  describe('find', () => {
    it('finds nothing under another key, nor once the record has expired', async () => {
      const record = aRecord();
      await ports.batches.add(record, [], [], NOW);

      expect(await ports.batches.find('another', NOW)).toBeUndefined();
      expect(await ports.batches.find(record.keyHash, record.expiresAt)).toBeUndefined();
      expect(await ports.batches.find(record.keyHash, new Date(record.expiresAt.getTime() - 1))).toEqual(record);
    });
  });
}
