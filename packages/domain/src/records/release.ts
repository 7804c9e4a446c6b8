/** The lists that decide what is counted, by what tells their versions apart. */
export interface CountingLists {
  /** Which user agents are bots. */
  readonly bots: string;
  /** Sources by referrer, and spammers among referrers. */
  readonly sources: string;
}

/** A version of the program that brought other lists. */
export interface Release extends CountingLists {
  readonly version: string;
  /** When it was started first. */
  readonly at: Date;
}

/** Stores which lists counted since when. Methods reject with a `DomainError` of code `unavailable` while the database is away. */
export interface ReleaseRepository {
  /** Notes the lists of a program that starts, unless the last ones are the same. */
  note(release: Release): Promise<void>;

  /** All of them, in order of time. */
  list(): Promise<readonly Release[]>;
}
