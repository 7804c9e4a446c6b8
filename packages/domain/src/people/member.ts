import type { Viewer } from '../access/rights.ts';
import { type Grant, ROLES } from '../access/roles.ts';
import { DomainError, type Fault, inWords } from '../base/errors.ts';
import type { Person } from './person.ts';

/** A person in an account: what they may do there, and with which websites. */
export interface Member extends Grant {
  readonly accountId: string;
  readonly personId: string;
  /** Whether a group at the provider made it; each sign-in there brings it in line. */
  readonly isByGroup: boolean;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond. */
  readonly updatedAt: Date;
}

/** A member with the person. */
export interface MemberOfAccount {
  readonly member: Member;
  readonly person: Pick<Person, 'id' | 'email' | 'name'>;
  readonly hasSecondFactor: boolean;
  /** When the person last used the pages, to the day. */
  readonly lastUsedOn: string | null;
}

export const MAX_MEMBERS = 1_000;
export const MAX_ACCOUNTS_OF_PERSON = 100;

/** The faults of a grant: owners have all websites, others all or at least one. */
export function grantFaults({ role, websiteIds }: Grant): Fault[] {
  if (websiteIds === null) return [];
  if (role === 'owner') {
    return [{ field: 'websites', code: 'not_allowed', ...inWords(({ faults }) => faults.people.websitesOfOwner) }];
  }
  if (websiteIds.length > 0) return [];
  return [{ field: 'websites', code: 'required', ...inWords(({ faults }) => faults.people.noWebsite) }];
}

/** What a member may do, as `may` asks. */
export function viewerOfMember({ accountId, websiteIds, role }: Member): Viewer {
  return { accountId, websiteIds, role, scope: 'write' };
}

/** Once an account has an owner, it always has one. */
export function lastOwner(): DomainError {
  return new DomainError('last_owner', ({ faults }) => faults.people.lastOwner);
}

/** The account has as many members, or the person is in as many accounts, as there may be. */
export function tooManyMembers(): DomainError {
  return new DomainError('too_many_members', ({ faults }) =>
    faults.people.tooMany(MAX_MEMBERS, MAX_ACCOUNTS_OF_PERSON),
  );
}

/** The wider of two roles, and all websites of both: an invitation takes nothing away from a member. */
export function widerGrant(one: Grant, other: Grant): Grant {
  const role = ROLES.indexOf(one.role) > ROLES.indexOf(other.role) ? one.role : other.role;
  const hasAll = role === 'owner' || one.websiteIds === null || other.websiteIds === null;
  return { role, websiteIds: hasAll ? null : [...new Set([...(one.websiteIds ?? []), ...(other.websiteIds ?? [])])] };
}
