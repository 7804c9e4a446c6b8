import type { Identity, Invitation, Member, MemberOfAccount, Person } from '@hitherto/domain/people';
import { sql } from 'kysely';
import { auditing } from '../changes.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import { endingSessions } from './session-statements.ts';

const PERSON = sql`
  person.id, person.email, is_verified as "isVerified", person.name, password_hash as "passwordHash",
  identity, person.language, person.created_at as "createdAt", person.updated_at as "updatedAt"`;

const MEMBER = sql`
  member.account_id as "accountId", member.person_id as "personId", member.role, member.website_ids as "websiteIds",
  member.is_by_group as "isByGroup", member.created_at as "createdAt", member.updated_at as "updatedAt"`;

const INVITATION = sql`
  id, account_id as "accountId", email, role, website_ids as "websiteIds", token_hash as "tokenHash",
  is_mailed as "isMailed", invited_by as "invitedBy", created_at as "createdAt", expires_at as "expiresAt"`;

type OfMember = { readonly accountId: string; readonly personId: string };
type Audited<T> = T & { readonly audited: string };

export const findPerson = statement(
  'find_person',
  (p: Placeholders<{ id: string }>) => sql<Person>`select ${PERSON} from person where id = ${p('id')}`,
);

export const listPeople = statement(
  'list_people',
  (_p: Placeholders<object>) => sql<Person>`select ${PERSON} from person order by email_key`,
);

export const findPersonByEmail = statement(
  'find_person_by_email',
  (p: Placeholders<{ key: string }>) => sql<Person>`select ${PERSON} from person where email_key = ${p('key')}`,
);

export const findPersonByIdentity = statement(
  'find_person_by_identity',
  (p: Placeholders<Identity>) => sql<Person>`
    select ${PERSON} from person
    where identity ->> 'issuer' = ${p('issuer')} and identity ->> 'subject' = ${p('subject')}`,
);

export const insertPerson = statement(
  'insert_person',
  (p: Placeholders<Person & { readonly key: string }>) => sql`
    insert into person (id, email, email_key, is_verified, name, password_hash, identity, language, created_at,
      updated_at)
    values (${p('id')}, ${p('email')}, ${p('key')}, ${p('isVerified')}, ${p('name')}, ${p('passwordHash')},
      ${p('identity')}::jsonb, ${p('language')}, ${p('createdAt')}, ${p('updatedAt')})
    on conflict (id) do nothing`,
);

/** Without `kept`, no session and no link ends; no session has the hash ''. */
export const replacePerson = statement(
  'replace_person',
  (
    p: Placeholders<Person & { readonly key: string; readonly expected: Date; readonly kept: string | undefined }>,
  ) => sql`
    with replaced as (
      update person set email = ${p('email')}, email_key = ${p('key')}, is_verified = ${p('isVerified')},
        name = ${p('name')}, password_hash = ${p('passwordHash')}, identity = ${p('identity')}::jsonb,
        language = ${p('language')},
        updated_at = ${p('updatedAt')}
      where id = ${p('id')} and updated_at = ${p('expected')} returning id
    ), ${endingSessions(sql`select id from replaced`, p('kept'))}, unlinked as (
      delete from person_link using replaced where ${p('kept')}::text is not null
        and (person_id = replaced.id or person_id is null and email_key = ${p('key')})
    )
    select from replaced`,
);

export const deletePerson = statement(
  'delete_person',
  (p: Placeholders<{ id: string }>) => sql`delete from person where id = ${p('id')}`,
);

export const membershipsOf = statement(
  'memberships_of_person',
  (p: Placeholders<{ personId: string }>) => sql<Member>`
    select ${MEMBER} from member where person_id = ${p('personId')} order by account_id`,
);

export const listMembers = statement(
  'list_members',
  (p: Placeholders<{ accountId: string }>) => sql<
    Member & Pick<Person, 'email' | 'name'> & Pick<MemberOfAccount, 'hasSecondFactor' | 'lastUsedOn'>
  >`
    select ${MEMBER}, person.email, person.name,
      exists (select from second_factor where second_factor.person_id = person.id) as "hasSecondFactor",
      to_char(person.last_used_at at time zone 'UTC', 'YYYY-MM-DD') as "lastUsedOn"
    from member join person on person.id = member.person_id
    where member.account_id = ${p('accountId')} order by member.created_at, person.id`,
);

/** The members of an account change one after the other, so that it keeps an owner. */
export const lockAccounts = statement(
  'lock_accounts_for_members',
  (p: Placeholders<{ ids: readonly string[] }>) => sql<{ id: string }>`
    select id from account where id = any(${p('ids')}::uuid[]) order by id for no key update`,
);

