import type { Account, ApiKey, Session, StoreRecord, Website } from '@hitherto/domain';

/** An account and what is its own but for its keys. */
export interface AccountState {
  readonly account: Account;
  /** By id. */
  readonly websites: Map<string, Website>;
  /** The ids of the websites by address, which holds each address once. */
  readonly idsByAddress: Map<string, string>;
  /** By the hash of the store's key. */
  readonly records: Map<string, StoreRecord>;
}

/** All that one store keeps; its repositories share it, so that an account takes everything with it when it goes. */
export interface State {
  /** By id. */
  accounts: Map<string, AccountState>;
  /** By id. */
  keys: Map<string, ApiKey>;
  /** By hash. */
  readonly sessions: Map<string, Session>;
}

/** A state that holds nothing. */
export function emptyState(): State {
  return { accounts: new Map(), keys: new Map(), sessions: new Map() };
}
