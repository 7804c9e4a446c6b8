import { expect, test } from 'vitest';
import { createUnlockLimit } from '../src/statistics/unlock-limit.ts';

const MINUTE_MS = 60_000;

function start() {
  let time = 0;
  const limit = createUnlockLimit(() => time);
  return {
    limit,
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test('five failures within a minute block until the first of them is a minute old', () => {
  const { limit, advance } = start();
  for (let tries = 0; tries < 5; tries += 1) {
    expect(limit.blockedFor('client', 'website')).toBe(0);
    limit.count('client', 'website');
    advance(1_000);
  }

  expect(limit.blockedFor('client', 'website')).toBe(55);
  advance(54_999);
  expect(limit.blockedFor('client', 'website')).toBe(1);
  advance(1);
  expect(limit.blockedFor('client', 'website')).toBe(0);
});

test('thirty failures within an hour block until the first of them is an hour old', () => {
  const { limit, advance } = start();
  for (let tries = 0; tries < 30; tries += 1) {
    expect(limit.blockedFor('client', 'website')).toBe(0);
    limit.count('client', 'website');
    advance(MINUTE_MS);
  }

  expect(limit.blockedFor('client', 'website')).toBe(30 * 60);
});

test('networks and websites are counted separately', () => {
  const { limit } = start();
  for (let tries = 0; tries < 5; tries += 1) limit.count('client', 'website');

  expect(limit.blockedFor('client', 'website')).toBe(60);
  expect(limit.blockedFor('client', 'other')).toBe(0);
  expect(limit.blockedFor('other', 'website')).toBe(0);
});

test('a right password does not count', () => {
  const { limit } = start();
  for (let tries = 0; tries < 50; tries += 1) limit.count('client', 'website')();

  expect(limit.blockedFor('client', 'website')).toBe(0);
});
