import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createPipelinedWriter } from '../../src/imports/pipelined-writer.ts';

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
  it('goes on reading while a batch is stored, and stops before a second one waits', async () => {
    const { store, begun, end } = slowStore();
    const add = createPipelinedWriter().writerOf(store);

    await add(1);
    const second = add(2);

    expect(await isSettled(second)).toBe(false);
    expect(begun).toStrictEqual([1]);
    await end();
    await second;
    expect(begun).toStrictEqual([1, 2]);
  });

  it('stores one batch at a time, also of different kinds', async () => {
    const { store, begun, end } = slowStore();
    const { writerOf } = createPipelinedWriter();
    const [add, addOther] = [writerOf(store), writerOf((batch: number) => store(-batch))];

    await add(1);
    const second = addOther(2);

    expect(await isSettled(second)).toBe(false);
    await end();
    await second;
    expect(begun).toStrictEqual([1, -2]);
  });

  it('rejects with the error of a batch, and stores none after it', async () => {
    const { store, begun, end } = slowStore();
    const { writerOf, finishAfter } = createPipelinedWriter();
    const add = writerOf(store);
    const reading = finishAfter(async () => {
      for (let batch = 0; batch < 100; batch += 1) await add(batch);
    });

    await nextTurn();
    await Promise.all([expect(reading).rejects.toThrow('full'), end(new Error('full'))]);

    expect(begun).toStrictEqual([0]);
  });

  it('waits for the last batch when all is read', async () => {
    const { store, end } = slowStore();
    const { writerOf, finishAfter } = createPipelinedWriter();
    const add = writerOf(store);

    const reading = finishAfter(async () => {
      await add(1);
      return 'read';
    });

    expect(await isSettled(reading)).toBe(false);
    await end();
    expect(await reading).toBe('read');
  });

  it('waits for the last batch when reading fails', async () => {
    const { store, end } = slowStore();
    const { writerOf, finishAfter } = createPipelinedWriter();
    const add = writerOf(store);

    const reading = finishAfter(async () => {
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
    const { writerOf, finishAfter } = createPipelinedWriter();
    const add = writerOf(store);

    const reading = finishAfter(() => add(1));

    await nextTurn();
    await Promise.all([expect(reading).rejects.toThrow('full'), end(new Error('full'))]);
  });
});
