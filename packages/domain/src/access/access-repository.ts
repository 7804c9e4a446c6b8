import type { Change } from '../changes/change.ts';
import type { Account, AccountChanges } from './account.ts';
import type { ApiKey } from './api-key.ts';

/**
 * Stores accounts and their API keys. Objects are copied in and out. All methods reject with a `DomainError` of code
 * `unavailable` while the database is unreachable or overloaded. The audit entry of a change is written with it, both or
 * neither.
 */
export interface AccessRepository {
  /** @throws DomainError `name_taken` */
  insertAccount(account: Account, change: Change): Promise<void>;

  /** All accounts, by name in byte order. */
  listAccounts(): Promise<Account[]>;

  /** The account with this id, otherwise with this name, or `undefined`. Any string is accepted. */
  findAccount(nameOrId: string): Promise<Account | undefined>;

  /**
   * Changes the account; false if it does not exist. Any string is accepted as an id.
   *
   * @throws DomainError `name_taken`
   */
  updateAccount(id: string, changes: AccountChanges, change: Change): Promise<boolean>;

  /** The content of a logo of any account, by its name, or `undefined`. Any string is accepted. */
  findLogo(name: string): Promise<Uint8Array | undefined>;

  /** Deletes the account with its keys, websites and everything else it owns; false if it does not exist. */
  deleteAccount(id: string): Promise<boolean>;

  /** @throws DomainError `not_found` if the account or the member does not exist; `too_many_keys` of a person */
  insertKey(key: ApiKey, change: Change): Promise<void>;

  /** The keys of the account and of its members, including revoked and expired ones, oldest first. */
  listKeys(accountId: string): Promise<ApiKey[]>;

  /** The keys of a person in all accounts, including revoked and expired ones, oldest first. Any string is accepted. */
  listKeysOfPerson(personId: string): Promise<ApiKey[]>;

  /** The key, even if revoked or expired, or `undefined`. Any string is accepted as an id. */
  findKey(id: string): Promise<ApiKey | undefined>;

  /** The key with this hash, even if revoked or expired, or `undefined`. */
  findKeyByHash(hash: string): Promise<ApiKey | undefined>;

  /** Revokes the key. The time of an earlier revocation does not change. False if the key does not exist. Any string is accepted. */
  revokeKey(id: string, now: Date, change: Change): Promise<boolean>;

  /** Records last-used times by key id. A time never moves back; missing keys are ignored. */
  recordKeyUse(uses: ReadonlyMap<string, Date>): Promise<void>;
}
