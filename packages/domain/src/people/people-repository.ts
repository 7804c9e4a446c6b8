import type { Change } from '../changes/change.ts';
import type { Invitation } from './invitation.ts';
import type { PersonMail } from './mail.ts';
import type { Member, MemberOfAccount } from './member.ts';
import type { Identity, Person } from './person.ts';

/**
 * Stores people, members and invitations. Objects are copied in and out. Every method accepts any string as an id or an address,
 * and rejects with a `DomainError` of code `unavailable` while the database is unreachable. Changes and their audit entries are
 * written together, all or nothing. What would leave an account that has an owner without one rejects with `last_owner`, also
 * where two do so at once.
 */
export interface PeopleRepository {
  find(id: string): Promise<Person | undefined>;

  /** All people, by address. */
  list(): Promise<Person[]>;

  /** The person with this address, compared without case. */
  findByEmail(email: string): Promise<Person | undefined>;

  /** The person who is linked with this identity at a provider. */
  findByIdentity(identity: Identity): Promise<Person | undefined>;

  /**
   * Replaces version `expected` of the person, and records the notice of it; `ending` also ends their sessions but the one with
   * the hash `kept`.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   * @throws DomainError `email_taken`, `identity_taken`
   */
  replace(
    person: Person,
    expected: Date,
    ending: { readonly kept: string | undefined } | undefined,
    notice?: PersonMail,
  ): Promise<boolean>;

  /** Deletes the person with their memberships and sessions; false if there is none. */
  delete(id: string, changes: readonly Change[]): Promise<boolean>;

  /** The memberships of a person, by account. */
  membershipsOf(personId: string): Promise<Member[]>;

  /** The members of an account, the oldest first. */
  listMembers(accountId: string): Promise<MemberOfAccount[]>;

  /**
   * Adds a person to an account that has no owner yet.
   *
   * @param person who is new
   * @throws DomainError `has_owner`, `not_found` if there is no such account, `email_taken`, `identity_taken`
   */
  addFirstOwner(person: Person, member: Member, change: Change): Promise<void>;

  /**
   * Adds a person to an account; a member stays as they are.
   *
   * @param person who is new, or who is there
   * @throws DomainError `not_found` if there is no such account, `email_taken`, `identity_taken`, `too_many_members`
   */
  addMember(person: Person, member: Member, change: Change): Promise<void>;

  /**
   * Replaces version `expected` of the member.
   *
   * @returns false, without writing, if that version has since been changed or deleted
   */
  replaceMember(member: Member, expected: Date, change: Change): Promise<boolean>;

  /** Removes the member, and records the notice of it; false if there is none. */
  deleteMember(accountId: string, personId: string, change: Change, notice?: PersonMail): Promise<boolean>;

  /** The open invitations of an account, the oldest first, expired ones included. */
  listInvitations(accountId: string): Promise<Invitation[]>;

  /** Why the mails of invitations of an account were not sent, by invitation: the response of the mail server at the last try. */
  listFailedInvitations(accountId: string): Promise<ReadonlyMap<string, string>>;

  /** The open invitations that were mailed to this address, compared without case, the oldest first, expired ones included. */
  listMailedInvitations(email: string): Promise<Invitation[]>;

  /** The invitation with this hash, even if expired, or `undefined`. */
  findInvitation(tokenHash: string): Promise<Invitation | undefined>;

  /**
   * Adds an invitation in place of another one for the same address, and records its mail, which has its id.
   *
   * @throws DomainError `not_found` if there is no such account; `too_many_invitations`; `no_secret_key` if this installation has no key to
   *   encrypt the token of the mail with
   */
  insertInvitation(invitation: Invitation, change: Change, mail?: PersonMail): Promise<void>;

  /** Revokes the invitation; false if there is none. */
  deleteInvitation(accountId: string, id: string, change: Change): Promise<boolean>;

  /**
   * Uses an invitation up: adds its person to the account, or gives a member the role and websites if they have less.
   *
   * @param person who is new, or who is there
   * @returns false, without writing, if it was used or revoked
   * @throws DomainError `email_taken`, `identity_taken`, `too_many_members`
   */
  acceptInvitation(tokenHash: string, person: Person, member: Member, change: Change): Promise<boolean>;
}
