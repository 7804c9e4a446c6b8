import { expect, test } from 'vitest';
import { createAttemptLimit, OF_CLIENT } from '../src/shared/attempt-limit.ts';

const MINUTE_MS = 60_000;
const right = async () => true;
const wrong = async () => false;

function start() {
  let time = 0;
  const limit = createAttemptLimit(OF_CLIENT, () => time);
  return {
    attempt: (isRight: () => Promise<boolean>, client = 'client', website = 'website') =>
      limit.attempt(client, website, isRight),
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test('five wrong passwords within a minute block until the first of them is a minute old', async () => {
  const { attempt, advance } = start();
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await attempt(wrong)).toBe('wrong');
    advance(1_000);
  }

  expect(await attempt(right)).toBe(55);
  advance(54_999);
  expect(await attempt(right)).toBe(1);
  advance(1);
  expect(await attempt(right)).toBe('right');
});

test('thirty wrong passwords within an hour block until the first of them is an hour old', async () => {
  const { attempt, advance } = start();
  for (let tries = 0; tries < 30; tries += 1) {
    expect(await attempt(wrong)).toBe('wrong');
    advance(MINUTE_MS);
  }

  expect(await attempt(right)).toBe(30 * 60);
});

test('networks and websites are counted separately', async () => {
  const { attempt } = start();
  for (let tries = 0; tries < 5; tries += 1) await attempt(wrong);

  expect(await attempt(right)).toBe(60);
  expect(await attempt(right, 'client', 'other')).toBe('right');
  expect(await attempt(right, 'other', 'website')).toBe('right');
});

test('right passwords do not count, nor do those that could not be checked', async () => {
  const { attempt } = start();
  for (let tries = 0; tries < 50; tries += 1) await attempt(right);
  for (let tries = 0; tries < 50; tries += 1) {
    await expect(attempt(() => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
  }

  expect(await attempt(wrong)).toBe('wrong');
});

test('concurrent passwords of a client are checked one by one, right ones without being blocked', async () => {
  const { attempt } = start();
  let checks = 0;
  const checkOf = (isRight: boolean) => async () => {
    checks += 1;
    await new Promise(setImmediate);
    expect(checks).toBe(1);
    checks -= 1;
    return isRight;
  };

  const rights = await Promise.all(Array.from({ length: 10 }, () => attempt(checkOf(true))));
  const wrongs = await Promise.all(Array.from({ length: 10 }, () => attempt(checkOf(false))));

  expect(new Set(rights)).toEqual(new Set(['right']));
  expect(wrongs).toEqual([...Array(5).fill('wrong'), ...Array(5).fill(60)]);
});
