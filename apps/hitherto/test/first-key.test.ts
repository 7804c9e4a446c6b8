import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId, now } from '@hitherto/outside/system';
import { expect, test } from 'vitest';
import { issueFirstKey, oldestAccount } from '../src/service/first-key.ts';
import { emptyFolder } from './support/program.ts';

test('processes that create the first account at the same time get the same one', async () => {
  const { access } = createInMemoryRepositories();
  const deps = { access, newId, now, randomBytes: () => new Uint8Array(32), author: COMMAND_LINE };

  const [one, other] = await Promise.all([oldestAccount(deps), oldestAccount(deps)]);

  expect(other).toEqual(one);
  expect(await access.listAccounts()).toEqual([one]);
});

test('the first key is shown on a terminal, and otherwise only in a file', async () => {
  const dataDir = await emptyFolder();
  const issue = async (isTerminal: boolean) => {
    const told: string[] = [];
    const { access, websites } = createInMemoryRepositories();
    const tell = (text: string) => told.push(text);
    const deps = { access, websites, newId, now, randomBytes, author: COMMAND_LINE, tell, isTerminal };
    await issueFirstKey(deps, 'http://stats.example', dataDir);
    await issueFirstKey(deps, 'http://stats.example', dataDir);
    return told.join('');
  };

  const shown = await issue(true);
  expect(shown.match(/hto_\w+/g)).toHaveLength(2);
  expect(await readdir(dataDir)).toEqual([]);

  expect(await issue(false)).not.toContain('hto_');
  const file = join(dataDir, 'first.key');
  const first = await readFile(file, 'utf8');
  expect(first).toMatch(/^hto_\w+\n$/);

  // Of a database that is gone.
  await chmod(file, 0o644);
  await issue(false);
  expect(await readFile(file, 'utf8')).not.toBe(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
