import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type DroppedHits, OutcomeUnknown } from '@hitherto/domain/hits';
import { aCountedHit, sequentialIds } from '@hitherto/testing/fixtures';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGroupCommit } from '../../src/journal/group-commit.ts';
import { BAD_PAGE, createFaultyWriter, type Fate, type FaultyWriter } from './faulty-writer.ts';

/** A group commit on `hits`; `within` is how many milliseconds a hit waits. */
function groupCommitOn({ write }: FaultyWriter, within = 5_000) {
  const commits: number[] = [];
  const group = createGroupCommit({ write, newId: sequentialIds(), onCommit: (count) => commits.push(count) });
  const add = (...names: readonly string[]) =>
    group.add(names.map(hitOf), [], { deadline: performance.now() + within, untilCertain: false });
  const addUntilCertain = (page: string) =>
    group.add([hitOf(page)], [], { deadline: performance.now() + within, untilCertain: true });
  return { group, add, addUntilCertain, commits, close: group.close };
}

const hitOf = (page: string) => aCountedHit({ page });
const pagesOf = (hits: FaultyWriter) => hits.stored.map(({ page }) => page);
const pages = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

describe('batches', () => {
  test('a hit is acknowledged once it is stored', async () => {
    const hits = createFaultyWriter();
    const { add } = groupCommitOn(hits);

    await add('/é');

    expect(pagesOf(hits)).toEqual(['/é']);
  });

  test('hits of one turn of the event loop share a commit, and hits that arrive meanwhile share the next', async () => {
    const hits = createFaultyWriter();
    hits.fates.push('is slow');
    const { add, commits } = groupCommitOn(hits);

    const first = pages(3).map((page) => add(page));
    await sleep(20);
    const second = pages(5).map((page) => add(page));
    await Promise.all([...first, ...second]);

    expect(commits).toEqual([3, 5]);
  });

  test('hits of one commit are acknowledged in several turns of the event loop, so that other work gets its turn', async () => {
    const hits = createFaultyWriter();
    const { add, commits } = groupCommitOn(hits);
    let acknowledged = 0;
    const all = pages(20).map((page) => add(page).then(() => (acknowledged += 1)));

    const seen = new Set<number>();
    while (acknowledged < 20) {
      await nextTurn();
      seen.add(acknowledged);
    }
    await Promise.all(all);

    expect(commits).toEqual([20]);
    expect([...seen].filter((count) => count > 0)).toEqual([8, 16, 20]);
  });

  /** The sizes of the commits when so many hits arrive during a commit, and another one right after it. */
  async function commitsWith(queued: number): Promise<number[]> {
    const hits = createFaultyWriter();
    hits.fates.push('is slow');
    const { add, commits } = groupCommitOn(hits);
    const first = add('/first');
    await sleep(20);
    const others = pages(queued).map((page) => add(page));
    await first;
    await nextTurn();
    await Promise.all([...others, add('/late')]);
    return commits;
  }

  test('hits that queue up during a commit wait briefly, so that others can join their batch', async () => {
    // On a busy machine the wait may be over before the next hit is there.
    const seen = await Promise.all(Array.from({ length: 20 }, () => commitsWith(8)));

    expect(seen).toContainEqual([1, 9]);
  });

  test('a few hits that arrive during a commit are committed next, without a pause', async () => {
    const seen = await Promise.all(Array.from({ length: 20 }, () => commitsWith(7)));

    expect(seen).toEqual(Array.from({ length: 20 }, () => [1, 7, 1]));
  });

  test('many hits that arrive during a commit are committed at the same time', async () => {
    const hits = createFaultyWriter();
    hits.fates.push('is slow');
    const { add, commits } = groupCommitOn(hits);

    const first = add('/first');
    await sleep(20);
    await Promise.all(pages(32).map((page) => add(page)));
    const seen = [...commits];
    await first;

    expect(seen).toEqual([32]);
    expect(commits).toEqual([32, 1]);
  });

  test('at most two commits are under way', async () => {
    const hits = createFaultyWriter();
    hits.fates.push('works', 'hangs');
    hits.ms = 250;
    const { add } = groupCommitOn(hits, 600);

    const slow = add('/slow');
    await sleep(20);
    hits.ms = 0;
    const hanging = Promise.allSettled(pages(32).map((page) => add(page)));
    await sleep(5);
    const third = pages(40).map((page) => add(page));
    await sleep(5);
    const attempts = [...hits.attempts];
    await slow;
    await Promise.all(third);
    await hanging;

    expect(attempts).toEqual([1, 32]);
    expect(hits.attempts).toEqual([1, 32, 40]);
  });

  test('the hits of a call are never parted', async () => {
    const hits = createFaultyWriter();
    const { add, commits } = groupCommitOn(hits);

    await Promise.all([add(...pages(1_500)), add(...pages(1_500)), add(...pages(3_000)), add('/last')]);

    expect(commits).toEqual([3_000, 3_000, 1]);
  });

  test('counters of dropped hits are stored with the hits of their call, or alone', async () => {
    const hits = createFaultyWriter();
    const { group, commits } = groupCommitOn(hits);
    const dropped: DroppedHits = { websiteId: 'é', day: '2026-11-20', reason: 'bot', hits: 2 };

    await group.add([hitOf('/a')], [dropped]);
    await group.add([], [dropped]);

    expect([pagesOf(hits), hits.dropped, commits]).toEqual([['/a'], [dropped, dropped], [1]]);
  });

  test('a batch has at most 2,000 hits', async () => {
    const hits = createFaultyWriter();
    const { add, commits } = groupCommitOn(hits);

    await Promise.all(pages(4_500).map((page) => add(page)));

    expect(commits).toEqual([2_000, 2_000, 500]);
  });

  test('hits are stored after an idle time too', async () => {
    const hits = createFaultyWriter();
    const { add } = groupCommitOn(hits);
    await add('/first');
    await sleep(10);

    await add('/second');

    expect(pagesOf(hits)).toEqual(['/first', '/second']);
  });
});

