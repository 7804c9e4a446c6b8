import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { classify, codeOf, portError, spoilsConnection } from './errors.ts';
import { type Connection, clientConfig, type Log } from './settings.ts';
import type { Query } from './statement.ts';
import { DATABASE_TIMES } from './times.ts';

/** What a query came to. */
export interface Answer<Row> {
  readonly rows: Row[];
  /** How many rows were read or written. */
  readonly count: number;
}

/** A transaction on a connection of its own; `commit` or `rollback` must follow, and after the first neither does anything. */
export interface Transaction {
  query<Row>(query: Query & { readonly row?: Row }): Promise<Answer<Row>>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Connections to one database. Nothing is connected before it is needed, and what is lost is made anew. */
export interface Database {
  /** Runs one statement; it is a transaction of its own, tried again where it lost a deadlock. */
  query<Row>(query: Query & { readonly row?: Row }): Promise<Answer<Row>>;
  /** A connection with a transaction open on it. */
  begin(mode: 'read write' | 'isolation level repeatable read, read only'): Promise<Transaction>;
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** Of the pool. */
export const MAX_CONNECTIONS = 10;
const MAX_TRIES = 3;

/** A pool of connections. */
export function openDatabase(connection: Connection, log: Log): Database {
  const pool = new pg.Pool({
    ...clientConfig(connection, 'api'),
    max: MAX_CONNECTIONS,
    min: 1,
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: DATABASE_TIMES.connectionLife / 1_000,
  });
  const presence = watchPresence(log);
  // An idle connection that is lost leaves the pool by itself; without a listener the loss would end the process.
  pool.on('error', presence.lost);
  // The same for one that is lost while it is lent out: its query rejects as well.
  pool.on('connect', (client) => client.on('error', presence.lost));

  const lend = async (): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect();
      presence.seen();
      return client;
    } catch (error) {
      presence.lost(error);
      throw portError(error);
    }
  };

  const tryQuery = async <Row>(query: Query): Promise<Answer<Row>> => {
    const client = await lend();
    let spoilt = false;
    try {
      return await ask<Row>(client, query);
    } catch (error) {
      spoilt = spoilsConnection(error);
      throw error;
    } finally {
      client.release(spoilt);
    }
  };

  return {
    async query<Row>(query: Query) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await tryQuery<Row>(query);
        } catch (error) {
          const { kind } = classify(error);
          if (tries === MAX_TRIES || (kind !== 'retry' && kind !== 'stale_statement')) throw portError(error);
          await sleep(Math.random() * 20 * tries);
        }
      }
    },

    async begin(mode) {
      const client = await lend();
      let spoilt = false;
      const run = async <Row>(query: Query): Promise<Answer<Row>> => {
        try {
          return await ask<Row>(client, query);
        } catch (error) {
          spoilt ||= spoilsConnection(error);
          throw portError(error);
        }
      };
      let open = true;
      const end = async (text: string) => {
        if (!open) return;
        open = false;
        try {
          await run({ text, values: [] });
        } finally {
          client.release(spoilt);
        }
      };
      try {
        await run({ text: `start transaction ${mode}`, values: [] });
      } catch (error) {
        client.release(true);
        throw error;
      }
      // A connection that cannot even roll back is closed, and what it did is undone by that.
      return { query: run, commit: () => end('commit'), rollback: () => end('rollback').catch(() => {}) };
    },

    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

async function ask<Row>(client: pg.ClientBase, query: Query): Promise<Answer<Row>> {
  const { rows, rowCount } = await client.query<Row & pg.QueryResultRow>(query);
  return { rows, count: rowCount ?? 0 };
}

/** Tells once that the database went away, and once that it is back. */
function watchPresence(log: Log): { lost: (error: unknown) => void; seen: () => void } {
  let away = false;
  return {
    lost(error) {
      if (!away) log('warn', 'A connection to the database was lost or refused', { code: codeOf(error) });
      away = true;
    },
    seen() {
      if (away) log('info', 'The database answers again');
      away = false;
    },
  };
}
