import { setTimeout as sleep } from 'node:timers/promises';
import type { DroppedHits } from '@hitherto/domain/hits';
import { expect, test } from 'vitest';
import { createTally } from '../../src/journal/tally.ts';

const DAY = '2026-11-20';

/** A tally, and the batches that it has written. */
function aTally(write: () => Promise<void> = async () => {}) {
  const batches: (readonly DroppedHits[])[] = [];
  const failures: unknown[] = [];
  const tally = createTally<DroppedHits>({
    keyOf: ({ websiteId, day, reason }) => `${websiteId} ${day} ${reason}`,
    sum: (one, other) => ({ ...one, hits: one.hits + other.hits }),
    write: (batch) => {
      batches.push(batch);
      return write();
    },
    onFailure: (error) => failures.push(error),
  });
  const drop = (websiteId: string, day = DAY, reason: DroppedHits['reason'] = 'bot', hits = 1) =>
    tally.add({ websiteId, day, reason, hits });
  return { tally, drop, batches, failures };
}

test('drops are added up by website, day and reason', () => {
  const { tally, drop, batches } = aTally();

  drop('a');
  drop('a', DAY, 'bot', 2);
  drop('a', '2026-11-21');
  drop('a', DAY, 'prefetch');
  drop('b');
  void tally.close();

  expect(batches).toEqual([
    [
      { websiteId: 'a', day: DAY, reason: 'bot', hits: 3 },
      { websiteId: 'a', day: '2026-11-21', reason: 'bot', hits: 1 },
      { websiteId: 'a', day: DAY, reason: 'prefetch', hits: 1 },
      { websiteId: 'b', day: DAY, reason: 'bot', hits: 1 },
    ],
  ]);
});

test('drops are written within two seconds, also after an idle time', async () => {
  const { drop, batches } = aTally();
  await sleep(1_200);

  drop('a');
  await sleep(1_500);
  drop('b');
  await sleep(1_500);

  expect(batches.flat().map(({ websiteId }) => websiteId)).toEqual(['a', 'b']);
});

test('drops that arrive while others are written are written after them', async () => {
  const { drop, batches } = aTally(() => sleep(1_500));

  drop('a');
  await sleep(1_300);
  drop('b');
  await sleep(1_000);
  const before = batches.length;
  await sleep(1_500);

  expect([before, batches.length]).toEqual([1, 2]);
});

test('a failure is reported, and later drops are still written', async () => {
  const failure = new Error('away');
  let writes = 0;
  const { tally, drop, batches, failures } = aTally(async () => {
    writes += 1;
    if (writes === 1) throw failure;
  });

  drop('a');
  await sleep(1_300);
  drop('b');
  void tally.close();

  expect(batches).toHaveLength(2);
  expect(failures).toEqual([failure]);
});

test('at most 50,000 counters are kept, and written by the thousand', () => {
  const { tally, drop, batches } = aTally();

  for (let website = 0; website < 60_000; website += 1) drop(String(website));
  void tally.close();

  expect(batches.map(({ length }) => length)).toEqual(Array.from({ length: 50 }, () => 1_000));
});
