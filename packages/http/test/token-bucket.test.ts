import { expect, test } from 'vitest';
import { createTokenBuckets } from '../src/limits/rate-limits.ts';

function bucketsOf(capacity: number, perSecond: number) {
  const time = { ms: 0 };
  return { time, buckets: createTokenBuckets(capacity, perSecond, () => time.ms) };
}

test('as many requests as the capacity are allowed at once', () => {
  const { buckets } = bucketsOf(3, 1);

  const taken = [1, 2, 3, 4].map(() => buckets.take('é'));

  expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
});

test('each key has a bucket of its own', () => {
  const { buckets } = bucketsOf(1, 1);
  buckets.take('a');

  expect(buckets.take('b').allowed).toBe(true);
});

test('a bucket refills evenly, up to its capacity', () => {
  const { buckets, time } = bucketsOf(2, 50);
  buckets.take('a');
  buckets.take('a');

  time.ms = 19;
  const early = buckets.take('a');
  time.ms = 40;
  const refilled = buckets.take('a');
  time.ms = 60_000;
  const full = [buckets.take('a'), buckets.take('a'), buckets.take('a')];

  expect(early.allowed).toBe(false);
  expect(refilled.allowed).toBe(true);
  expect(full.map(({ allowed }) => allowed)).toEqual([true, true, false]);
});

test('an empty bucket says in how many whole seconds the next request is allowed', () => {
  const { buckets } = bucketsOf(1, 0.1);

  const { retryAfter } = buckets.take('a');

  expect(retryAfter).toBe(10);
});
