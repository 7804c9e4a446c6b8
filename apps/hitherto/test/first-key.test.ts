import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { newId, now } from '@hitherto/adapters/system';
import { COMMAND_LINE } from '@hitherto/domain';
import { expect, test } from 'vitest';
import { oldestAccount } from '../src/service/first-key.ts';

test('processes that create the first account at the same time get the same one', async () => {
  const { access } = createInMemoryRepositories();
  const deps = { access, newId, now, randomBytes: () => new Uint8Array(32), author: COMMAND_LINE };

  const [one, other] = await Promise.all([oldestAccount(deps), oldestAccount(deps)]);

  expect(other).toEqual(one);
  expect(await access.listAccounts()).toEqual([one]);
});
