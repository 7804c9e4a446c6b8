import { expect, test } from 'vitest';
import { forgetDeletedWebsite } from '../../src/engine/forget-deleted-website.ts';

/** One deleted website, whose statistics are forgotten in so many pieces. */
function deletedWebsite(pieces: number) {
  const calls: string[] = [];
  let due: string | undefined = 'w';
  const deps = {
    deletedWebsites: {
      findDue: async () => due,
      confirm: async (id: string) => {
        calls.push(`confirm ${id}`);
        due = undefined;
      },
    },
    maintenance: { forget: async (id: string) => calls.push(`forget ${id}`) < pieces },
    crawlers: { deleteAll: async (id: string) => void calls.push(`crawlers of ${id}`) },
    notedHits: { deleteAll: async (id: string) => void calls.push(`notes of ${id}`) },
    droppedHits: { deleteAll: async (id: string) => void calls.push(`counters of ${id}`) },
  };
  return { calls, deps };
}

test('a deleted website is confirmed once the engine has forgotten it and its counters are deleted', async () => {
  const { calls, deps } = deletedWebsite(3);

  while (await forgetDeletedWebsite(deps));

  expect(calls).toEqual([
    'forget w',
    'forget w',
    'forget w',
    'counters of w',
    'crawlers of w',
    'notes of w',
    'confirm w',
  ]);
});

test('one call does one piece of the work', async () => {
  const { calls, deps } = deletedWebsite(2);

  const isMoreLeft = await forgetDeletedWebsite(deps);

  expect([isMoreLeft, calls]).toEqual([true, ['forget w']]);
});
