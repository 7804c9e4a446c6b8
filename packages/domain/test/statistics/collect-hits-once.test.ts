import { describe, expect, test } from 'vitest';
import { collectHitsOnce } from '../../src/hits/collect-hits.ts';
import { aCollection, aSentHit, inTime, rejection } from './collection.ts';

describe('collectHitsOnce', () => {
  const batch = [aSentHit(), aSentHit({ automated: true })];
  const outcome = { counted: 1, dropped: [{ index: 1, reason: 'bot' }] };

  test('counts a batch once; a repeat returns the first outcome', async () => {
    const { collectOnce, added, droppedHits } = aCollection();

    const first = await collectOnce(batch);
    const repeat = await collectOnce(batch);

    expect(first).toEqual({ collected: outcome, replayed: false });
    expect(repeat).toEqual({ collected: outcome, replayed: true });
    expect(added).toHaveLength(1);
    expect(droppedHits).toMatchObject([{ hits: 1 }]);
  });

  test('one of two concurrent batches counts', async () => {
    const { collectOnce, added, droppedHits } = aCollection();

    const both = await Promise.all([collectOnce(batch), collectOnce(batch)]);

    expect(both.map(({ replayed }) => replayed).toSorted()).toEqual([false, true]);
    expect(added).toHaveLength(1);
    expect(droppedHits).toHaveLength(1);
  });

  test('a batch of only dropped hits is recorded too', async () => {
    const { collectOnce, droppedHits } = aCollection();

    await collectOnce([aSentHit({ automated: true })]);

    expect(await collectOnce([aSentHit({ automated: true })])).toMatchObject({ replayed: true });
    expect(droppedHits).toHaveLength(1);
  });

  test('a repeat is not checked again', async () => {
    const { deps, find, collectOnce } = aCollection();
    await collectOnce(batch);

    const repeat = await collectHitsOnce(
      deps,
      find,
      'account',
      () => raise(new Error('too old')),
      { idempotencyKey: 'key', fields: 'fields' },
      inTime(),
    );

    expect(repeat).toEqual({ collected: outcome, replayed: true });
  });

  test('other hits under the same key are rejected', async () => {
    const { collectOnce, added } = aCollection();
    await collectOnce(batch);

    expect(await rejection(collectOnce(batch, 'key', 'other fields'))).toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(added).toHaveLength(1);
  });

  test('another key counts again', async () => {
    const { collectOnce, added } = aCollection();

    await collectOnce(batch, 'key');
    await collectOnce(batch, 'other key');

    expect(added).toHaveLength(2);
  });

  test('a record expires after 48 hours and holds neither the key nor the fields', async () => {
    const { collectOnce, records } = aCollection();

    await collectOnce(batch, 'the-key', 'the fields');

    const [record] = records.values();
    expect(record?.expiresAt).toEqual(new Date('2026-11-22T23:30:00.000Z'));
    expect(JSON.stringify(record)).not.toMatch(/the-key|the fields/);
  });
});

function raise(error: unknown): never {
  throw error;
}
