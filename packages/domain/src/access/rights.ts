import { type Reach, reaches } from '../websites/reach.ts';
import { type ApiKey, covers, type KeyScope } from './api-key.ts';
import { ROLES, type Role } from './roles.ts';

/** Who asks: a member of an account, or a key. */
export interface Viewer extends Reach {
  readonly role: Role;
  /** `read` for a key that changes nothing. */
  readonly scope: KeyScope;
}

/** A key acts as an editor of its websites; that of a member with no more than the member's rights now. */
export function viewerOfKey({ accountId, member, limitedTo, scope }: ApiKey): Viewer {
  if (member === null) return { accountId, websiteIds: limitedTo, role: 'editor', scope };
  const { role, websiteIds } = member;
  return {
    accountId,
    websiteIds: limitedTo === null ? websiteIds : limitedTo.filter((id) => reaches({ accountId, websiteIds }, id)),
    role: role === 'owner' ? 'editor' : role,
    scope: role === 'viewer' ? 'read' : scope,
  };
}

interface Right {
  /** The least role. */
  readonly role: Role;
  readonly scope: KeyScope;
  /** Whether it needs all websites of the account. */
  readonly ofAll?: true;
}

/** Each action, and the role and scope that it takes (people.md, "Roles"). */
const RIGHTS = {
  /** Pages, lists and CSV, and what they name: goals, funnels, segments, annotations, dropped hits, crawlers. */
  see_statistics: { role: 'viewer', scope: 'read' },
  /** The settings of websites, and what belongs to them: links, alerts, imports, changes; "check a visit". */
  see_settings: { role: 'editor', scope: 'read' },
  /** All of these, and hits from servers. */
  change_settings: { role: 'editor', scope: 'write' },
  add_and_delete_websites: { role: 'editor', scope: 'write', ofAll: true },
  see_webhooks: { role: 'editor', scope: 'read', ofAll: true },
  change_webhooks: { role: 'editor', scope: 'write', ofAll: true },
  /** With a key; people are owners for that. */
  change_brand: { role: 'editor', scope: 'write', ofAll: true },
  /** People, the keys of the account, its name and address. */
  manage_account: { role: 'owner', scope: 'write', ofAll: true },
} as const satisfies Readonly<Record<string, Right>>;

export type Action = keyof typeof RIGHTS;

/** The scope that a key needs. */
export function scopeOf(action: Action): KeyScope {
  return RIGHTS[action].scope;
}

/**
 * The one decision on what somebody may do, with a website if it is about one. Every face asks it; where it says no of a website
 * that is not reached, that is the same as an unknown one.
 */
export function may(viewer: Viewer, action: Action, websiteId?: string): boolean {
  const right: Right = RIGHTS[action];
  return (
    ROLES.indexOf(viewer.role) >= ROLES.indexOf(right.role) &&
    covers(viewer.scope, right.scope) &&
    (right.ofAll !== true || viewer.websiteIds === null) &&
    (websiteId === undefined || reaches(viewer, websiteId))
  );
}
