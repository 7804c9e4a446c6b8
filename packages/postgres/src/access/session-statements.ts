import type { Session } from '@hitherto/domain/access';
import { build, type Placeholders, statement } from '../connection/statement.ts';
import { KEY_COLUMNS } from './access-statements.ts';

export const insertSession = statement('insert_session', (p: Placeholders<Session>) =>
  build
    .insertInto('session')
    .values({ hash: p('hash'), key_id: p('keyId'), created_at: p('createdAt'), expires_at: p('expiresAt') }),
);

/** A session with its key. */
export const findSession = statement('find_session', (p: Placeholders<{ hash: string }>) =>
  build
    .selectFrom('session')
    .innerJoin('api_key', 'api_key.id', 'session.key_id')
    .select(KEY_COLUMNS.map((column) => `api_key.${column}` as const))
    .select([
      'session.hash as session_hash',
      'session.created_at as session_created_at',
      'session.expires_at as session_expires_at',
    ])
    .where('session.hash', '=', p('hash')),
);

export const deleteSession = statement('delete_session', (p: Placeholders<{ hash: string }>) =>
  build.deleteFrom('session').where('hash', '=', p('hash')),
);

export const deleteExpiredSessions = statement('delete_expired_sessions', (p: Placeholders<{ now: Date }>) =>
  build.deleteFrom('session').where('expires_at', '<=', p('now')),
);
