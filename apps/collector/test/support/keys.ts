import { randomBytes } from 'node:crypto';
import { type AccessRepository, createAccount, issueKey, type Scope } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';

/** Adds an account with a key; resolves to its id and the key. */
export async function addKey(access: AccessRepository, scope: Scope = 'write') {
  const deps = { access, now: () => new Date('2026-11-20T11:00:00.000Z'), newId, randomBytes, author: COMMAND_LINE };
  const { id } = await createAccount(deps, `Ægir ${newId()}`);
  const { text } = await issueKey(deps, id, { scope });
  return { accountId: id, key: text };
}
