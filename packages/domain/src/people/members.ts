import type { AccessRepository } from '../access/access-repository.ts';
import type { Grant } from '../access/roles.ts';
import { nextVersion, type Precondition, untilSettled } from '../base/versions.ts';
import type { Authored } from '../changes/entry.ts';
import { type JoinDependencies, memberChange } from './join.ts';
import { makeNotice } from './mail.ts';
import { grantFaults, type Member, type MemberOfAccount } from './member.ts';
import type { PeopleRepository } from './people-repository.ts';
import { type Person, personNotFound, rejectFaults } from './person.ts';

type Changing = Pick<JoinDependencies, 'people' | 'now' | 'newId'> & Authored;

/** The member of an account. Throws `not_found`. */
export async function showMember(
  { people }: { readonly people: Pick<PeopleRepository, 'listMembers'> },
  accountId: string,
  personId: string,
): Promise<MemberOfAccount> {
  const found = (await people.listMembers(accountId)).find(({ person }) => person.id === personId);
  if (found === undefined) throw personNotFound();
  return found;
}

/**
 * Gives a member other rights, which hold from their next request on.
 *
 * @param precondition checks the rights that they have now, unless the member has these already
 * @throws InvalidFields, DomainError `not_found`, `last_owner`, and the error of the precondition
 */
export function changeMember(
  deps: Changing,
  accountId: string,
  personId: string,
  grant: Grant,
  precondition?: Precondition,
): Promise<Member> {
  rejectFaults(grantFaults(grant));
  return untilSettled(async () => {
    const { member, person } = await showMember(deps, accountId, personId);
    // What was changed by hand stays.
    const changed = { ...member, ...grant, isByGroup: false, updatedAt: nextVersion(member, deps.now()) };
    const change = memberChange(deps, person, member, changed);
    if (change.entry?.changes.length === 0) return member;
    precondition?.(member);
    return (await deps.people.replaceMember(changed, member.updatedAt, change)) ? changed : undefined;
  });
}

/** Removes a member, and tells them by mail. Throws `not_found`, `last_owner`. */
export async function removeMember(
  deps: Changing & { readonly access: Pick<AccessRepository, 'findAccount'> },
  accountId: string,
  personId: string,
): Promise<void> {
  const { member, person } = await showMember(deps, accountId, personId);
  const change = memberChange(deps, person, member, undefined);
  const account = await deps.access.findAccount(accountId);
  const about = { kind: 'removed_from_account', ...(account && { account: account.name }) } as const;
  const notice = makeNotice(deps, personId, about);
  if (!(await deps.people.deleteMember(accountId, personId, change, notice))) throw personNotFound();
}

/** All people of the installation, by address. */
export function listPeople({ people }: { readonly people: Pick<PeopleRepository, 'list'> }): Promise<Person[]> {
  return people.list();
}

/** Deletes a person, with all memberships and sessions. Throws `not_found`, `last_owner`. */
export async function deletePerson(deps: Changing, id: string): Promise<void> {
  const person = await deps.people.find(id);
  if (person === undefined) throw personNotFound();
  const members = await deps.people.membershipsOf(id);
  const changes = members.map((member) => memberChange(deps, person, member, undefined));
  if (!(await deps.people.delete(id, changes))) throw personNotFound();
}
