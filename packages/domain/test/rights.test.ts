import { type Action, type ApiKey, may, ROLES, type Viewer, viewerOfKey } from '@hitherto/domain/access';
import { describe, expect, it } from 'vitest';
import { anApiKey } from '../../testing/src/fixtures.ts';

// people.md, "Roles": what a role may do, with the websites that it reaches.

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

describe('a key', () => {
  const of = (overrides: Partial<ApiKey>) => {
    const { role, scope, websiteIds } = viewerOfKey(anApiKey(overrides));
    return [role, scope, websiteIds];
  };
  const member = (role: Viewer['role'], websiteIds: Viewer['websiteIds'] = null) => ({
    personId: 'person',
    role,
    websiteIds,
  });

  it('of an account acts as an editor of its websites', () => {
    expect(of({})).toEqual(['editor', 'write', null]);
    expect(of({ scope: 'read', limitedTo: [OWN] })).toEqual(['editor', 'read', [OWN]]);
  });

  it('of a member never does more than the member, and never manages the account', () => {
    expect(of({ member: member('owner') })).toEqual(['editor', 'write', null]);
    expect(of({ member: member('editor', [OWN]), scope: 'read' })).toEqual(['editor', 'read', [OWN]]);
    expect(of({ member: member('viewer') })).toEqual(['viewer', 'read', null]);
  });

  it('that is limited has the websites that the member has too', () => {
    expect(of({ member: member('editor', [OWN]), limitedTo: [OTHER, OWN] })).toEqual(['editor', 'write', [OWN]]);
    expect(of({ member: member('editor', [OWN]), limitedTo: [OTHER] })).toEqual(['editor', 'write', []]);
    expect(of({ member: member('owner'), limitedTo: [OTHER] })).toEqual(['editor', 'write', [OTHER]]);
  });
});
