import type { ClientConfig } from 'pg';
import { DATABASE_TIMEOUTS } from './timeouts.ts';

/** Where the database is: a connection string, or its parts; `host` may be the folder of a Unix socket. */
export type Connection =
  | string
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** The purpose of a connection, which decides its limits and planner settings. */
export type PoolPurpose = 'api' | 'reads' | 'ingest' | 'statistics' | 'background' | 'listen' | 'probe' | 'migrate';

interface PurposeSettings {
  /**
   * The driver's timeout, longer than PostgreSQL's, so that PostgreSQL's own error comes first; absent for no timeout.
   */
  readonly response?: number;
  /** PostgreSQL's settings of the session. */
  readonly session: Readonly<Record<string, string | number>>;
}

const { connect, statement, lock, idleInTransaction, response } = DATABASE_TIMEOUTS;

const short = {
  statement_timeout: statement,
  lock_timeout: lock,
  idle_in_transaction_session_timeout: idleInTransaction,
};

/**
 * Every statement of the management API has an index, so sequential scans are off, whatever the table's statistics
 * say. Just-in-time compilation would take longer than the query.
 */
const indexed = { ...short, jit: 'off', enable_seqscan: 'off', work_mem: '32MB' };

const SETTINGS: Record<PoolPurpose, PurposeSettings> = {
  api: { response, session: indexed },
  // The pipeline detects late responses itself.
  reads: { session: indexed },
  ingest: { response, session: short },
  statistics: {
    response: DATABASE_TIMEOUTS.statisticsResponse,
    session: { ...short, statement_timeout: DATABASE_TIMEOUTS.statisticsStatement, jit: 'off', work_mem: '32MB' },
  },
  background: {
    response: DATABASE_TIMEOUTS.backgroundResponse,
    session: {
      ...short,
      jit: 'off',
      work_mem: '32MB',
      statement_timeout: DATABASE_TIMEOUTS.backgroundStatement,
      idle_in_transaction_session_timeout: DATABASE_TIMEOUTS.backgroundIdleInTransaction,
    },
  },
  listen: { response: DATABASE_TIMEOUTS.listenCheck, session: short },
  probe: {
    response: DATABASE_TIMEOUTS.probe,
    session: { ...short, statement_timeout: DATABASE_TIMEOUTS.probe },
  },
  // Building an index on a large table takes long; other queries of a migration have their own timeouts.
  migrate: {
    session: { ...short, statement_timeout: 0, lock_timeout: DATABASE_TIMEOUTS.migrationLock },
  },
};

/** The driver's settings. Session settings are applied after connecting; see `startSession`. */
export function clientConfig(connection: Connection, purpose: PoolPurpose): ClientConfig {
  const timeout = SETTINGS[purpose].response;
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: `hitherto ${purpose}`,
    connectionTimeoutMillis: connect,
    keepAlive: true,
    ...(timeout === undefined ? {} : { query_timeout: timeout }),
  };
}

/** PostgreSQL's settings of a session for this purpose. */
export function sessionSettings(purpose: PoolPurpose): Readonly<Record<string, string | number>> {
  return SETTINGS[purpose].session;
}
