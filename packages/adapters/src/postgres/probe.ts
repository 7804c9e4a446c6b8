import pg from 'pg';
import { portError } from './errors.ts';
import { type Connection, clientConfig } from './settings.ts';
import { DATABASE_TIMES } from './times.ts';

/** Asks whether the database answers, on a connection of its own: a pool that is fully used is no outage. */
export function openProbe(connection: Connection): { ping(): Promise<void>; close(): Promise<void> } {
  const pool = new pg.Pool({
    ...clientConfig(connection, 'probe'),
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: DATABASE_TIMES.probe,
    statement_timeout: DATABASE_TIMES.probe,
    query_timeout: DATABASE_TIMES.probe,
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
