import { DomainError, InvalidFields } from '../base/errors.ts';
import { type Authored, changesOf, makeEntry, secretChange } from '../changes/entry.ts';
import { wholeAccount } from '../websites/reach.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import type { AccessRepository } from './access-repository.ts';
import { type Account, type AccountInput, accountNotFound, changeAccount, makeAccount } from './account.ts';
import { type ApiKey, formatKey, hashKey, isUsable, KEY_BYTES, type KeyScope } from './api-key.ts';

/** The dependencies of the use cases. */
export interface AccessDependencies {
  readonly access: AccessRepository;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The scope, label and lifetime of a new key. */
export interface KeyOptions {
  /** `write` by default. */
  readonly scope?: KeyScope;
  /** At most 100 characters. */
  readonly label?: string;
  /** Whole days from now, 1 to 36,500; absent for a key that never expires. */
  readonly expiresInDays?: number;
  /** The only websites that it reaches, 1 to 100 of the account; absent for all. */
  readonly websiteIds?: readonly string[];
}

const MAX_LABEL_LENGTH = 100;
const MAX_WEBSITES = 100;
const MAX_DAYS = 36_500;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates an account, with the e-mail address for its reports if given. Throws `InvalidFields`, or `name_taken`. */
export async function createAccount(
  deps: AccessDependencies & Authored,
  name: string,
  email: string | null = null,
): Promise<Account> {
  const account = makeAccount(name, email, deps.newId(), deps.now());
  const { id: accountId } = account;
  const entry = makeEntry(deps, {
    accountId,
    action: 'account.created',
    websiteId: null,
    subject: { id: accountId, name },
    changes: [...changesOf({}, { name }), ...secretChange('email', null, email)],
  });
  await deps.access.insertAccount(account, { entry });
  return account;
}

/** All accounts, by name. */
export function listAccounts(deps: Pick<AccessDependencies, 'access'>): Promise<Account[]> {
  return deps.access.listAccounts();
}

/**
 * Changes an account. Returns whether anything differs.
 *
 * @throws InvalidFields, DomainError `not_found`, `name_taken`
 */
export async function updateAccount(
  deps: Authored & Pick<AccessDependencies, 'access' | 'now' | 'newId'>,
  nameOrId: string,
  given: AccountInput,
): Promise<boolean> {
  const account = await findAccount(deps, nameOrId);
  const changed = changeAccount(account, given, deps.now());
  const { id: accountId, name } = { ...account, ...changed };
  const { email = account.email, ...others } = changed;
  // Removed addresses must not remain in the trail.
  const ofAddress = secretChange('email', account.email?.address ?? null, email?.address ?? null);
  const { requiresSecondFactor } = account;
  const changes = [
    ...changesOf({ name: account.name, requiresSecondFactor }, { name, requiresSecondFactor, ...others }),
    ...ofAddress,
  ];
  if (changes.length === 0) return false;
  const subject = { id: accountId, name };
  const entry = makeEntry(deps, { accountId, action: 'account.updated', websiteId: null, subject, changes });
  if (!(await deps.access.updateAccount(accountId, changed, { entry }))) throw accountNotFound();
  return true;
}

/** Deletes an account with everything it owns. Throws `not_found`. */
export async function deleteAccount(deps: Pick<AccessDependencies, 'access'>, nameOrId: string): Promise<Account> {
  const account = await findAccount(deps, nameOrId);
  if (!(await deps.access.deleteAccount(account.id))) throw accountNotFound();
  return account;
}

/**
 * Creates a key for an account. The result holds the key itself, which is stored nowhere.
 *
 * @throws DomainError `not_found`, or `InvalidFields`
 */
export async function issueKey(
  deps: AccessDependencies & Authored & { readonly websites: Pick<WebsiteRepository, 'find'> },
  nameOrId: string,
  options: KeyOptions = {},
): Promise<{ readonly text: string; readonly key: ApiKey }> {
  const { scope = 'write', label, expiresInDays: days } = options;
  if (label !== undefined && ([...label].length > MAX_LABEL_LENGTH || /[\p{Cc}\p{Cs}]/u.test(label))) {
    const detail = `A label must have at most ${MAX_LABEL_LENGTH} characters and no control characters.`;
    throw new InvalidFields([{ field: 'label', code: 'not_allowed', detail }]);
  }
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) {
    const detail = `A key must expire in a whole number of days from 1 to ${MAX_DAYS}.`;
    throw new InvalidFields([{ field: 'expires_in', code: 'not_allowed', detail }]);
  }
  const account = await findAccount(deps, nameOrId);
  const websiteIds = options.websiteIds && [...new Set(options.websiteIds)];
  if (websiteIds !== undefined) await rejectForeign(deps, account, websiteIds);
  const text = formatKey(deps.randomBytes(KEY_BYTES));
  const hash = hashKey(text);
  if (hash === undefined) throw new Error('A new key does not match its own checksum.');
  const now = deps.now();
  const key: ApiKey = {
    id: deps.newId(),
    accountId: account.id,
    websiteIds: websiteIds ?? null,
    hash,
    scope,
    label: label || null,
    createdAt: now,
    expiresAt: days === undefined ? null : new Date(now.getTime() + days * DAY_MS),
    revokedAt: null,
    lastUsedAt: null,
  };
  const entry = makeEntry(deps, {
    accountId: account.id,
    action: 'key.created',
    websiteId: null,
    subject: { id: key.id, name: key.label },
    changes: changesOf({}, { scope, label: key.label, expiresAt: key.expiresAt?.toISOString(), websiteIds }),
  });
  await deps.access.insertKey(key, { entry });
  return { text, key };
}

