import { accountNotFound } from '@hitherto/domain/access';
import { isId, isStorable } from '@hitherto/domain/base';
import {
  emailTaken,
  foldEmail,
  hasOwner,
  identityTaken,
  lastOwner,
  MAX_ACCOUNTS_OF_PERSON,
  MAX_INVITATIONS,
  MAX_MEMBERS,
  type Member,
  type PeopleRepository,
  type Person,
  tooManyInvitations,
  tooManyMembers,
  widerGrant,
} from '@hitherto/domain/people';
import { toAudited } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import type { Transaction } from '../connection/transaction.ts';
import { addMail, changeWithMail } from '../queue/task-queue.ts';
import type { Seal } from '../seal.ts';
import * as statements from './people-statements.ts';

/** Stores people, members and invitations in PostgreSQL. */
export function createPeopleRepository(database: Database, seal: Seal): PeopleRepository {
  /** Changes members of these accounts, of which none loses its last owner. */
  const changing = <Result>(
    accountIds: readonly string[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> =>
    database.transaction(async (transaction) => {
      const ids = accountIds.filter(isId);
      const { rows: found } = await transaction.query(statements.lockAccounts.with({ ids }));
      if (found.length < accountIds.length) throw accountNotFound();
      const { rows: before } = await transaction.query(statements.withoutOwner.with({ ids }));
      const result = await work(transaction);
      const { rows: after } = await transaction.query(statements.withoutOwner.with({ ids }));
      if (after.some(({ id }) => !before.some((each) => each.id === id))) throw lastOwner();
      return result;
    });

  return {
    async find(id) {
      if (!isId(id)) return undefined;
      return (await database.read(statements.findPerson.with({ id })))[0];
    },

    async list() {
      return (await database.query(statements.listPeople.with({}))).rows;
    },

    async findByEmail(email) {
      if (!isStorable(email)) return undefined;
      return (await database.read(statements.findPersonByEmail.with({ key: foldEmail(email) })))[0];
    },

    async findByIdentity({ issuer, subject }) {
      if (!isStorable(issuer) || !isStorable(subject)) return undefined;
      return (await database.read(statements.findPersonByIdentity.with({ issuer, subject })))[0];
    },

    async replace(person, expected, ending, notice) {
      if (!isId(person.id)) return false;
      const query = { ...person, key: foldEmail(person.email), expected, kept: ending && (ending.kept ?? '') };
      return takingNames(() => changeWithMail(database, statements.replacePerson.with(query), notice, seal));
    },

    async delete(id, changes) {
      if (!isId(id)) return false;
      const { rows: members } = await database.query(statements.membershipsOf.with({ personId: id }));
      return changing(
        members.map(({ accountId }) => accountId),
        async (transaction) => {
          for (const change of changes) {
            const accountId = change.entry?.accountId ?? '';
            await transaction.query(statements.deleteMember.with({ accountId, personId: id, ...toAudited(change) }));
          }
          return (await transaction.query(statements.deletePerson.with({ id }))).count === 1;
        },
      );
    },

    async membershipsOf(personId) {
      return isId(personId) ? database.read(statements.membershipsOf.with({ personId })) : [];
    },

    async listMembers(accountId) {
      if (!isId(accountId)) return [];
      const { rows } = await database.query(statements.listMembers.with({ accountId }));
      return rows.map(({ email, name, hasSecondFactor, lastUsedOn, ...member }) => ({
        member,
        person: { id: member.personId, email, name },
        hasSecondFactor,
        lastUsedOn,
      }));
    },

    addFirstOwner: (person, member, change) =>
      changing([member.accountId], async (transaction) => {
        const { rows } = await transaction.query(statements.withoutOwner.with({ ids: [member.accountId] }));
        if (rows.length === 0) throw hasOwner();
        await join(transaction, person, member, toAudited(change));
      }),

    async addMember(person, member, change) {
      if (!isId(member.accountId)) throw accountNotFound();
      await changing([member.accountId], async (transaction) => {
        const { rows } = await transaction.query(statements.findMember.with(member));
        if (rows.length === 0) await join(transaction, person, member, toAudited(change));
      });
    },

    async replaceMember(member, expected, change) {
      if (!isId(member.accountId) || !isId(member.personId)) return false;
      const query = statements.replaceMember.with({ ...member, expected, ...toAudited(change) });
      return changing([member.accountId], async (transaction) => (await transaction.query(query)).count === 1);
    },

    async deleteMember(accountId, personId, change, notice) {
      if (!isId(accountId) || !isId(personId)) return false;
      const query = statements.deleteMember.with({ accountId, personId, ...toAudited(change) });
      return changing([accountId], async (transaction) => {
        if ((await transaction.query(query)).count !== 1) return false;
        if (notice !== undefined) await transaction.query(addMail(notice, seal));
        return true;
      });
    },

    async listInvitations(accountId) {
      if (!isId(accountId)) return [];
      return (await database.query(statements.listInvitations.with({ accountId }))).rows;
    },

    async listFailedInvitations(accountId) {
      if (!isId(accountId)) return new Map();
      const { rows } = await database.query(statements.listFailedInvitations.with({ accountId }));
      return new Map(rows.map(({ id, detail }) => [id, detail]));
    },

    async listMailedInvitations(email) {
      if (!isStorable(email)) return [];
      return (await database.query(statements.listMailedInvitations.with({ key: foldEmail(email) }))).rows;
    },

    async findInvitation(tokenHash) {
      if (!isStorable(tokenHash)) return undefined;
      return (await database.read(statements.findInvitation.with({ tokenHash })))[0];
    },

    async insertInvitation(invitation, change, mail) {
      const { accountId, email } = invitation;
      const key = email === null ? null : foldEmail(email);
      await changing([accountId], async (transaction) => {
        const { rows } = await transaction.query(statements.countInvitations.with({ accountId, key }));
        if (email !== null && (rows[0]?.count ?? 0) >= MAX_INVITATIONS) throw tooManyInvitations();
        await transaction.query(statements.insertInvitation.with({ ...invitation, key, ...toAudited(change) }));
        if (mail !== undefined) await transaction.query(addMail(mail, seal));
      });
    },

    async deleteInvitation(accountId, id, change) {
      if (!isId(accountId) || !isId(id)) return false;
      return (
        (await database.query(statements.deleteInvitation.with({ accountId, id, ...toAudited(change) }))).count === 1
      );
    },

    acceptInvitation: (tokenHash, person, member, change) =>
      changing([member.accountId], async (transaction) => {
        if ((await transaction.query(statements.useInvitation.with({ tokenHash }))).count === 0) return false;
        await join(transaction, person, member, toAudited(change));
        return true;
      }),
  };
}

/** Adds the person, if they are new, to the account; a member keeps what is more. */
async function join(
  transaction: Transaction,
  person: Person,
  member: Member,
  audited: { readonly audited: string },
): Promise<void> {
  await takingNames(() => transaction.query(statements.insertPerson.with({ ...person, key: foldEmail(person.email) })));
  const { accountId, personId } = member;
  const { rows: known } = await transaction.query(statements.findMember.with({ accountId, personId }));
  if (known[0] !== undefined) {
    const wider = { ...known[0], ...widerGrant(known[0], member), isByGroup: false, updatedAt: member.updatedAt };
    await transaction.query(statements.replaceMember.with({ ...wider, expected: known[0].updatedAt, ...audited }));
    return;
  }
  const { rows } = await transaction.query(statements.countMembers.with({ accountId, personId }));
  const { members = 0, accounts = 0 } = rows[0] ?? {};
  if (members >= MAX_MEMBERS || accounts >= MAX_ACCOUNTS_OF_PERSON) throw tooManyMembers();
  await transaction.query(statements.insertMember.with({ ...member, ...audited }));
}

/** Nobody else may have the address or the identity of a person. */
async function takingNames<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const failure = classify(error);
    if (failure.reason === 'unique' && failure.constraint === 'person_email_key') throw emailTaken(error);
    if (failure.reason === 'unique' && failure.constraint === 'person_identity') throw identityTaken(error);
    throw error;
  }
}
