/** Names a website of an account. Another account's website counts as absent. */
export interface WebsiteKey {
  readonly accountId: string;
  readonly websiteId: string;
}
