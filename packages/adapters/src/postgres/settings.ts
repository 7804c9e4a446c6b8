import type { ClientConfig } from 'pg';

/** Where the database is: a connection string, or its parts; `host` may be the folder of a Unix socket. */
export type Connection =
  | string
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** Says what happened to the connections to people who run the service. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;

/** How long a connection may take to come about, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Every statement has an index that serves it, whatever the table's statistics say or do not say yet: sequential scans are
 * off, and compiling a plan to machine code would take longer than to run it.
 */
const PLANNER = '-c jit=off -c enable_seqscan=off -c work_mem=32MB';

/** What every connection has in common (reliability.md, section 9). */
export function clientConfig(connection: Connection, purpose: string): ClientConfig {
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: `hitherto ${purpose}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    statement_timeout: 5_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 5_000,
    // Longer than the server's own limit: it strikes only where no answer comes at all.
    query_timeout: 6_000,
    options: PLANNER,
  };
}
