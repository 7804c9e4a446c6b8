import { accountNotFound } from '@hitherto/domain/access';
import type { Change } from '@hitherto/domain/changes';
import {
  emailTaken,
  foldEmail,
  hasOwner,
  type Identity,
  type Invitation,
  identityTaken,
  lastOwner,
  MAX_ACCOUNTS_OF_PERSON,
  MAX_INVITATIONS,
  MAX_MEMBERS,
  type Member,
  type PeopleRepository,
  type Person,
  type PersonLink,
  tooManyInvitations,
  tooManyMembers,
  widerGrant,
} from '@hitherto/domain/people';
import { deleteKeysOfMember } from '../access-repository.ts';
import { audit } from '../audit-trail.ts';
import type { State } from '../state.ts';
import { addMail, taskOf } from '../task-queue.ts';
import { deleteLinks } from './link-repository.ts';
import { findMember, membershipsIn, membersIn } from './members.ts';

/** Stores people in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createPeopleRepository(state: State): PeopleRepository {
  const findByEmail = (email: string) =>
    [...state.people.values()].find((person) => foldEmail(person.email) === foldEmail(email));

  const findByIdentity = ({ issuer, subject }: Identity) =>
    [...state.people.values()].find(({ identity }) => identity?.issuer === issuer && identity.subject === subject);

  /** Nobody else may have the address or the identity. */
  const setPerson = (person: Person) => {
    const isOther = (other: Person | undefined) => other !== undefined && other.id !== person.id;
    if (isOther(findByEmail(person.email))) throw emailTaken();
    if (person.identity !== null && isOther(findByIdentity(person.identity))) throw identityTaken();
    state.people.set(person.id, structuredClone(person));
  };

  /** Checks everything before it writes anything. */
  const join = (person: Person, member: Member, change: Change) => {
    if (!state.accounts.has(member.accountId)) throw accountNotFound();
    const known = findMember(state, member.accountId, member.personId);
    const isFull =
      membersIn(state, member.accountId).length >= MAX_MEMBERS ||
      membershipsIn(state, person.id).length >= MAX_ACCOUNTS_OF_PERSON;
    if (known === undefined && isFull) throw tooManyMembers();
    if (!state.people.has(person.id)) setPerson(person);
    state.members = state.members.filter((each) => each !== known);
    const joined =
      known === undefined
        ? member
        : { ...known, ...widerGrant(known, member), isByGroup: false, updatedAt: member.updatedAt };
    state.members.push(structuredClone(joined));
    audit(state, change);
  };

  return {
    async find(id) {
      return structuredClone(state.people.get(id));
    },

    async list() {
      const keyOf = ({ email }: Person) => Buffer.from(foldEmail(email));
      return structuredClone([...state.people.values()].sort((a, b) => Buffer.compare(keyOf(a), keyOf(b))));
    },

    async findByEmail(email) {
      return structuredClone(findByEmail(email));
    },

    async findByIdentity(identity) {
      return structuredClone(findByIdentity(identity));
    },

    async replace(person, expected, ending, notice) {
      if (state.people.get(person.id)?.updatedAt.getTime() !== expected.getTime()) return false;
      setPerson(person);
      if (notice !== undefined) addMail(state, notice);
      if (ending === undefined) return true;
      endSessions(state, person.id, ending.kept);
      const isOwn = ({ personId, email }: PersonLink) =>
        personId === null ? foldEmail(email ?? '') === foldEmail(person.email) : personId === person.id;
      deleteLinks(state, isOwn);
      return true;
    },

    async delete(id, changes) {
      const members = membershipsIn(state, id);
      for (const member of members) rejectLastOwner(state, member);
      for (const member of members) deleteKeysOfMember(state, member);
      state.members = state.members.filter(({ personId }) => personId !== id);
      endSessions(state, id, undefined);
      state.secondFactors.delete(id);
      deletePasskeys(state, id);
      deleteLinks(state, ({ personId }) => personId === id);
      state.subscriptions = state.subscriptions.filter(({ personId }) => personId !== id);
      if (!state.people.delete(id)) return false;
      for (const change of changes) audit(state, change);
      return true;
    },

    async membershipsOf(personId) {
      return structuredClone(membershipsIn(state, personId));
    },

    async listMembers(accountId) {
      return membersIn(state, accountId).flatMap((member) => {
        const { id, email, name } = state.people.get(member.personId) ?? {};
        if (id === undefined || email === undefined || name === undefined) return [];
        const lastUsedOn = state.lastUses.get(id)?.toISOString().slice(0, 10) ?? null;
        const hasSecondFactor = state.secondFactors.has(id);
        return [structuredClone({ member, person: { id, email, name }, hasSecondFactor, lastUsedOn })];
      });
    },

    async addFirstOwner(person, member, change) {
      if (membersIn(state, member.accountId).some(({ role }) => role === 'owner')) throw hasOwner();
      join(person, member, change);
    },

    async addMember(person, member, change) {
      if (findMember(state, member.accountId, member.personId) === undefined) join(person, member, change);
    },

    async replaceMember(member, expected, change) {
      const current = findMember(state, member.accountId, member.personId);
      if (current?.updatedAt.getTime() !== expected.getTime()) return false;
      if (member.role !== 'owner') rejectLastOwner(state, current);
      state.members = state.members.map((each) => (each === current ? structuredClone(member) : each));
      audit(state, change);
      return true;
    },

    async deleteMember(accountId, personId, change, notice) {
      const current = findMember(state, accountId, personId);
      if (current === undefined) return false;
      rejectLastOwner(state, current);
      deleteKeysOfMember(state, current);
      state.members = state.members.filter((each) => each !== current);
      state.subscriptions = state.subscriptions.filter(
        (each) => each.accountId !== accountId || each.personId !== personId,
      );
      audit(state, change);
      if (notice !== undefined) addMail(state, notice);
      return true;
    },

    async listInvitations(accountId) {
      return structuredClone(byAge(state.invitations.filter((each) => each.accountId === accountId)));
    },

    async listFailedInvitations(accountId) {
      const own = state.invitations.filter((each) => each.accountId === accountId);
      return new Map(
        own.flatMap(({ id }) => {
          const failure = taskOf(state, { kind: 'mail', websiteId: null, key: id })?.failure;
          return failure === undefined ? [] : [[id, failure.detail]];
        }),
      );
    },

    async listMailedInvitations(email) {
      const isFor = (each: Invitation) => each.email !== null && foldEmail(each.email) === foldEmail(email);
      return structuredClone(byAge(state.invitations.filter((each) => each.isMailed && isFor(each))));
    },

    async findInvitation(tokenHash) {
      return structuredClone(state.invitations.find((each) => each.tokenHash === tokenHash));
    },

    async insertInvitation(invitation, change, mail) {
      const { accountId, email } = invitation;
      if (!state.accounts.has(accountId)) throw accountNotFound();
      const others = state.invitations.filter((each) => !isForSame(each, invitation));
      const open = others.filter((each) => each.accountId === accountId && each.email !== null);
      if (email !== null && open.length >= MAX_INVITATIONS) throw tooManyInvitations();
      state.invitations = [...others, structuredClone(invitation)];
      if (mail !== undefined) addMail(state, mail);
      audit(state, change);
    },

    async deleteInvitation(accountId, id, change) {
      const kept = state.invitations.filter((each) => each.accountId !== accountId || each.id !== id);
      if (kept.length === state.invitations.length) return false;
      state.invitations = kept;
      audit(state, change);
      return true;
    },

    async acceptInvitation(tokenHash, person, member, change) {
      const kept = state.invitations.filter((each) => each.tokenHash !== tokenHash);
      if (kept.length === state.invitations.length) return false;
      join(person, member, change);
      state.invitations = kept;
      return true;
    },
  };
}

