import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { hashOneTimeToken } from '@hitherto/domain/people';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId, now } from '@hitherto/outside/system';
import { aMember, aPerson } from '@hitherto/testing/people';
import { expect, test } from 'vitest';
import { forgetLink, oldestAccount, welcome } from '../src/service/first-start.ts';
import { dataFolder, emptyFolder, startService } from './support/program.ts';

test('processes that create the first account at the same time get the same one', async () => {
  const { access } = createInMemoryRepositories();
  const deps = { access, newId, now, randomBytes: () => new Uint8Array(32), author: COMMAND_LINE };

  const [one, other] = await Promise.all([oldestAccount(deps), oldestAccount(deps)]);

  expect(other).toEqual(one);
  expect(await access.listAccounts()).toEqual([one]);
});

/** Starts on a new database, twice; resolves to what was told. */
async function start(dataDir: string, isTerminal: boolean, setupToken?: string) {
  const told: string[] = [];
  const { access, websites, people } = createInMemoryRepositories();
  const tell = (text: string) => told.push(text);
  const deps = { access, websites, people, newId, now, randomBytes, author: COMMAND_LINE, tell, isTerminal };
  await welcome(deps, 'http://stats.example', dataDir, setupToken);
  const first = told.join('');
  await welcome(deps, 'http://stats.example', dataDir, setupToken);
  return { first, second: told.join('').slice(first.length), people, deps };
}

test('the first key is shown on a terminal, and otherwise only in a file', async () => {
  const dataDir = await emptyFolder();

  const { first: shown, second } = await start(dataDir, true);
  expect(shown.match(/hto_\w+/g)).toHaveLength(2);
  expect(second).not.toContain('hto_');
  expect(await readdir(dataDir)).toEqual([]);

  expect((await start(dataDir, false)).first).not.toContain('hto_');
  const file = join(dataDir, 'first.key');
  const first = await readFile(file, 'utf8');
  expect(first).toMatch(/^hto_\w+\n$/);

  // Of a database that is gone.
  await chmod(file, 0o644);
  await start(dataDir, false);
  expect(await readFile(file, 'utf8')).not.toBe(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('each start tells a new link to set up the owner, until there is one: on a terminal, and otherwise in a file', async () => {
  const dataDir = await emptyFolder();
  const LINK = /http:\/\/stats\.example\/setup\/([\w-]{32})/;

  const shown = await start(dataDir, true);
  const [one, two] = [LINK.exec(shown.first)?.[1] ?? '', LINK.exec(shown.second)?.[1] ?? ''];
  expect(await shown.people.findInvitation(hashOneTimeToken(one))).toBeUndefined();
  const link = await shown.people.findInvitation(hashOneTimeToken(two));
  expect(link).toMatchObject({ role: 'owner', websiteIds: null, expiresAt: null });

  const person = aPerson();
  const member = aMember({ accountId: link?.accountId ?? '', personId: person.id, role: 'owner' });
  await shown.people.acceptInvitation(link?.tokenHash ?? '', person, member, UNRECORDED);
  await welcome(shown.deps, 'http://stats.example', dataDir, undefined);
  expect(await shown.people.listInvitations(member.accountId)).toEqual([]);

  const hidden = await start(dataDir, false);
  expect(hidden.first + hidden.second).not.toMatch(LINK);
  const file = join(dataDir, 'setup.link');
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([expect.stringMatching(LINK), 0o600]);
  await forgetLink(dataDir);
  expect(await readdir(dataDir)).toEqual(['first.key']);
});

test('SETUP_TOKEN is the token of the link, and is told nowhere', async () => {
  const token = 'a-token-of-the-platform';
  const { first, people } = await start(await emptyFolder(), false, token);

  expect(first).toContain('http://stats.example/setup/SETUP_TOKEN');
  expect(first).not.toContain(token);
  expect(await people.findInvitation(hashOneTimeToken(token))).toBeDefined();
});

test('the links are to the address at which people reach the service', async () => {
  const dataDir = await dataFolder();
  const service = await startService({ DATA_DIR: dataDir, PUBLIC_URL: 'https://stats.example' });

  expect(await readFile(join(dataDir, 'setup.link'), 'utf8')).toMatch(/^https:\/\/stats\.example\/setup\//);
  expect(service.output().stderr).toContain('sign in at https://stats.example ');
  await service.stop();
});
