import type { Account } from '../access/account.ts';
import type { ApiKey } from '../access/api-key.ts';
import type { Website } from '../website/website.ts';

/** One thing that moves from one installation to another. An account comes before its keys and websites. */
export type TransferItem =
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'key'; readonly key: ApiKey }
  | { readonly type: 'website'; readonly accountId: string; readonly website: Website };

/** How much was moved. */
export interface TransferCounts {
  readonly accounts: number;
  readonly keys: number;
  readonly websites: number;
}

/** Moves everything from one installation to another, whatever keeps it (decisions.md, "Operations"). */
export interface Transfer {
  /** Everything, as it was at one moment, read bit by bit. */
  exportAll(): AsyncIterable<TransferItem>;

  /**
   * Takes everything in, or nothing where anything fails.
   *
   * @throws DomainError `not_empty` where there is an account already
   */
  importAll(items: AsyncIterable<TransferItem>): Promise<TransferCounts>;
}
