import { randomBytes } from 'node:crypto';
import {
  type AccessRepository,
  createAccount,
  formatKey,
  hashKey,
  KEY_BYTES,
  type KeyScope,
} from '@hitherto/domain/access';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import type { Reach } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anApiKey } from '@hitherto/testing/fixtures';

const deps = { now: () => new Date('2026-11-20T11:00:00.000Z'), newId, randomBytes, author: COMMAND_LINE };

/** Adds a key of a new account, or one that reaches this; resolves to the account's id and the key. */
export async function addKey(access: AccessRepository, scope: KeyScope = 'write', reach?: Reach) {
  const accountId = reach?.accountId ?? (await createAccount({ ...deps, access }, `Ægir ${newId()}`)).id;
  const key = formatKey(randomBytes(KEY_BYTES));
  const limitedTo = reach?.websiteIds ?? null;
  await access.insertKey(anApiKey({ id: newId(), accountId, limitedTo, scope, hash: hashKey(key) ?? '' }), UNRECORDED);
  return { accountId, key };
}
