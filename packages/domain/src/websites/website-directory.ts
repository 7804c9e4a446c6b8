import type { Reach } from './reach.ts';
import type { Website } from './website.ts';

/** A website with the account that tracks it. */
export interface DirectoryEntry {
  readonly accountId: string;
  readonly website: Website;
}

/** Names that a request may mean a website by. */
export interface Names {
  readonly aliases: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Finds websites of all accounts, for the collector and the pages, which have no account. Rejects with a `DomainError` of code
 * `unavailable` while the database is unreachable.
 */
export interface WebsiteDirectory {
  /** The website, or `undefined`. Any string is accepted as an id. */
  findById(id: string): Promise<DirectoryEntry | undefined>;

  /**
   * The account whose website has had one of these names first: as an alias, or as its address or host, with its port if it
   * has one. A website has a name since it was given it, and loses it with the alias, the url or itself; the next one then
   * follows. Names from before this was recorded come first: aliases, then addresses and then hosts in the order given, and
   * of these the website that was created first.
   */
  findOwner(names: Names): Promise<string | undefined>;

  /**
   * The websites with this address (`addressOf`), at most two: more than one is ambiguous. Any string is accepted as an id.
   */
  findByAddress(address: string, reach: Reach): Promise<DirectoryEntry[]>;

  /** The same by the host of the address, with its port if it has one. */
  findByHost(host: string, reach: Reach): Promise<DirectoryEntry[]>;

  /** The website of any account with this alias, or `undefined`. Any string is accepted as an alias. */
  findByAlias(alias: string): Promise<DirectoryEntry | undefined>;

  /**
   * Reports the ids of websites that any instance changed or deleted, until `signal` aborts; `undefined` means that changes may
   * have been missed, so everything cached is suspect.
   */
  onChange(listener: (id: string | undefined) => void, signal: AbortSignal): void;
}
