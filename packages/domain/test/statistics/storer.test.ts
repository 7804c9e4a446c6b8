import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createStorer } from '../../src/statistics/imports/storer.ts';

/** Stores batches when it is told to. */
function slowStore() {
  const begun: number[] = [];
  const ends: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const store = (batch: number) =>
    new Promise<void>((resolve, reject) => {
      begun.push(batch);
      ends.push({ resolve, reject });
    });
  const end = (error?: Error) => {
    const first = ends.shift();
    if (error === undefined) first?.resolve();
    else first?.reject(error);
    return nextTurn();
  };
  return { store, begun, end };
}

/** Whether the promise is settled after a turn of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await nextTurn();
  return settled;
}

describe('storing while reading', () => {
  it('goes on reading while a batch is stored', async () => {
    const { store, begun } = slowStore();
    const add = createStorer().behind(store);

    await add(1);
    await add(2);

    await nextTurn();
    expect(begun).toStrictEqual([1]);
  });

  it('stores one batch at a time, in order, also of different kinds', async () => {
    const { store, begun, end } = slowStore();
    const { behind } = createStorer();
    const [add, addOther] = [behind(store), behind((batch: number) => store(-batch))];

    for (const batch of [1, 2, 3]) await (batch === 2 ? addOther : add)(batch);

    await nextTurn();
    expect(begun).toStrictEqual([1]);
    await end();
    expect(begun).toStrictEqual([1, -2]);
    await end();
    expect(begun).toStrictEqual([1, -2, 3]);
  });

  it('stops reading while many batches wait, however fast they are read', async () => {
    const { store, end } = slowStore();
    const add = createStorer().behind(store);
    let read = 0;
    const reading = (async () => {
      for (; read < 100; read += 1) await add(read);
    })();

    await nextTurn();
    const waiting = read;
    await end();

    expect(waiting).toBeLessThan(10);
    expect(read).toBe(waiting + 1);
    while (!(await isSettled(reading))) await end();
  });

  it('rejects with the error of a batch, and stores none after it', async () => {
    const { store, begun, end } = slowStore();
    const { behind, around } = createStorer();
    const add = behind(store);
    const reading = around(async () => {
      for (let batch = 0; batch < 100; batch += 1) await add(batch);
    });

    await nextTurn();
    await Promise.all([expect(reading).rejects.toThrow('full'), end(new Error('full'))]);

    expect(begun).toStrictEqual([0]);
  });

  it('waits for the last batch when all is read', async () => {
    const { store, end } = slowStore();
    const { behind, around } = createStorer();
    const add = behind(store);

    const reading = around(async () => {
      await add(1);
      return 'read';
    });

    expect(await isSettled(reading)).toBe(false);
    await end();
    expect(await reading).toBe('read');
  });

  it('waits for the last batch when reading fails', async () => {
    const { store, end } = slowStore();
    const { behind, around } = createStorer();
    const add = behind(store);

    const reading = around(async () => {
      await add(1);
      throw new Error('damaged');
    });

    reading.catch(() => {});
    expect(await isSettled(reading)).toBe(false);
    await end();
    await expect(reading).rejects.toThrow('damaged');
  });

  it('rejects with the error of the last batch', async () => {
    const { store, end } = slowStore();
    const { behind, around } = createStorer();
    const add = behind(store);

    const reading = around(() => add(1));

    await nextTurn();
    await Promise.all([expect(reading).rejects.toThrow('full'), end(new Error('full'))]);
  });
});
