import type { AccessRepository } from '../access/access-repository.ts';
import type { Grant, Role } from '../access/roles.ts';
import { DomainError } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';
import type { Author } from '../changes/entry.ts';
import { wholeAccount } from '../websites/reach.ts';
import type { WebsiteDirectory } from '../websites/website-directory.ts';
import { addressOf } from '../websites/website-url.ts';
import { type JoinDependencies, memberChange } from './join.ts';
import { type Member, widerGrant } from './member.ts';
import type { Person } from './person.ts';

/** What the members of a group at the provider get: a line of `OIDC_GROUPS`. */
export interface GroupRule {
  readonly group: string;
  /** The name of the account. */
  readonly account: string;
  readonly role: Role;
  /** The url of its only website; `undefined` for all. */
  readonly website: string | undefined;
}

/** The dependencies of memberships by group. */
export interface GroupDependencies extends Pick<JoinDependencies, 'people' | 'now' | 'newId'> {
  readonly access: Pick<AccessRepository, 'findAccount'>;
  readonly directory: Pick<WebsiteDirectory, 'findByAddress'>;
  /** Where the request came from; the provider makes the changes. */
  readonly request: Omit<Author, 'actor'>;
}

/** The rights that groups give, by account. Rules whose account or website does not exist give none. */
export async function grantsOf(
  { access, directory }: Pick<GroupDependencies, 'access' | 'directory'>,
  rules: readonly GroupRule[],
  groups: readonly string[],
): Promise<Map<string, Grant>> {
  const grants = new Map<string, Grant>();
  for (const { group, account, role, website } of rules) {
    if (!groups.includes(group)) continue;
    const found = await access.findAccount(account);
    if (found === undefined) continue;
    let websiteIds: string[] | null = null;
    if (website !== undefined && role !== 'owner') {
      const entries = await directory.findByAddress(addressOf(website), wholeAccount(found.id));
      websiteIds = entries.map((entry) => entry.website.id);
      if (websiteIds.length === 0) continue;
    }
    const grant = { role, websiteIds };
    const other = grants.get(found.id);
    grants.set(found.id, other === undefined ? grant : widerGrant(other, grant));
  }
  return grants;
}

/**
 * Brings the memberships that groups have made in line with these grants. Those that were made by hand stay, and so does the last
 * owner.
 *
 * @param person who is new, or who is there
 * @throws DomainError `email_taken`
 */
export async function applyGrants(
  deps: GroupDependencies,
  person: Person,
  grants: ReadonlyMap<string, Grant>,
): Promise<void> {
  const members = await deps.people.membershipsOf(person.id);
  for (const [accountId, grant] of grants) {
    const member = members.find((each) => each.accountId === accountId);
    if (member?.isByGroup !== false) await grantByGroup(deps, person, member, accountId, grant);
  }
  for (const member of members) {
    if (!member.isByGroup || grants.has(member.accountId)) continue;
    const change = changeOf(deps, person, member, undefined);
    await unlessRejected('last_owner', () => deps.people.deleteMember(member.accountId, person.id, change));
  }
}

async function grantByGroup(
  deps: GroupDependencies,
  person: Person,
  member: Member | undefined,
  accountId: string,
  grant: Grant,
): Promise<void> {
  const now = deps.now();
  if (member === undefined) {
    const added = { personId: person.id, accountId, ...grant, isByGroup: true, createdAt: now, updatedAt: now };
    const change = changeOf(deps, person, undefined, added);
    await unlessRejected('too_many_members', () => deps.people.addMember(person, added, change));
    return;
  }
  const changed = { ...member, ...grant, updatedAt: nextVersion(member, now) };
  const change = changeOf(deps, person, member, changed);
  // Of two sign-ins at once, the other one has done the same.
  if (change.entry?.changes.length === 0) return;
  await unlessRejected('last_owner', () => deps.people.replaceMember(changed, member.updatedAt, change));
}

function changeOf(
  { request, ...deps }: GroupDependencies,
  person: Person,
  before: Member | undefined,
  after: Member | undefined,
) {
  const actor = { type: 'provider', id: null, label: null } as const;
  return memberChange({ ...deps, author: { ...request, actor } }, person, before, after);
}

async function unlessRejected(code: DomainError['code'], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== code) throw error;
  }
}
