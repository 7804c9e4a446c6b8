import { type DomainError, unavailable } from '@hitherto/domain/base';

/** The kinds of errors that callers distinguish. */
export type Failure =
  /** The statement broke a constraint; `constraint` names it. */
  | { readonly reason: 'unique' | 'foreign_key'; readonly constraint: string }
  /** The transaction conflicted with another one; it can be retried. */
  | { readonly reason: 'retry' }
  /** The database is away, stopping, read-only or overloaded. */
  | { readonly reason: 'unavailable' }
  /** The connection has lost a prepared statement, or its plan is out of date. */
  | { readonly reason: 'stale_statement' }
  /** Anything else is an error of this program or of the installation, and is passed on unchanged. */
  | { readonly reason: 'unknown' };

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** The driver's messages without a SQLSTATE when there is no connection, no reply, or either took too long. */
const NO_CONNECTION =
  /^(Connection terminated|Query read timeout|timeout (expired|exceeded)|Client (was closed|has encountered a connection error|has already been closed)|Cannot use a pool after|There was an error establishing an SSL connection)/;

/** Classifies a failure by its SQLSTATE. SQLSTATEs are used nowhere else. */
export function classify(error: unknown): Failure {
  const state = sqlStateOf(error);
  if (state === undefined) return { reason: isConnectionFailure(error) ? 'unavailable' : 'unknown' };
  switch (state) {
    case '23505': // unique_violation
    case '23P01': // exclusion_violation: the id of a website, which is unique by hash
      return { reason: 'unique', constraint: textOf(error, 'constraint') };
    case '23503': // foreign_key_violation
      return { reason: 'foreign_key', constraint: textOf(error, 'constraint') };
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
      return { reason: 'retry' };
    case '26000': // invalid_sql_statement_name
    case '42P05': // duplicate_prepared_statement
      return { reason: 'stale_statement' };
    case '0A000': // feature_not_supported: also "cached plan must not change result type", after a migration
      return { reason: textOf(error, 'routine') === 'RevalidateCachedQuery' ? 'stale_statement' : 'unknown' };
    case '25006': // read_only_sql_transaction: a standby, or a primary that is not one any more
    case '25P03': // idle_in_transaction_session_timeout
    case '55P03': // lock_not_available
    case '57014': // query_canceled, by statement_timeout
    case '57P01': // admin_shutdown
    case '57P02': // crash_shutdown
    case '57P03': // cannot_connect_now
    case '57P05': // idle_session_timeout
      return { reason: 'unavailable' };
    default: // 08 connection_exception, 53 insufficient_resources, 58030 io_error
      return { reason: /^(08|53|58030)/.test(state) ? 'unavailable' : 'unknown' };
  }
}

/** Whether a connection must not be used again after this error: it is gone, stuck, or leads to the wrong server. */
export function spoilsConnection(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(08|57P|25|26|42P05|0A|XX)/.test(state);
}

/** Whether the statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === '55P03'; // lock_not_available
}

/** The error that ports reject with: `unavailable` where that applies, otherwise the original error. */
export function portError(error: unknown): unknown {
  const { reason } = classify(error);
  if (sqlStateOf(error) === '53100') return unavailable('The disk of the database is full.', error); // disk_full
  if (reason === 'unavailable') return connectionError(error);
  if (reason === 'retry') return unavailable('The database is too busy with the same rows.', error);
  if (reason === 'stale_statement') return unavailable('The database is temporarily unavailable.', error);
  return error;
}

/**
 * The error without a connection, whatever the reason: a server may also refuse connections for a while, as when a password
 * is changed or a database is restored.
 */
export function connectionError(error: unknown): DomainError {
  return unavailable('The database cannot be reached or is overloaded.', error);
}

/** The SQLSTATE or the system's error code, for logs; neither contains a host or a value. */
export function errorCodeOf(error: unknown): string {
  return textOf(error, 'code') || 'none';
}

/**
 * The server's message about a connection that it refused or ended. It may name a user or a database, but no password.
 */
export function serverMessageOf(error: unknown): string | undefined {
  return sqlStateOf(error) === undefined ? undefined : textOf(error, 'message');
}

function sqlStateOf(error: unknown): string | undefined {
  const code = textOf(error, 'code');
  return SQLSTATE.test(code) && textOf(error, 'severity') !== '' ? code : undefined;
}

function isConnectionFailure(error: unknown): boolean {
  // For a host with several addresses, the error contains one error per address.
  if (error instanceof AggregateError) return error.errors.every(isConnectionFailure);
  if (!(error instanceof Error)) return false;
  // If the connection ends during the TLS handshake, there is only a code.
  return NO_CONNECTION.test(error.message) || textOf(error, 'syscall') !== '' || textOf(error, 'code') === 'ECONNRESET';
}

function textOf(error: unknown, field: string): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : '';
}
