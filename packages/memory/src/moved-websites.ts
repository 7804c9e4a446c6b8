import type { State } from './state.ts';

/** Takes a website that has left the account out of the lists of its keys, members, invitations and webhooks. */
export function forgetMoved(state: State, accountId: string, websiteId: string): void {
  const without = (ids: readonly string[] | null) => (ids === null ? null : ids.filter((id) => id !== websiteId));
  const isNamed = (ids: readonly string[] | null) => ids?.includes(websiteId) === true;
  const later = (updatedAt: Date) => new Date(updatedAt.getTime() + 1);
  for (const [id, key] of state.keys) {
    if (key.accountId === accountId) state.keys.set(id, { ...key, limitedTo: without(key.limitedTo) });
  }
  state.members = state.members.map((member) =>
    member.accountId === accountId && isNamed(member.websiteIds)
      ? { ...member, websiteIds: without(member.websiteIds), updatedAt: later(member.updatedAt) }
      : member,
  );
  state.invitations = state.invitations.map((invitation) =>
    invitation.accountId === accountId ? { ...invitation, websiteIds: without(invitation.websiteIds) } : invitation,
  );
  for (const [id, { owner, resource }] of state.resources.webhook) {
    if (owner.accountId !== accountId || !isNamed(resource.websiteIds)) continue;
    const websiteIds = without(resource.websiteIds) ?? [];
    const isActive = resource.isActive && websiteIds.length > 0;
    const changed = { websiteIds, isActive, updatedAt: later(resource.updatedAt) };
    state.resources.webhook.set(id, { owner, resource: { ...resource, ...changed } });
  }
}
