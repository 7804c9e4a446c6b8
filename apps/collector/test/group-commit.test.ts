import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { aCountedHit } from '@hitherto/domain/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGroupCommit, type GroupCommit, OutcomeUnknown } from '../src/group-commit.ts';
import { BAD_PAGE, createFaultyHits, type Fate, type FaultyHits } from './support/faulty-hits.ts';

/** A group commit on `hits`; `within` is how many milliseconds a hit waits. */
function groupCommitOn(hits: FaultyHits, within = 5_000) {
  let ids = 0;
  const commits: number[] = [];
  const group: GroupCommit = createGroupCommit({
    hits,
    newId: () => {
      ids += 1;
      return String(ids);
    },
    onCommit: (count) => commits.push(count),
  });
  const add = (page: string) => group.add(aCountedHit({ page }), performance.now() + within);
  return { add, commits, close: group.close };
}

const pagesOf = (hits: FaultyHits) => hits.stored.map(({ page }) => page);
const pages = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

describe('batches', () => {
  test('a hit is acknowledged once it is stored', async () => {
    const hits = createFaultyHits();
    const { add } = groupCommitOn(hits);

    await add('/é');

    expect(pagesOf(hits)).toEqual(['/é']);
  });

  test('hits of one turn of the event loop share a commit, and hits that arrive meanwhile share the next', async () => {
    const hits = createFaultyHits();
    hits.fates.push('is slow');
    const { add, commits } = groupCommitOn(hits);

    const first = pages(3).map(add);
    await sleep(20);
    const second = pages(5).map(add);
    await Promise.all([...first, ...second]);

    expect(commits).toEqual([3, 5]);
  });

  test('a hit right after a commit waits briefly, so that others can join its batch', async () => {
    const seen: number[][] = [];

    // On a busy machine the wait may be over before the next hit is there.
    for (let round = 0; round < 20; round += 1) {
      const { add, commits } = groupCommitOn(createFaultyHits());
      await add('/first');
      const second = add('/second');
      await nextTurn();
      await nextTurn();
      await Promise.all([second, add('/third')]);
      seen.push(commits);
    }

    expect(seen).toContainEqual([1, 2]);
  });

  test('a batch has at most 2,000 hits', async () => {
    const hits = createFaultyHits();
    const { add, commits } = groupCommitOn(hits);

    await Promise.all(pages(4_500).map(add));

    expect(commits).toEqual([2_000, 2_000, 500]);
  });

  test('hits are stored after an idle time too', async () => {
    const hits = createFaultyHits();
    const { add } = groupCommitOn(hits);
    await add('/first');
    await sleep(10);

    await add('/second');

    expect(pagesOf(hits)).toEqual(['/first', '/second']);
  });
});

describe('while the database is away', () => {
  test('hits wait, and are stored once it is back', async () => {
    const hits = createFaultyHits();
    hits.away = true;
    const { add } = groupCommitOn(hits);

    const all = Promise.all(pages(3).map(add));
    await sleep(300);
    hits.away = false;
    await all;

    expect(pagesOf(hits)).toEqual(pages(3));
  });

  test('at its deadline, a hit that was sent fails with an unknown outcome, and one that still waits is refused', async () => {
    const hits = createFaultyHits();
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

  test('a refused hit is never stored later', async () => {
    const hits = createFaultyHits();
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
    const hits = createFaultyHits();
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
    const hits = createFaultyHits();
    hits.fates.push('fails after', 'fails before', 'fails after');
    const { add } = groupCommitOn(hits);

    await Promise.all(pages(2).map(add));

    expect(pagesOf(hits)).toEqual(pages(2));
    expect(hits.attempts).toHaveLength(4);
  });

  test('whatever fails, every acknowledged hit is stored exactly once', async () => {
    const fate = fc.constantFrom<Fate>('fails before', 'fails after', 'works', 'is slow');

    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 3 }), fc.integer({ min: 1, max: 30 }), async (fates, count) => {
        const hits = createFaultyHits();
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

test('a hit that cannot be stored fails alone', async () => {
  const hits = createFaultyHits();
  const { add } = groupCommitOn(hits);

  const outcomes = await Promise.allSettled(['/a', BAD_PAGE, '/b', '/c', '/d'].map(add));

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
  const hits = createFaultyHits();
  hits.fates.push('fails before');
  const { add, close } = groupCommitOn(hits);
  const waiting = pages(3).map(add);

  await close();

  expect(pagesOf(hits)).toEqual(pages(3));
  await Promise.all(waiting);
});
