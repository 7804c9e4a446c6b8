import { describe, expect, test } from 'vitest';
import { createUnsentLists, UNSENT_BYTES } from '../src/requests/unsent-lists.ts';

// api.md, "Limits": list responses that have not left the process.

const MIB = 1_048_576;
const outcomeOf = (entering: Promise<unknown>) =>
  entering.then(
    () => 'in',
    ({ code }: { code: string }) => code,
  );
/** The outcome, if there is one within some turns of the event loop. */
const isIn = (entering: Promise<unknown>) =>
  Promise.race([outcomeOf(entering), new Promise((resolve) => setTimeout(resolve, 5, 'waits'))]);

describe('Unsent list responses', () => {
  test('of one account use at most half of the memory, which leaves the rest to others', async () => {
    const lists = createUnsentLists();
    await lists.enter('a', UNSENT_BYTES.account);

    const same = lists.enter('a', 1);
    const other = lists.enter('b', UNSENT_BYTES.process - UNSENT_BYTES.account);

    expect([await isIn(same), await isIn(other)]).toEqual(['waits', 'in']);
  });

  test('are at most five per account, however small', async () => {
    const lists = createUnsentLists();
    const first = await lists.enter('a', 1);
    for (let index = 1; index < 5; index += 1) await lists.enter('a', 1);

    const sixth = lists.enter('a', 1);
    const before = await isIn(sixth);
    first.release();

    expect([before, await isIn(sixth)]).toEqual(['waits', 'in']);
  });

  test('are at most 64 MiB per process; then a list waits until another has been sent', async () => {
    const lists = createUnsentLists();
    const first = await lists.enter('a', 32 * MIB);
    await lists.enter('b', 32 * MIB);

    const third = lists.enter('c', MIB);
    const before = await isIn(third);
    first.release();

    expect([before, await isIn(third)]).toEqual(['waits', 'in']);
  });

  test('of more than an account may have are admitted alone', async () => {
    const lists = createUnsentLists();
    const first = await lists.enter('a', 1);

    const large = lists.enter('a', UNSENT_BYTES.process + 1);
    const before = await isIn(large);
    first.release();

    expect([before, await isIn(large)]).toEqual(['waits', 'in']);
  });

  test('count with their actual size once it is known', async () => {
    const lists = createUnsentLists();
    const first = await lists.enter('a', 32 * MIB);

    const second = lists.enter('a', 16 * MIB);
    first.resize(17 * MIB);
    const before = await isIn(second);
    first.resize(16 * MIB);

    expect([before, await isIn(second)]).toEqual(['waits', 'in']);
  });

  test('that are larger than the share of an account leave the rest to others', async () => {
    const lists = createUnsentLists();
    const large = await lists.enter('a', MIB);
    large.resize(50 * MIB);

    const other = lists.enter('b', UNSENT_BYTES.process - UNSENT_BYTES.account);

    expect(await isIn(other)).toBe('in');
  });

  test('are admitted in order: a small list does not overtake a large one that waits for the process', async () => {
    const lists = createUnsentLists();
    const first = await lists.enter('a', 32 * MIB);
    await lists.enter('b', 20 * MIB);

    const large = lists.enter('c', 20 * MIB);
    const small = lists.enter('d', MIB);
    const before = [await isIn(large), await isIn(small)];
    first.release();

    expect([...before, await isIn(large), await isIn(small)]).toEqual(['waits', 'waits', 'in', 'in']);
  });

  test('are rejected after waiting too long, and do not hold up those behind them', async () => {
    const lists = createUnsentLists(1);
    await lists.enter('a', 32 * MIB);
    await lists.enter('b', 20 * MIB);

    const large = outcomeOf(lists.enter('c', 20 * MIB));
    const small = outcomeOf(lists.enter('d', MIB));

    expect([await large, await small]).toEqual(['unavailable', 'in']);
  });

  test('free their memory only once', async () => {
    const lists = createUnsentLists();
    const first = await lists.enter('a', 16 * MIB);
    await lists.enter('a', 16 * MIB);
    first.release();
    first.release();

    await lists.enter('a', 16 * MIB);

    expect(await isIn(lists.enter('a', 1))).toBe('waits');
  });
});
