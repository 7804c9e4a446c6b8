import { Socket } from 'node:net';
import type { Log } from '@hitherto/domain/base';
import pg from 'pg';
import { classify, errorCodeOf, portError, spoilsConnection } from './errors.ts';
import { startSession } from './session.ts';
import { type Connection, clientConfig } from './settings.ts';
import type { Query } from './statement.ts';
import { DATABASE_TIMEOUTS } from './timeouts.ts';

/** Runs short reads. */
interface Pipeline {
  /** The rows of one short statement that only reads: it may run twice. */
  read<Row>(query: Query & { readonly row?: Row }): Promise<Row[]>;
  close(): Promise<void>;
}

const WATCH_MS = 100;

/**
 * Short reads on one connection, each written without waiting for the responses before it: many share one packet, and
 * system calls are most of their cost. Callers never see failures of that connection: if it is missing, lost or
 * stalled, reads run again through `fallback`, so they are as reliable as the pool. A failing statement ends at its own
 * Sync message and does not affect other statements; only its caller sees the error.
 */
export function openPipeline(
  connection: Connection,
  log: Log,
  fallback: <Row>(query: Query & { readonly row?: Row }) => Promise<Row[]>,
): Pipeline {
  let pipelined: PipelinedConnection | undefined;
  let isConnecting = false;
  let isClosed = false;
  let notBefore = 0;

  const connect = async () => {
    isConnecting = true;
    try {
      const opened = await openPipelined(connection, (error) => {
        pipelined = undefined;
        notBefore = performance.now() + DATABASE_TIMEOUTS.reconnect;
        if (!isClosed)
          log('info', 'The connection for short reads was lost; the pool stands in', { code: errorCodeOf(error) });
      });
      if (isClosed) await opened.end();
      else pipelined = opened;
    } catch {
      notBefore = performance.now() + DATABASE_TIMEOUTS.reconnect;
    } finally {
      isConnecting = false;
    }
  };

  return {
    async read<Row>(query: Query) {
      if (pipelined === undefined) {
        if (!isConnecting && !isClosed && performance.now() >= notBefore) void connect();
        return fallback<Row>(query);
      }
      try {
        return await pipelined.read<Row>(query);
      } catch (error) {
        const { reason } = classify(error);
        // A lost or stalled connection, a timeout, or a statement whose preparation failed with the one before it.
        if (reason === 'unavailable' || reason === 'stale_statement') return fallback<Row>(query);
        throw portError(error);
      }
    },
    async close() {
      isClosed = true;
      await pipelined?.end();
    },
  };
}

/** One connection on which queries are sent without waiting for earlier responses. */
interface PipelinedConnection {
  read<Row>(query: Query): Promise<Row[]>;
  end(): Promise<void>;
}

async function openPipelined(connection: Connection, onLost: (error: unknown) => void): Promise<PipelinedConnection> {
  const socket = new Socket();
  const client = new pg.Client({ ...clientConfig(connection, 'reads'), pipeline: true, stream: () => socket });
  // When each read was sent, oldest first: responses arrive in the order of the requests.
  const pending = new Set<{ readonly writtenAt: number }>();
  let bytesRead = 0;
  let heardAt = 0;
  let watch: NodeJS.Timeout | undefined;
  let isLost = false;
  let isHeld = false;

  /** Reads of one turn of the event loop are sent in one write. */
  const holdForThisTurn = () => {
    if (isHeld) return;
    isHeld = true;
    socket.cork();
    setImmediate(() => {
      isHeld = false;
      socket.uncork();
    });
  };

  const lose = (error: unknown) => {
    if (isLost) return;
    isLost = true;
    stopWatch();
    socket.destroy();
    onLost(error);
  };
  /** Many or long responses may take a while, as long as data keeps arriving. */
  const isStalled = () => {
    const now = performance.now();
    if (socket.bytesRead > bytesRead) heardAt = now;
    bytesRead = socket.bytesRead;
    const [oldest] = pending;
    return oldest !== undefined && now - Math.max(oldest.writtenAt, heardAt) > DATABASE_TIMEOUTS.stalledRead;
  };

  /** Checks regularly while reads are pending. */
  const startWatch = () => {
    watch ??= setInterval(() => {
      // If this process was busy, responses may be waiting to be read; they are read before the next check.
      if (isStalled()) setImmediate(() => isStalled() && lose(undefined));
      if (pending.size === 0) stopWatch();
    }, WATCH_MS).unref();
  };
  const stopWatch = () => {
    clearInterval(watch);
    watch = undefined;
  };

  client.on('error', lose);
  await client.connect();
  const limit = setTimeout(() => socket.destroy(), DATABASE_TIMEOUTS.connect);
  try {
    await startSession(client, 'reads');
    await rejectStandby(client);
  } catch (error) {
    isLost = true;
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(limit);
  }
  client.on('end', () => lose(undefined));

  return {
    async read<Row>(query: Query) {
      const entry = { writtenAt: performance.now() };
      pending.add(entry);
      startWatch();
      holdForThisTurn();
      try {
        const { rows } = await client.query<Row & pg.QueryResultRow>(query);
        return rows;
      } catch (error) {
        if (spoilsConnection(error)) lose(error);
        throw error;
      } finally {
        pending.delete(entry);
      }
    },
    async end() {
      isLost = true;
      stopWatch();
      // Pending reads finish first, unless no response arrives.
      const limit = setTimeout(() => socket.destroy(), DATABASE_TIMEOUTS.stalledRead);
      await client.end();
      clearTimeout(limit);
    },
  };
}

/**
 * A standby would serve stale reads for ever, but a show after a create must see the website. Connections that write
 * fail on a standby anyway. A server becomes a standby only by a restart, so one check per connection is enough.
 */
async function rejectStandby(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== false) throw new Error('This server is a standby. Set DATABASE_URL to the primary.');
}