/** Throws `InvalidFields` unless all are websites of the account, and there are as many as a key may have. */
async function rejectForeign(
  { websites }: { readonly websites: Pick<WebsiteRepository, 'find'> },
  account: Account,
  websiteIds: readonly string[],
): Promise<void> {
  if (websiteIds.length < 1 || websiteIds.length > MAX_WEBSITES) {
    const detail = `A key reaches all websites of its account, or 1 to ${MAX_WEBSITES} of them.`;
    throw new InvalidFields([{ field: 'website_ids', code: 'not_allowed', detail }]);
  }
  for (const id of websiteIds) {
    if ((await websites.find(wholeAccount(account.id), id)) !== undefined) continue;
    const detail = `${id} is not the id of a website of this account.`;
    throw new InvalidFields([{ field: 'website_ids', code: 'unknown_website', detail }]);
  }
}

/** The keys of an account, oldest first. Throws `not_found`. */
export async function listKeys(deps: Pick<AccessDependencies, 'access'>, nameOrId: string): Promise<ApiKey[]> {
  const account = await findAccount(deps, nameOrId);
  return deps.access.listKeys(account.id);
}

/** Revokes a key permanently. Throws `not_found`. */
export async function revokeKey(
  deps: Authored & Pick<AccessDependencies, 'access' | 'now' | 'newId'>,
  id: string,
): Promise<void> {
  const key = await deps.access.findKey(id);
  if (key !== undefined && key.revokedAt !== null) return;
  if (key !== undefined) {
    const subject = { id, name: key.label };
    const about = { accountId: key.accountId, action: 'key.revoked', websiteId: null, subject, changes: [] } as const;
    if (await deps.access.revokeKey(id, deps.now(), { entry: makeEntry(deps, about) })) return;
  }
  throw new DomainError(
    'not_found',
    "There is no key with this id. `keys list --account NAME_OR_ID` shows an account's keys.",
  );
}

/**
 * The key with this string, or `undefined` if it is malformed, unknown, revoked or expired. A malformed key costs no query.
 */
export async function authenticate(
  deps: Pick<AccessDependencies, 'access' | 'now'>,
  text: string,
): Promise<ApiKey | undefined> {
  const hash = hashKey(text);
  const key = hash === undefined ? undefined : await deps.access.findKeyByHash(hash);
  return key !== undefined && isUsable(key, deps.now()) ? key : undefined;
}

async function findAccount(deps: Pick<AccessDependencies, 'access'>, nameOrId: string): Promise<Account> {
  const account = await deps.access.findAccount(nameOrId);
  if (account === undefined) throw accountNotFound();
  return account;
}
