import type { AuditEntry } from '../changes/entry.ts';
import type { Reach } from '../websites/reach.ts';

/** Which entries of an account are wanted. */
export interface AuditFilter {
  /** Only those about this website, which need not exist any more. */
  readonly websiteId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

/** The maximum size of the changes in one read of several entries, in bytes of JSON: one entry may have megabytes. */
export const MAX_AUDIT_BYTES = 4_194_304;

/** The place of an entry in the list: the entries after it are older. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

/**
 * Reads the entries that repositories recorded with each change, in its transaction: all of an account, or those of the websites
 * that are reached. Entries of deleted websites stay; those of deleted
 * accounts go with them. Any string is accepted as an id. Every method rejects with a `DomainError` of code `unavailable`
 * while the database is unreachable.
 */
export interface AuditTrail {
  /**
   * At most `limit` entries, newest first, from the position on: fewer if their changes have more than
   * `MAX_AUDIT_BYTES`, but at least one if there are any.
   */
  list(
    reach: Reach,
    filter: AuditFilter,
    limit: number,
    after?: AuditPosition,
  ): Promise<{ readonly entries: AuditEntry[]; readonly hasMore: boolean }>;

  /** The entry, or `undefined`. */
  find(reach: Reach, id: string): Promise<AuditEntry | undefined>;

  /** Deletes the entries made before `time`; returns how many. */
  deleteBefore(time: Date): Promise<number>;
}
