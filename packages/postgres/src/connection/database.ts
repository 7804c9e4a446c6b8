import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, unavailable } from '@hitherto/domain/base';
import pg from 'pg';
import { classify, connectionError, portError, spoilsConnection } from './errors.ts';
import { listen } from './listen.ts';
import { openPipeline } from './pipeline.ts';
import type { Presence } from './presence.ts';
import { sessionOf, startSession } from './session.ts';
import { type Connection, clientConfig } from './settings.ts';
import type { Query, QueryResult } from './statement.ts';
import { DATABASE_TIMEOUTS } from './timeouts.ts';
import { begin, type OpenTransaction, type Transaction, type TransactionOptions } from './transaction.ts';

/**
 * One database, through connections for one purpose. Connections are opened when needed, and replaced when
 * lost. Every method rejects with a `DomainError` of code `unavailable` if the database cannot be reached or is
 * overloaded, and with the driver's error otherwise.
 */
export interface Database {
  /** Runs one statement in its own transaction. Repeats it after a deadlock. */
  query<Row>(query: Query & { readonly row?: Row }): Promise<QueryResult<Row>>;

  /** The rows of one short statement that only reads; it may run twice. */
  read<Row>(query: Query & { readonly row?: Row }): Promise<Row[]>;

  /**
   * Runs `work` in a transaction, which is committed when it resolves and rolled back when it rejects. It is never
   * repeated. If the commit itself fails as `unavailable`, it may have taken effect.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;

  /** Yields everything that `work` yields, in a transaction that stays open until the reader has finished. */
  stream<Item>(
    work: (transaction: Transaction) => AsyncIterable<Item>,
    options?: TransactionOptions,
  ): AsyncIterable<Item>;

  /**
   * Calls `listener` with the payload of every notification on the channel, on a connection of its own, until
   * `signal` aborts; with `undefined` if notifications may have been missed, which is always so after connecting.
   *
   * @param channel a plain SQL identifier
   */
  listen(channel: string, listener: (payload: string | undefined) => void, signal: AbortSignal): void;

  stats(): { readonly total: number; readonly idle: number; readonly waiting: number };

  /**
   * Ends the sessions of background work, which is undone and rejects as `unavailable`, as all further work does. The server
   * would otherwise finish the running statement, which may take minutes, even if this process ends.
   */
  interrupt(): Promise<void>;

  /** Closes all connections once running queries have finished. */
  close(): Promise<void>;
}

/** The purposes with a pool, and the size of each pool. */
export const MAX_CONNECTIONS = { api: 10, ingest: 2, statistics: 4, background: 2 } as const;
export type PoolPurpose = keyof typeof MAX_CONNECTIONS;

const MAX_TRIES = 3;

/**
 * The database through a pool of connections for this purpose.
 *
 * @param most how many connections the pool has
 */
export function openDatabase(
  connection: Connection,
  purpose: PoolPurpose,
  presence: Presence,
  log: Log,
  most: number = MAX_CONNECTIONS[purpose],
): Database {
  /** The server's numbers of the open sessions of background work. */
  const sessions = new Map<pg.ClientBase, number | undefined>();
  const pool = new pg.Pool({
    ...clientConfig(connection, purpose),
    max: most,
    // Only the API holds idle connections: the other pools are used rarely, and a server has few connections.
    min: purpose === 'api' ? 1 : 0,
    idleTimeoutMillis: purpose === 'api' ? 0 : DATABASE_TIMEOUTS.idleConnection,
    maxLifetimeSeconds: DATABASE_TIMEOUTS.connectionLife / 1_000,
    onConnect: async (client) => {
      await startSession(client, purpose);
      if (purpose === 'background') sessions.set(client, await sessionOf(client));
    },
  });
  pool.on('remove', (client) => sessions.delete(client));
  let isInterrupted = false;
  const closing = new AbortController();
  const lost = (error: unknown) => {
    // Connections that are ending may be lost before they have ended: the embedded server stops as soon as they are asked to.
    if (!isInterrupted && !closing.signal.aborted) presence.lost(error);
  };
  // An idle connection that is lost leaves the pool by itself; without a listener the loss would end the process.
  pool.on('error', lost);
  // The same for a connection that is lost while in use; its query rejects as well.
  pool.on('connect', (client) => client.on('error', lost));

  const acquire = async (): Promise<pg.PoolClient> => {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
      if (presence.isAway) presence.seen();
    } catch (error) {
      lost(error);
      throw connectionError(error);
    }
    if (!isInterrupted) return client;
    client.release();
    throw unavailable('The service is stopping.');
  };

  const queryOnce = async <Row>(query: Query): Promise<QueryResult<Row>> => {
    const client = await acquire();
    let isSpoilt = false;
    try {
      const { rows, rowCount } = await client.query<Row & pg.QueryResultRow>(query);
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      isSpoilt = spoilsConnection(error);
      throw error;
    } finally {
      client.release(isSpoilt);
    }
  };

  const query = async <Row>(query: Query): Promise<QueryResult<Row>> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await queryOnce<Row>(query);
      } catch (error) {
        const { reason } = classify(error);
        if (tries === MAX_TRIES || (reason !== 'retry' && reason !== 'stale_statement')) throw portError(error);
        await sleep(Math.random() * 20 * tries);
      }
    }
  };

  const readFromPool = async <Row>(text: Query) => (await query<Row>(text)).rows;
  // Reads for other purposes are long; in a pipeline they would block one another.
  const pipeline = purpose === 'api' ? openPipeline(connection, log, readFromPool) : undefined;

  return {
    query,
    read: pipeline?.read ?? readFromPool,

    async transaction(work, options) {
      const open = begin(await acquire(), options);
      return finish(open, () => work(open));
    },

    async *stream(work, options) {
      const open = begin(await acquire(), options);
      let isDone = false;
      try {
        yield* work(open);
        isDone = true;
      } finally {
        // A reader that stops early is not an error, and there is nothing to commit.
        await (isDone ? open.commit() : open.rollback());
      }
    },

    listen: (channel, listener, signal) =>
      listen(connection, channel, listener, AbortSignal.any([signal, closing.signal]), presence),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async interrupt() {
      isInterrupted = true;
      const client = new pg.Client(clientConfig(connection, 'probe'));
      client.on('error', () => {});
      await client.connect();
      try {
        await client.query('select pg_terminate_backend(session) from unnest($1::integer[]) session', [
          [...sessions.values()],
        ]);
      } finally {
        await client.end();
      }
    },
    async close() {
      closing.abort();
      await Promise.all([pipeline?.close(), pool.end()]);
    },
  };
}

async function finish<Result>(open: OpenTransaction, work: () => Promise<Result>): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await open.rollback();
    throw error;
  }
  await open.commit();
  return result;
}
