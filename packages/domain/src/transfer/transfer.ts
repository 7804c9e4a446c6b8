import type { Account } from '../access/account.ts';
import type { ApiKey } from '../access/api-key.ts';
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
