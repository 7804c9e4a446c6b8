import { MAX_SESSIONS, type Session } from '@hitherto/domain/people';
import { sql } from 'kysely';
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

export const findSession = statement(
  'find_session',
  (p: Placeholders<{ hash: string }>) => sql<
    SessionRow & { readonly keyId: string | null; readonly personId: string | null }
  >`
    select ${SESSION}, key_id as "keyId", person_id as "personId" from session where hash = ${p('hash')}`,
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
