import { type ApiKey, covers } from '../access/api-key.ts';
import type { Grant } from '../access/roles.ts';
import { DomainError } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';
import { type Change, UNRECORDED } from '../changes/change.ts';
import { type Actor, type Author, type Authored, changesOf, makeEntry } from '../changes/entry.ts';
import type { PasswordHasher } from '../websites/password-hasher.ts';
import { hashOneTimeToken, INVITATION_MS, type Invitation, makeOneTimeToken } from './invitation.ts';
import { grantFaults, type Member, widerGrant } from './member.ts';
import type { PeopleRepository } from './people-repository.ts';
import {
  emailFaults,
  foldEmail,
  type IsCommonPassword,
  type Person,
  type PersonInput,
  personFaults,
  personNotFound,
  rejectFaults,
} from './person.ts';
import { vouchesFor } from './provider.ts';
import { replacePerson } from './sign-in.ts';

/** The dependencies of becoming a member. */
export interface JoinDependencies {
  readonly people: PeopleRepository;
  readonly passwords: PasswordHasher;
  readonly isCommonPassword: IsCommonPassword;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Whom to invite, and what they get. */
export interface NewInvitation extends Grant {
  readonly email: string;
}

/**
 * Invites somebody, in place of an earlier invitation of the same address. The token is stored nowhere. Nothing tells whether the
 * address has a sign-in.
 *
 * @param isMailed whether the link is mailed, and shown to nobody: then whoever opens it has the mailbox
 * @throws InvalidFields, DomainError `too_many_invitations`
 */
export async function invite(
  deps: Pick<JoinDependencies, 'people' | 'now' | 'newId' | 'randomBytes'> & Authored,
  accountId: string,
  { email, role, websiteIds }: NewInvitation,
  invitedBy: string,
  isMailed: boolean,
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  rejectFaults([...emailFaults(email), ...grantFaults({ role, websiteIds })]);
  const token = makeOneTimeToken(deps.randomBytes);
  const invitation = newInvitation(deps, { accountId, email, role, websiteIds, isMailed, invitedBy }, token);
  const about = { kind: 'invitation' } as const;
  // By its id, the invitation finds its mail.
  const mail = isMailed ? { id: invitation.id, at: invitation.createdAt, about, token } : undefined;
  await deps.people.insertInvitation(invitation, invitationChange(deps, invitation, 'created'), mail);
  return { invitation, token };
}

/** The open invitations of an account that have not expired. */
export async function listInvitations(
  { people, now }: Pick<JoinDependencies, 'people' | 'now'>,
  accountId: string,
): Promise<Invitation[]> {
  const open = await people.listInvitations(accountId);
  return open.filter((invitation) => invitation.email !== null && isOpen(invitation, now()));
}

/** Revokes an invitation. Throws `not_found`. */
export async function revokeInvitation(
  deps: Pick<JoinDependencies, 'people' | 'now' | 'newId'> & Authored,
  accountId: string,
  id: string,
): Promise<void> {
  const invitation = (await deps.people.listInvitations(accountId)).find((each) => each.id === id);
  const change = invitation && invitationChange(deps, invitation, 'deleted');
  if (change === undefined || !(await deps.people.deleteInvitation(accountId, id, change))) throw personNotFound();
}

/** The invitation of a link, unless it was used, revoked, or has expired. */
export async function findInvitation(
  { people, now }: Pick<JoinDependencies, 'people' | 'now'>,
  token: string,
): Promise<Invitation | undefined> {
  const found = await people.findInvitation(hashOneTimeToken(token));
  return found !== undefined && isOpen(found, now()) ? found : undefined;
}

/**
 * Becomes a member by an invitation, as a new person. Somebody who has a sign-in with the address uses that instead.
 *
 * @param input whose address counts where the invitation has none
 * @returns the person, who can be signed in
 * @throws InvalidFields, DomainError `not_found` if the link was used meanwhile, `email_taken`, `identity_taken`
 */
export async function acceptAsNewPerson(
  deps: JoinDependencies & { readonly request: Omit<Author, 'actor'> },
  invitation: Invitation,
  input: PersonInput,
): Promise<Person> {
  const { email, isMailed } = invitation;
  const person = await newPerson(deps, email === null ? input : { ...input, email }, isMailed);
  const actor: Actor = { type: 'person', id: person.id, label: person.name };
  await accept({ ...deps, author: { ...deps.request, actor } }, invitation, person, undefined);
  return person;
}

/**
 * Becomes a member by an invitation, as somebody who has a sign-in with its address, which a mailed one verifies.
 *
 * @throws DomainError `not_found` if the invitation is for another address, or was used meanwhile
 */
export async function acceptAs(
  deps: Pick<JoinDependencies, 'people' | 'now' | 'newId'> & Authored,
  invitation: Invitation,
  person: Person,
): Promise<void> {
  if (foldEmail(invitation.email ?? '') !== foldEmail(person.email)) throw personNotFound();
  const known = (await deps.people.membershipsOf(person.id)).find((each) => each.accountId === invitation.accountId);
  await accept(deps, invitation, person, known);
  if (!invitation.isMailed || person.isVerified) return;
  await replacePerson(
    deps,
    person,
    { ...person, isVerified: true, updatedAt: nextVersion(person, deps.now()) },
    undefined,
    undefined,
  );
}

/**
 * Becomes the first owner of an account, as a new person, with a key of all its websites that may write.
 *
 * @throws InvalidFields, DomainError `has_owner`, `email_taken`
 */
export async function addFirstOwner(
  deps: JoinDependencies & Authored,
  key: ApiKey,
  input: PersonInput,
): Promise<Person> {
  if (!(await canAddOwner(deps, key))) throw hasOwner();
  const person = await newPerson(deps, input, false);
  const member = newMember(deps, person, { accountId: key.accountId, role: 'owner', websiteIds: null });
  await deps.people.addFirstOwner(person, member, memberChange(deps, person, undefined, member));
  return person;
}

/** Whether somebody with this key can become the first owner: it is of the account itself, for all its websites, and may write. */
export async function canAddOwner(deps: Pick<JoinDependencies, 'people'>, key: ApiKey): Promise<boolean> {
  const isWhole = key.member === null && key.limitedTo === null && covers(key.scope, 'write');
  return isWhole && !(await hasOwners(deps, key.accountId));
}

/** Whether an account has an owner. */
async function hasOwners({ people }: Pick<JoinDependencies, 'people'>, accountId: string): Promise<boolean> {
  return (await people.listMembers(accountId)).some(({ member }) => member.role === 'owner');
}

/**
 * The token of the link of the first start: whoever opens it becomes the owner of the account. It replaces the one of an earlier
 * start. `undefined` once the account has an owner.
 *
 * @param chosen `SETUP_TOKEN`, if it is set
 */
export async function prepareSetup(
  deps: Pick<JoinDependencies, 'people' | 'now' | 'newId' | 'randomBytes'>,
  accountId: string,
  chosen: string | undefined,
): Promise<string | undefined> {
  if (await hasOwners(deps, accountId)) return undefined;
  const token = chosen ?? makeOneTimeToken(deps.randomBytes);
  const given = { accountId, email: null, role: 'owner', websiteIds: null, isMailed: false, invitedBy: '' } as const;
  const invitation = { ...newInvitation(deps, given, token), expiresAt: null };
  await deps.people.insertInvitation(invitation, UNRECORDED);
  return token;
}

/** The change of a member who joins (no `before`), gets other rights, or leaves (no `after`). */
export function memberChange(
  deps: Pick<JoinDependencies, 'now' | 'newId'> & Authored,
  person: Pick<Person, 'id' | 'name'>,
  before: Member | undefined,
  after: Member | undefined,
): Change {
  const verb = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
  const { accountId = '' } = after ?? before ?? {};
  const fieldsOf = (member: Member | undefined) =>
    member === undefined ? {} : { role: member.role, websiteIds: member.websiteIds };
  const subject = { id: person.id, name: person.name };
  const changes = changesOf(fieldsOf(before), fieldsOf(after));
  return { entry: makeEntry(deps, { accountId, action: `member.${verb}`, websiteId: null, subject, changes }) };
}

/** Whether the password is that of the person. */
export async function isPasswordOf(
  { passwords }: Pick<JoinDependencies, 'passwords'>,
  { passwordHash }: Person,
  password: string,
): Promise<boolean> {
  return passwordHash !== null && passwords.verify(passwordHash, password);
}

/** The account has an owner already, who invites others. */
export function hasOwner(): DomainError {
  return new DomainError('has_owner', ({ faults }) => faults.people.hasOwner);
}

/** Whether an invitation has not expired. */
export function isOpen({ expiresAt }: Invitation, now: Date): boolean {
  return expiresAt === null || now < expiresAt;
}

async function accept(
  deps: Pick<JoinDependencies, 'people' | 'now' | 'newId'> & Authored,
  invitation: Invitation,
  person: Person,
  known: Member | undefined,
): Promise<void> {
  const { accountId, role, websiteIds } = invitation;
  const member = newMember(deps, person, { accountId, role, websiteIds });
  const after = known === undefined ? member : { ...known, ...widerGrant(known, member) };
  const recorded = memberChange(deps, person, known, after);
  const change = recorded.entry?.changes.length === 0 ? UNRECORDED : recorded;
  if (!(await deps.people.acceptInvitation(invitation.tokenHash, person, member, change))) throw personNotFound();
}

/**
 * A person who is not stored yet.
 *
 * @param hasMailbox whether they have shown that the mailbox is theirs; a provider can vouch for it, too
 * @throws InvalidFields
 */
export async function newPerson(
  deps: Pick<JoinDependencies, 'isCommonPassword' | 'passwords' | 'newId' | 'now'>,
  input: PersonInput,
  hasMailbox: boolean,
): Promise<Person> {
  rejectFaults(personFaults(input, deps.isCommonPassword));
  const { email, name } = input;
  const identity = 'identity' in input ? input.identity : undefined;
  const now = deps.now();
  return {
    id: deps.newId(),
    email,
    isVerified: hasMailbox || (identity !== undefined && vouchesFor(identity, email)),
    name,
    passwordHash: 'password' in input ? await deps.passwords.hash(input.password) : null,
    identity: identity === undefined ? null : { issuer: identity.issuer, subject: identity.subject },
    language: null,
    createdAt: now,
    updatedAt: now,
  };
}

function newMember(
  { now }: Pick<JoinDependencies, 'now'>,
  { id: personId }: Person,
  grant: Grant & { readonly accountId: string },
): Member {
  const createdAt = now();
  return { personId, ...grant, isByGroup: false, createdAt, updatedAt: createdAt };
}

function newInvitation(
  { now, newId }: Pick<JoinDependencies, 'now' | 'newId'>,
  given: Pick<Invitation, 'accountId' | 'email' | 'role' | 'websiteIds' | 'isMailed' | 'invitedBy'>,
  token: string,
): Invitation {
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + INVITATION_MS);
  return { id: newId(), ...given, tokenHash: hashOneTimeToken(token), createdAt, expiresAt };
}

function invitationChange(
  deps: Pick<JoinDependencies, 'now' | 'newId'> & Authored,
  { id, accountId, role, websiteIds }: Invitation,
  verb: 'created' | 'deleted',
): Change {
  const fields = { role, websiteIds };
  // The address is recorded as a secret is: that it was set.
  const changes =
    verb === 'created'
      ? [...changesOf({}, fields), { field: 'email', change: 'set' } as const]
      : [...changesOf(fields, {}), { field: 'email', change: 'removed' } as const];
  const subject = { id, name: null };
  return { entry: makeEntry(deps, { accountId, action: `invitation.${verb}`, websiteId: null, subject, changes }) };
}
