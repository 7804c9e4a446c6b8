/**
 * Shows whether access to a statistics page has changed since it was unlocked. Rejects with a `DomainError` of code
 * `unavailable` while the database is unreachable.
 */
export interface PageLocks {
  /**
   * A number that grows whenever the website's privacy or password is set, even to the same value; `undefined` if the website
   * does not exist. Any string is accepted as an id.
   */
  versionOf(websiteId: string): Promise<number | undefined>;
}
