import { expect, test } from 'vitest';
import { type Open, withScope } from '../src/scope.ts';

/** Opens three things, of which those named fail to close; returns the error and the names in the order of closing. */
async function close(failing: readonly string[], work: () => unknown = () => 'done') {
  const closed: string[] = [];
  const thing = (name: string) => ({
    async close() {
      closed.push(name);
      if (failing.includes(name)) throw new Error(`${name} stays open`);
    },
  });
  const outcome = await withScope(async (open: Open) => {
    for (const name of ['first', 'second', 'third']) await open(thing(name));
    return work();
  }).then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  return { ...outcome, closed };
}

const fail = () => {
  throw new Error('the work failed');
};

test('everything opened is closed, last first, and the work resolves', async () => {
  expect(await close([])).toEqual({ value: 'done', error: undefined, closed: ['third', 'second', 'first'] });
});

test('everything opened is closed when the work fails', async () => {
  const { error, closed } = await close([], fail);

  expect(error).toEqual(new Error('the work failed'));
  expect(closed).toEqual(['third', 'second', 'first']);
});

test('one failing close does not leave the rest open', async () => {
  const { error, closed } = await close(['third']);

  expect(error).toEqual(new Error('third stays open'));
  expect(closed).toEqual(['third', 'second', 'first']);
});

test('several errors are all reported, the error of the work first', async () => {
  const { error, closed } = await close(['second', 'first'], fail);

  expect(error).toBeInstanceOf(AggregateError);
  expect(error).toHaveProperty('message', 'the work failed; then: second stays open; then: first stays open');
  expect(closed).toEqual(['third', 'second', 'first']);
});
