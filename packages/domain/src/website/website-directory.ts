import type { Website } from './website.ts';

/** A website with the account that tracks it. */
export interface DirectoryEntry {
  readonly accountId: string;
  readonly website: Website;
}

/**
 * Finds websites by their id alone, for the collector and the pages, which have no account. What cannot be reached rejects
 * with a `DomainError` of code `unavailable`.
 */
export interface WebsiteDirectory {
  /** The website, or `undefined`. Any text is accepted as an id. */
  findById(id: string): Promise<DirectoryEntry | undefined>;

  /** The websites of all accounts with this address (`addressOf`), at most two: more than one is ambiguous. */
  findByAddress(address: string): Promise<DirectoryEntry[]>;

  /**
   * Tells of websites that any instance changed or deleted, by id, until `signal` aborts; `undefined` tells that changes may
   * have been missed, so that nothing that is remembered can be trusted.
   */
  onChange(listener: (id: string | undefined) => void, signal: AbortSignal): void;
}
