import type { ClientBase, QueryConfig } from 'pg';
import { type PoolPurpose, sessionSettings } from './settings.ts';
import { DATABASE_TIMEOUTS } from './timeouts.ts';

/**
 * Applies the purpose's settings to a new connection, in one round trip. They are not sent as start-up parameters,
 * which poolers reject (PgBouncer does by default).
 */
export async function startSession(client: ClientBase, purpose: PoolPurpose): Promise<void> {
  const text = Object.entries(sessionSettings(purpose))
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ');
  const query: QueryConfig & { readonly query_timeout: number } = { text, query_timeout: DATABASE_TIMEOUTS.connect };
  await client.query(query);
}

/**
 * Rejects a pooler in transaction mode: settings, prepared statements, session locks and LISTEN would be lost between
 * transactions.
 *
 * @param open opens another connection to the same database; the caller closes it
 */
export async function rejectTransactionPooling(client: ClientBase, open: () => Promise<ClientBase>): Promise<void> {
  const session = await sessionOf(client);
  // The server sends its process id when a connection begins; a pooler makes up a number.
  if (Reflect.get(client, 'processID') === session) return;
  // Without such a pooler, two open connections never share a session, and a connection never changes its session.
  if ((await sessionOf(await open())) !== session && (await sessionOf(client)) === session) return;
  throw new Error(
    'The database is behind a pooler in transaction mode. Hitherto needs session mode: set pool_mode = session, or connect to PostgreSQL directly.',
  );
}

/** The number of the server's session, also behind a pooler. */
export async function sessionOf(client: ClientBase): Promise<number | undefined> {
  const query = {
    text: 'select pg_backend_pid() as session',
    query_timeout: DATABASE_TIMEOUTS.connect,
  };
  const { rows } = await client.query<{ session: number }>(query);
  return rows[0]?.session;
}
