import { Socket } from 'node:net';
import pg from 'pg';
import { classify, codeOf, portError, spoilsConnection } from './errors.ts';
import { type Connection, clientConfig, type Log } from './settings.ts';
import type { Query } from './statement.ts';
import { DATABASE_TIMES } from './times.ts';

/** Answers short reads. */
export interface Reads {
  /** The rows of one short statement that only reads: it may be run twice. */
  read<Row>(query: Query & { readonly row?: Row }): Promise<Row[]>;
  close(): Promise<void>;
}

/** An answer that is this late is taken for a connection that is stuck, or a statement that holds up all behind it. */
const STALL_MS = DATABASE_TIMES.stalledRead;
const WATCH_MS = 100;

/**
 * Short reads, written one after the other to one connection without waiting for the answers: many share one packet, which
 * is what they cost most. Whatever is wrong with that connection is no caller's concern: where it is not there, was lost or
 * stalls, reads are asked again through `fallback`, so that the pool's promises are this one's too. A statement that fails
 * ends at its own Sync message and leaves the others alone; only its caller sees the error.
 */
export function openPipeline(
  connection: Connection,
  log: Log,
  fallback: <Row>(query: Query & { readonly row?: Row }) => Promise<Row[]>,
): Reads {
  let line: Line | undefined;
  let connecting = false;
  let closed = false;
  let notBefore = 0;

  const connect = async () => {
    connecting = true;
    try {
      const made = await openLine(connection, (error) => {
        line = undefined;
        notBefore = performance.now() + DATABASE_TIMES.pauseAfterLoss;
        if (!closed)
          log('info', 'The connection for short reads was lost; the pool stands in', { code: codeOf(error) });
      });
      if (closed) await made.end();
      else line = made;
    } catch {
      notBefore = performance.now() + DATABASE_TIMES.pauseAfterLoss;
    } finally {
      connecting = false;
    }
  };

  return {
    async read<Row>(query: Query) {
      if (line === undefined) {
        if (!connecting && !closed && performance.now() >= notBefore) void connect();
        return fallback<Row>(query);
      }
      try {
        return await line.read<Row>(query);
      } catch (error) {
        const { kind } = classify(error);
        // A lost or stalled connection, a time limit, or a statement whose preparation failed with the one before it.
        if (kind === 'unavailable' || kind === 'stale_statement') return fallback<Row>(query);
        throw portError(error);
      }
    },
    async close() {
      closed = true;
      await line?.end();
    },
  };
}

/** One connection that is written to without waiting. */
interface Line {
  read<Row>(query: Query): Promise<Row[]>;
  end(): Promise<void>;
}

async function openLine(connection: Connection, onLost: (error: unknown) => void): Promise<Line> {
  const socket = new Socket();
  const { query_timeout: _, ...config } = clientConfig(connection, 'reads');
  const client = new pg.Client({ ...config, pipeline: true, stream: () => socket });
  // When each read was written, the oldest first: answers come in the order of the questions.
  const pending = new Set<{ readonly writtenAt: number }>();
  let bytesRead = 0;
  let heardAt = 0;
  let watch: NodeJS.Timeout | undefined;
  let lost = false;
  let isHeld = false;

  /** What is asked in one turn of the event loop leaves in one write: it is the system calls that take the time. */
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
    if (lost) return;
    lost = true;
    clearInterval(watch);
    socket.destroy();
    onLost(error);
  };
  /** Many or long answers may take their time: what tells is that none comes any more. */
  const isStalled = () => {
    const now = performance.now();
    if (socket.bytesRead > bytesRead) heardAt = now;
    bytesRead = socket.bytesRead;
    const [oldest] = pending;
    return oldest !== undefined && now - Math.max(oldest.writtenAt, heardAt) > STALL_MS;
  };

  client.on('error', lose);
  await client.connect();
  const limit = setTimeout(() => socket.destroy(), DATABASE_TIMES.connect);
  try {
    await refuseStandby(client);
  } catch (error) {
    lost = true;
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(limit);
  }
  client.on('end', () => lose(undefined));
  watch = setInterval(() => {
    // Where this process itself was busy, the answers wait to be read: they are read before a check that comes next.
    if (isStalled()) setImmediate(() => isStalled() && lose(undefined));
  }, WATCH_MS);
  watch.unref();

  return {
    async read<Row>(query: Query) {
      const entry = { writtenAt: performance.now() };
      pending.add(entry);
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
      lost = true;
      clearInterval(watch);
      // What has been asked is answered first, unless no answer comes.
      const limit = setTimeout(() => socket.destroy(), STALL_MS);
      await client.end();
      clearTimeout(limit);
    },
  };
}

/**
 * A standby would answer reads for ever, and late: a show after a store must see it. Connections that write leave one by
 * themselves. A server becomes a standby only by a restart, so that it is enough to ask when a connection begins.
 */
async function refuseStandby(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== false) throw new Error('This server is a standby.');
}
