import type { Account } from '../access/account.ts';
import type { ApiKey } from '../access/api-key.ts';
import { DomainError, type DomainErrorCode } from '../errors.ts';
import type { Website } from '../website/website.ts';

/** One record that moves from one installation to another. An account comes before its keys and websites. */
export type TransferItem =
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'key'; readonly key: ApiKey }
  | { readonly type: 'website'; readonly accountId: string; readonly website: Website };

/** How many records were moved. */
export interface TransferCounts {
  readonly accounts: number;
  readonly keys: number;
  readonly websites: number;
}

/** Moves everything from one installation to another, with any adapter (decisions.md, "Operations"). */
export interface Transfer {
  /** All records, from one snapshot, read as a stream. */
  exportAll(): AsyncIterable<TransferItem>;

  /**
   * Imports all records, or none if anything fails.
   *
   * @throws DomainError `not_empty` if there is an account already
   * @throws ItemRefused if a record conflicts with an earlier one or its account is missing
   */
  importAll(items: AsyncIterable<TransferItem>): Promise<TransferCounts>;
}

/** Why a record cannot be imported; `not_found` means that its account is not among the records before it. */
export type RefusalCode = Extract<DomainErrorCode, 'not_found' | 'name_taken' | 'url_taken' | 'id_taken'>;

const REASONS: Readonly<Record<RefusalCode, string>> = {
  not_found: 'there is no account with this id before it',
  name_taken: 'there is already an account with this name',
  url_taken: 'the account already has a website with this address',
  id_taken: 'there is already a record with this id or key hash',
};

/** A record conflicts with those before it, so nothing is imported. */
export class ItemRefused extends DomainError {
  override readonly name = 'ItemRefused';
  override readonly code: RefusalCode;
  /** Which record it is, counted from 1. */
  readonly position: number;
  /** Why, in words that can follow the place of the record. */
  readonly reason: string;

  constructor(code: RefusalCode, position: number, options?: ErrorOptions) {
    const reason = REASONS[code];
    super(code, `Record ${position}: ${reason}.`, options);
    this.code = code;
    this.position = position;
    this.reason = reason;
  }
}
