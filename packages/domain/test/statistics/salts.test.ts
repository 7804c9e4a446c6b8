import { expect, test } from 'vitest';
import { rememberSalts, type SaltRepository } from '../../src/statistics/journal/salts.ts';

/** Salts over a repository in memory; the random bytes count up. */
function remembered() {
  const kept = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const repository: SaltRepository = {
    async saltOf(day, fresh) {
      asked.push(day);
      if (!kept.has(day)) kept.set(day, fresh);
      return kept.get(day) ?? fresh;
    },
    deleteBefore: async () => 0,
  };
  let bytes = 0;
  const salts = rememberSalts(repository, (size) => {
    bytes += 1;
    return new Uint8Array(size).fill(bytes);
  });
  return { salts, kept, asked };
}

test('a salt has 32 bytes, comes from the repository, and is read once', async () => {
  const { salts, kept, asked } = remembered();
  const theirs = new Uint8Array(32).fill(200);
  kept.set('2026-11-21', theirs);

  const [first, concurrent] = await Promise.all([salts.of('2026-11-20'), salts.of('2026-11-20')]);
  const again = salts.of('2026-11-20');

  expect(first).toEqual(new Uint8Array(32).fill(1));
  expect([concurrent, again]).toEqual([first, first]);
  expect(await salts.of('2026-11-21')).toEqual(theirs);
  expect(asked).toEqual(['2026-11-20', '2026-11-21']);
});

test('the salts of earlier days can be forgotten', async () => {
  const { salts, asked } = remembered();
  await salts.of('2026-11-19');
  await salts.of('2026-11-20');

  salts.forgetBefore('2026-11-20');
  await salts.of('2026-11-19');
  await salts.of('2026-11-20');

  expect(asked).toEqual(['2026-11-19', '2026-11-20', '2026-11-19']);
});

test('a failure is not cached', async () => {
  let fails = true;
  const repository: SaltRepository = {
    async saltOf(_day, fresh) {
      if (fails) throw new Error('away');
      return fresh;
    },
    deleteBefore: async () => 0,
  };
  const salts = rememberSalts(repository, (size) => new Uint8Array(size));
  await expect(salts.of('2026-11-20')).rejects.toThrow('away');

  fails = false;

  expect(await salts.of('2026-11-20')).toHaveLength(32);
});
