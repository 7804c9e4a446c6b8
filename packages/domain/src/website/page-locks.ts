/**
 * Tells whether who may see a statistics page has been changed since somebody unlocked it. What cannot be reached rejects
 * with a `DomainError` of code `unavailable`.
 */
export interface PageLocks {
  /**
   * A number that grows whenever the website's privacy or password changes, to the same value, too; `undefined` where there
   * is no such website. Any text is accepted as an id.
   */
  versionOf(websiteId: string): Promise<number | undefined>;
}
