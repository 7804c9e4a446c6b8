/** The role of a member, each with the rights of those before it. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** What a member is given in an account. */
export interface Grant {
  readonly role: Role;
  /** `null` for all websites. Ids of websites that are gone reach nothing. */
  readonly websiteIds: readonly string[] | null;
}
