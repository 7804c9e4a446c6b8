import type { ClientBase, QueryConfig } from 'pg';
import { type Purpose, sessionSettings } from './settings.ts';
import { DATABASE_TIMEOUTS } from './timeouts.ts';

/**
 * Applies the purpose's settings to a new connection, in one round trip. They are no start-up parameters, because poolers
 * refuse those (PgBouncer does by default).
 */
export async function startSession(client: ClientBase, purpose: Purpose): Promise<void> {
  const text = Object.entries(sessionSettings(purpose))
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ');
  const query: QueryConfig & { readonly query_timeout: number } = { text, query_timeout: DATABASE_TIMEOUTS.connect };
  await client.query(query);
}

/**
 * Refuses a pooler that lends a server's session for a transaction at a time: settings, prepared statements, session locks
 * and LISTEN would be lost between two of them.
 *
 * @param open opens another connection to the same database; the caller closes it
 */
export async function refuseTransactionPooling(client: ClientBase, open: () => Promise<ClientBase>): Promise<void> {
  const session = await sessionOf(client);
  // The server tells a connection its process when it begins; a pooler makes up a number of its own.
  if (Reflect.get(client, 'processID') === session) return;
  // Two connections that are open at once never share a session, and none ever changes its own.
  if ((await sessionOf(await open())) !== session && (await sessionOf(client)) === session) return;
  throw new Error(
    'The database is behind a pooler that pools by transaction. Hitherto needs sessions: set pool_mode = session, or connect to PostgreSQL itself.',
  );
}

async function sessionOf(client: ClientBase): Promise<number | undefined> {
  const query = {
    text: 'select pg_backend_pid() as session',
    query_timeout: DATABASE_TIMEOUTS.connect,
  };
  const { rows } = await client.query<{ session: number }>(query);
  return rows[0]?.session;
}
