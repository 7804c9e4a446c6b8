import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../src/server/fast-path.ts';

test('tasks run in order, at most as many in a turn of the event loop as allowed, those that are added meanwhile too', async () => {
  const inTurn = createTurns(2);
  const done: number[] = [];
  for (const n of [1, 2, 3, 4, 5]) inTurn(() => done.push(n));
  inTurn(() => inTurn(() => done.push(6)));

  const turns: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    await nextTurn();
    turns.push(done.join(''));
  }

  expect(turns).toEqual(['12', '1234', '12345', '123456', '123456']);
});
