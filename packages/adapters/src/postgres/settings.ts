import type { ClientConfig } from 'pg';
import { DATABASE_TIMES } from './times.ts';

/** Where the database is: a connection string, or its parts; `host` may be the folder of a Unix socket. */
export type Connection =
  | string
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** Says what happened to the connections to people who run the service. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;

/**
 * Every statement has an index that serves it, whatever the table's statistics say or do not say yet: sequential scans are
 * off, and compiling a plan to machine code would take longer than to run it.
 */
const PLANNER = '-c jit=off -c enable_seqscan=off -c work_mem=32MB';

/** What every connection has in common. */
export function clientConfig(connection: Connection, purpose: string): ClientConfig {
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: `hitherto ${purpose}`,
    connectionTimeoutMillis: DATABASE_TIMES.connect,
    keepAlive: true,
    statement_timeout: DATABASE_TIMES.statement,
    lock_timeout: DATABASE_TIMES.lock,
    idle_in_transaction_session_timeout: DATABASE_TIMES.idleInTransaction,
    query_timeout: DATABASE_TIMES.answer,
    options: PLANNER,
  };
}
