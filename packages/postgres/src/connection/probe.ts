import pg from 'pg';
import { portError } from './errors.ts';
import { startSession } from './session.ts';
import { type Connection, clientConfig } from './settings.ts';
import { DATABASE_TIMEOUTS } from './timeouts.ts';

/** Checks that the database responds, on its own connection: a pool in full use is not an outage. */
export function openProbe(connection: Connection): { ping(): Promise<void>; close(): Promise<void> } {
  const pool = new pg.Pool({
    ...clientConfig(connection, 'probe'),
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: DATABASE_TIMEOUTS.probe,
    onConnect: (client) => startSession(client, 'probe'),
  });
  pool.on('error', () => {});

  return {
    async ping() {
      try {
        // `pool.query` drops the connection on any error, so the next call connects again.
        await pool.query('select 1');
      } catch (error) {
        throw portError(error);
      }
    },
    close: () => pool.end(),
  };
}
