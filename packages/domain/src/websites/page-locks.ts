/**
 * The lock of a statistics page is its privacy and password. An unlock is valid for one version of it. Rejects with a `DomainError` of
 * code `unavailable` while the database is unreachable.
 */
export interface PageLocks {
  /**
   * A number that grows whenever the website's privacy or password is set, even to the same value; `undefined` if the website
   * does not exist. Any string is accepted as an id.
   */
  versionOf(websiteId: string): Promise<number | undefined>;
}
