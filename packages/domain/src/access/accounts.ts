import { type Authored, changesOf, makeEntry, secretChange } from '../changes/entry.ts';
import type { AccessRepository } from './access-repository.ts';
import { type Account, type AccountInput, accountNotFound, changeAccount, makeAccount } from './account.ts';

/** The dependencies of the use cases. */
export interface AccessDependencies {
  readonly access: AccessRepository;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

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

/** Throws `not_found`. */
export async function findAccount(deps: Pick<AccessDependencies, 'access'>, nameOrId: string): Promise<Account> {
  const account = await deps.access.findAccount(nameOrId);
  if (account === undefined) throw accountNotFound();
  return account;
}
