import { type Action, may, ROLES, type Viewer } from '@hitherto/domain/access';
import { describe, expect, it } from 'vitest';

// people.md, "Words and rights": what a role may do, with the websites that it reaches.

const [OWN, OTHER] = ['own', 'other'];
const viewer = (changes: Partial<Viewer>): Viewer => ({
  accountId: 'account',
  websiteIds: null,
  role: 'owner',
  scope: 'write',
  ...changes,
});

/** Each action with the least role, and whether it changes something or needs all websites. */
const TABLE: readonly (readonly [Action, (typeof ROLES)[number], boolean, boolean])[] = [
  ['see_statistics', 'viewer', false, false],
  ['see_settings', 'editor', false, false],
  ['change_settings', 'editor', true, false],
  ['add_and_delete_websites', 'editor', true, true],
  ['see_webhooks', 'editor', false, true],
  ['change_webhooks', 'editor', true, true],
  ['manage_account', 'owner', true, true],
];

describe.each(TABLE)('%s', (action, least, changes, needsAll) => {
  it.each(ROLES)(`needs the role ${least}: %s`, (role) => {
    const isEnough = ROLES.indexOf(role) >= ROLES.indexOf(least);
    expect(may(viewer({ role }), action)).toBe(isEnough);
    expect(may(viewer({ role }), action, OTHER)).toBe(isEnough);
  });

  it(changes ? 'needs the scope write' : 'needs the scope read alone', () => {
    expect(may(viewer({ scope: 'read' }), action)).toBe(!changes);
  });

  it(needsAll ? 'needs all websites' : 'is had of the websites that are reached', () => {
    const limited = viewer({ websiteIds: [OWN] });
    expect(may(limited, action)).toBe(!needsAll);
    expect(may(limited, action, OWN)).toBe(!needsAll);
    expect(may(limited, action, OTHER)).toBe(false);
    expect(may(viewer({ websiteIds: [] }), action, OWN)).toBe(false);
  });
});
