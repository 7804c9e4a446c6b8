import { MAX_SESSIONS, type PendingSignIn, type Session, type SignedInPerson } from '@hitherto/domain/people';
import { type RawBuilder, sql } from 'kysely';
import { build, type Placeholders, statement } from '../connection/statement.ts';

type Inserted = Omit<Session, 'of'> & { readonly keyId: string | null; readonly personId: string | null };

/** Deletes the oldest sessions of the person beyond the most that there are. */
export const insertSession = statement(
  'insert_session',
  (p: Placeholders<Inserted>) => sql`
    with ended as (
      delete from session where hash in (
        select hash from session where person_id = ${p('personId')}::uuid
        order by created_at desc offset ${sql.lit(MAX_SESSIONS - 1)}
      )
    ), used as (
      update person set last_used_at = ${p('lastUsedAt')} where id = ${p('personId')}::uuid
    )
    insert into session (hash, key_id, person_id, created_at, expires_at, last_used_at, browser, network)
    values (${p('hash')}, ${p('keyId')}::uuid, ${p('personId')}::uuid, ${p('createdAt')}, ${p('expiresAt')},
      ${p('lastUsedAt')}, ${p('browser')}, ${p('network')})`,
);

const SESSION = sql`
  hash, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt", browser, network`;

export type SessionRow = Omit<Session, 'of'>;

/** Whether a person has a second factor, and whether one of their accounts requires it. */
export const secondFactorOf = (personId: RawBuilder<unknown>) => sql<SignedInPerson['secondFactor']>`
  json_build_object(
    'isOn', exists (select from second_factor where second_factor.person_id = ${personId}),
    'isRequired', exists (
      select from member join account on account.id = member.account_id
      where member.person_id = ${personId} and requires_second_factor
    )
  )`;

export const findSession = statement(
  'find_session',
  (p: Placeholders<{ hash: string }>) => sql<
    SessionRow & {
      readonly keyId: string | null;
      readonly personId: string | null;
      readonly secondFactor: SignedInPerson['secondFactor'];
    }
  >`
    select ${SESSION}, key_id as "keyId", person_id as "personId",
      ${secondFactorOf(sql`session.person_id`)} as "secondFactor"
    from session where hash = ${p('hash')}`,
);

export const listSessions = statement(
  'list_sessions',
  (p: Placeholders<{ personId: string }>) => sql<SessionRow>`
    select ${SESSION} from session where person_id = ${p('personId')} order by last_used_at desc, hash`,
);

export const touchSession = statement(
  'touch_session',
  (p: Placeholders<{ hash: string; at: Date }>) => sql`
    with touched as (
      update session set last_used_at = ${p('at')} where hash = ${p('hash')} and last_used_at < ${p('at')}
      returning person_id
    )
    update person set last_used_at = ${p('at')} from touched where person.id = touched.person_id`,
);

export const deleteSession = statement('delete_session', (p: Placeholders<{ hash: string }>) =>
  build.deleteFrom('session').where('hash', '=', p('hash')),
);

export const deleteExpiredSessions = statement('delete_expired_sessions', (p: Placeholders<{ now: Date }>) =>
  build.deleteFrom('session').where('expires_at', '<=', p('now')),
);

export const insertPending = statement(
  'insert_pending_sign_in',
  (p: Placeholders<PendingSignIn>) => sql`
    insert into pending_sign_in (hash, person_id, session_ms, expires_at)
    values (${p('hash')}, ${p('personId')}, ${p('sessionMs')}, ${p('expiresAt')})`,
);

export const findPending = statement(
  'find_pending_sign_in',
  (p: Placeholders<{ hash: string }>) => sql<PendingSignIn>`
    select hash, person_id as "personId", session_ms::float as "sessionMs", expires_at as "expiresAt"
    from pending_sign_in where hash = ${p('hash')}`,
);

export const countTry = statement(
  'count_try',
  (p: Placeholders<{ hash: string }>) => sql<{ tries: number }>`
    update pending_sign_in set tries = tries + 1 where hash = ${p('hash')} returning tries`,
);

export const deletePending = statement(
  'delete_pending_sign_in',
  (p: Placeholders<{ hash: string }>) => sql`delete from pending_sign_in where hash = ${p('hash')}`,
);

export const deleteExpiredPending = statement(
  'delete_expired_pending_sign_ins',
  (p: Placeholders<{ now: Date }>) => sql`delete from pending_sign_in where expires_at <= ${p('now')}`,
);

/**
 * Two tables of a `with` clause that end the sessions of people but one, and their sign-ins that wait.
 *
 * @param people a query of their ids, as `id`
 * @param kept the hash of the session that stays; '' if none does, and `null` if nothing ends
 */
export function endingSessions(people: RawBuilder<unknown>, kept: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    ended as (delete from session where person_id in (${people}) and hash <> ${kept}::text),
    ended_pending as (delete from pending_sign_in where person_id in (${people}) and ${kept}::text is not null)`;
}
