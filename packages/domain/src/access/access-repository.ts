import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';

/**
 * Keeps the accounts and their API keys. Objects are copied in and out. What cannot be reached or is overloaded rejects
 * with a `DomainError` of code `unavailable`.
 */
export interface AccessRepository {
  /** @throws DomainError `name_taken` */
  insertAccount(account: Account): Promise<void>;

  /** All accounts, by name in byte order. */
  listAccounts(): Promise<Account[]>;

  /** The account of this id, or else of this name, or `undefined`. Any text is accepted. */
  findAccount(nameOrId: string): Promise<Account | undefined>;

  /** Removes the account with its keys, its websites and all else that is its own; false where it is not there. */
  deleteAccount(id: string): Promise<boolean>;

  /** @throws DomainError `not_found` where the account is gone */
  insertKey(key: ApiKey): Promise<void>;

  /** The account's keys, revoked and expired ones too, the oldest first. */
  listKeys(accountId: string): Promise<ApiKey[]>;

  /** The key of this hash, revoked and expired ones too, or `undefined`. */
  findKeyByHash(hash: string): Promise<ApiKey | undefined>;

  /** Revokes the key; one that is revoked already stays so since then. False where it is not there. Any text is accepted. */
  revokeKey(id: string, now: Date): Promise<boolean>;

  /** Notes when keys were used last, by key id. A time never moves back; keys that are gone are passed over. */
  recordKeyUse(uses: ReadonlyMap<string, Date>): Promise<void>;
}
