import pg from 'pg';
import { portError } from './errors.ts';
import { type Connection, clientConfig } from './settings.ts';

const LIMIT_MS = 1_000;

/** Asks whether the database answers, on a connection of its own: a pool that is fully used is no outage. */
export function openProbe(connection: Connection): { ping(): Promise<void>; close(): Promise<void> } {
  const pool = new pg.Pool({
    ...clientConfig(connection, 'probe'),
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: LIMIT_MS,
    statement_timeout: LIMIT_MS,
    query_timeout: LIMIT_MS,
  });
  pool.on('error', () => {});

  return {
    async ping() {
      try {
        // `pool.query` drops the connection on any error, so that the next call begins anew.
        await pool.query('select 1');
      } catch (error) {
        throw portError(error);
      }
    },
    close: () => pool.end(),
  };
}