describe('while the database is away', () => {
  test('hits wait, and are stored once it is back', async () => {
    const hits = createFaultyWriter();
    hits.away = true;
    const { add } = groupCommitOn(hits);

    const all = Promise.all(pages(3).map((page) => add(page)));
    await sleep(300);
    hits.away = false;
    await all;

    expect(pagesOf(hits)).toEqual(pages(3));
  });

  test('at its deadline, a hit that was sent fails with an unknown outcome, and one that still waits is rejected', async () => {
    const hits = createFaultyWriter();
    hits.fates.push('hangs');
    const { add } = groupCommitOn(hits, 300);

    const sent = add('/sent');
    await sleep(50);
    const queued = add('/queued');
    const outcomes = await Promise.allSettled([sent, queued]);

    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual([
      expect.any(OutcomeUnknown),
      expect.objectContaining({ name: 'DomainError', code: 'unavailable' }),
    ]);
    expect(hits.attempts).toEqual([1]);
  });

  test('hits that are being written at their deadline wait for the outcome if they are told to', async () => {
    const hits = createFaultyWriter();
    hits.ms = 500;
    const { addUntilCertain } = groupCommitOn(hits, 200);

    await addUntilCertain('/sent');

    expect(pagesOf(hits)).toEqual(['/sent']);
  });

  test('hits that wait for the outcome are given up when an attempt fails after their deadline', async () => {
    const hits = createFaultyWriter();
    hits.away = true;
    const { addUntilCertain } = groupCommitOn(hits, 200);

    await expect(addUntilCertain('/sent')).rejects.toBeInstanceOf(OutcomeUnknown);
  });

  test('a refused hit is never stored later', async () => {
    const hits = createFaultyWriter();
    hits.away = true;
    const { add, close } = groupCommitOn(hits, 400);

    const sent = add('/sent');
    await sleep(50);
    const queued = add('/queued');
    await Promise.allSettled([sent, queued]);
    hits.away = false;
    await close();

    expect(pagesOf(hits)).toEqual([]);
  });

  test('each hit waits for its own deadline', async () => {
    const hits = createFaultyWriter();
    hits.away = true;
    const { add } = groupCommitOn(hits, 400);

    const first = add('/first');
    await sleep(200);
    const second = add('/second');
    const [outcome] = await Promise.allSettled([first]);
    hits.away = false;
    await second;

    expect(outcome.status).toBe('rejected');
    expect(pagesOf(hits)).toEqual(['/second']);
  });
});

describe('a commit whose outcome is unknown', () => {
  test('is repeated, and the hits are stored once', async () => {
    const hits = createFaultyWriter();
    hits.fates.push('fails after', 'fails before', 'fails after');
    const { add } = groupCommitOn(hits);

    await Promise.all(pages(2).map((page) => add(page)));

    expect(pagesOf(hits)).toEqual(pages(2));
    expect(hits.attempts).toHaveLength(4);
  });

  test('whatever fails, every acknowledged hit is stored exactly once', async () => {
    const fate = fc.constantFrom<Fate>('fails before', 'fails after', 'works', 'is slow');

    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 3 }), fc.integer({ min: 1, max: 120 }), async (fates, count) => {
        const hits = createFaultyWriter();
        hits.fates.push(...fates);
        const { add } = groupCommitOn(hits);
        const outcomes = await Promise.all(
          pages(count).map(async (page, index) => {
            await sleep(index % 7);
            return add(page);
          }),
        );

        expect(pagesOf(hits).sort()).toEqual(pages(count).sort());
        expect(outcomes).toHaveLength(count);
      }),
      { numRuns: 8 },
    );
  });
});

test('a batch that breaks after an attempt with an unknown outcome is given up', async () => {
  const hits = createFaultyWriter();
  hits.fates.push('fails after', 'breaks');
  const { add } = groupCommitOn(hits);

  await expect(add('/a')).rejects.toBeInstanceOf(OutcomeUnknown);

  expect(hits.attempts).toEqual([1, 1]);
});

test('a hit that cannot be stored fails alone', async () => {
  const hits = createFaultyWriter();
  const { add } = groupCommitOn(hits);

  const outcomes = await Promise.allSettled(['/a', BAD_PAGE, '/b', '/c', '/d'].map((page) => add(page)));

  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(pagesOf(hits)).toEqual(['/a', '/b', '/c', '/d']);
});

test('closing waits until the waiting hits are stored', async () => {
  const hits = createFaultyWriter();
  hits.fates.push('fails before');
  const { add, close } = groupCommitOn(hits);
  const waiting = pages(3).map((page) => add(page));

  await close();

  expect(pagesOf(hits)).toEqual(pages(3));
  await Promise.all(waiting);
});

test('closing gives up what waits for ever while the database is away', async () => {
  const hits = createFaultyWriter();
  hits.away = true;
  const { group, close } = groupCommitOn(hits);
  const waiting = group.add([hitOf('/a')], [], { deadline: Number.POSITIVE_INFINITY, untilCertain: true });
  const refusal = expect(waiting).rejects.toBeInstanceOf(OutcomeUnknown);

  await close();

  await refusal;
});