/** Throws `last_owner` if the account has no other owner. */
function rejectLastOwner(state: State, { accountId, personId, role }: Member): void {
  if (role !== 'owner') return;
  const owners = membersIn(state, accountId).filter((each) => each.role === 'owner');
  if (owners.every((each) => each.personId === personId)) throw lastOwner();
}

/** Deletes the passkeys of a person. */
export function deletePasskeys(state: State, owner: string): void {
  for (const { id, personId } of [...state.passkeys.values()]) if (personId === owner) state.passkeys.delete(id);
}

/** Ends the sessions of a person but one, and their sign-ins that wait. */
export function endSessions(state: State, id: string, kept: string | undefined): void {
  for (const { hash, of } of [...state.sessions.values()]) {
    if ('personId' in of && of.personId === id && hash !== kept) state.sessions.delete(hash);
  }
  for (const { hash, personId } of [...state.pendingSignIns.values()]) {
    if (personId === id) state.pendingSignIns.delete(hash);
  }
}

function byAge(invitations: readonly Invitation[]): Invitation[] {
  return invitations.toSorted((a, b) => +a.createdAt - +b.createdAt || (a.id > b.id ? 1 : -1));
}

function isForSame(one: Invitation, other: Invitation): boolean {
  const keyOf = ({ email }: Invitation) => (email === null ? null : foldEmail(email));
  return one.accountId === other.accountId && keyOf(one) === keyOf(other);
}