/** The accounts of these that have no owner. */
export const withoutOwner = statement(
  'find_accounts_without_owner',
  (p: Placeholders<{ ids: readonly string[] }>) => sql<{ id: string }>`
    select id from account where id = any(${p('ids')}::uuid[])
      and not exists (select from member where account_id = account.id and role = 'owner')`,
);

export const countMembers = statement(
  'count_members',
  (p: Placeholders<OfMember>) => sql<{ members: number; accounts: number }>`
    select (select count(*)::integer from member where account_id = ${p('accountId')}) as members,
      (select count(*)::integer from member where person_id = ${p('personId')}) as accounts`,
);

export const findMember = statement(
  'find_member',
  (p: Placeholders<OfMember>) => sql<Member>`
    select ${MEMBER} from member where account_id = ${p('accountId')} and person_id = ${p('personId')}`,
);

export const insertMember = statement('insert_member', (p: Placeholders<Audited<Member>>) =>
  auditing(
    sql`insert into member (account_id, person_id, role, website_ids, is_by_group, created_at, updated_at)
      values (${p('accountId')}, ${p('personId')}, ${p('role')}, ${p('websiteIds')}::uuid[], ${p('isByGroup')},
        ${p('createdAt')}, ${p('updatedAt')})`,
    p('audited'),
  ),
);

export const replaceMember = statement(
  'replace_member',
  (p: Placeholders<Audited<Member & { readonly expected: Date }>>) =>
    auditing(
      sql`update member set role = ${p('role')}, website_ids = ${p('websiteIds')}::uuid[], is_by_group = ${p('isByGroup')},
        updated_at = ${p('updatedAt')}
        where account_id = ${p('accountId')} and person_id = ${p('personId')} and updated_at = ${p('expected')}`,
      p('audited'),
    ),
);

export const deleteMember = statement('delete_member', (p: Placeholders<Audited<OfMember>>) =>
  auditing(sql`delete from member where account_id = ${p('accountId')} and person_id = ${p('personId')}`, p('audited')),
);

export const listInvitations = statement(
  'list_invitations',
  (p: Placeholders<{ accountId: string }>) => sql<Invitation>`
    select ${INVITATION} from invitation where account_id = ${p('accountId')} order by created_at, id`,
);

export const listFailedInvitations = statement(
  'list_failed_invitations',
  (p: Placeholders<{ accountId: string }>) => sql<{ id: string; detail: string }>`
    select invitation.id, task.detail from invitation
      join task on task.kind = 'mail' and task.key = invitation.id::text and task.website_number is null
    where account_id = ${p('accountId')} and is_mailed and task.detail is not null`,
);

export const listMailedInvitations = statement(
  'list_mailed_invitations',
  (p: Placeholders<{ key: string }>) => sql<Invitation>`
    select ${INVITATION} from invitation where email_key = ${p('key')} and is_mailed order by created_at, id`,
);

export const findInvitation = statement(
  'find_invitation',
  (p: Placeholders<{ tokenHash: string }>) => sql<Invitation>`
    select ${INVITATION} from invitation where token_hash = ${p('tokenHash')}`,
);

export const insertInvitation = statement(
  'insert_invitation',
  (p: Placeholders<Audited<Invitation & { readonly key: string | null }>>) =>
    auditing(
      sql`insert into invitation (id, account_id, email, email_key, role, website_ids, token_hash, is_mailed, invited_by,
        created_at, expires_at)
        values (${p('id')}, ${p('accountId')}, ${p('email')}, ${p('key')}, ${p('role')}, ${p('websiteIds')}::uuid[],
          ${p('tokenHash')}, ${p('isMailed')}, ${p('invitedBy')}, ${p('createdAt')}, ${p('expiresAt')})
        on conflict (account_id, email_key) do update set (id, email, role, website_ids, token_hash, is_mailed, invited_by,
          created_at, expires_at) = (excluded.id, excluded.email, excluded.role, excluded.website_ids, excluded.token_hash,
          excluded.is_mailed, excluded.invited_by, excluded.created_at, excluded.expires_at)`,
      p('audited'),
    ),
);

/** Not the one for this address, which another one replaces. */
export const countInvitations = statement(
  'count_invitations',
  (p: Placeholders<{ accountId: string; key: string | null }>) => sql<{ count: number }>`
    select count(*)::integer as count from invitation
    where account_id = ${p('accountId')} and email_key is distinct from ${p('key')}::text and email_key is not null`,
);

export const deleteInvitation = statement(
  'delete_invitation',
  (p: Placeholders<Audited<{ accountId: string; id: string }>>) =>
    auditing(sql`delete from invitation where account_id = ${p('accountId')} and id = ${p('id')}`, p('audited')),
);

export const useInvitation = statement(
  'use_invitation',
  (p: Placeholders<{ tokenHash: string }>) => sql`delete from invitation where token_hash = ${p('tokenHash')}`,
);
