import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { bind, startListener } from '@hitherto/testing/listener';
import { createTrap, type Sprung, type Trap } from './trap.ts';

/** A point in the course of a write to a website. */
export const POINTS = [
  'before the statement',
  'after the statement',
  'after COMMIT is sent',
  'after its response',
] as const;
export type Point = (typeof POINTS)[number];

/** A point in the course of a batch of hits, which is one statement. */
export const HIT_POINTS = ['within the statement', ...POINTS] as const;
type HitPoint = (typeof HIT_POINTS)[number];

/** The connection on which a point was reached, which is blocked there permanently. */
export interface Reached {
  /** The server's process behind it. */
  readonly backend: number;
  /** Closes it on both sides. */
  cut(): void;
}
type Act = (reached: Reached) => void;

interface ProxyOptions {
  /** Where the server is just now; asked for each connection. */
  readonly upstream: () => { readonly host: string; readonly port: number };
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

interface Traps {
  readonly write: Trap<Point, Act>;
  readonly hits: Trap<HitPoint, Act>;
  readonly statement: Trap<RegExp, Act>;
}

/** The named statements that change a website. */
const WRITES = /^(?:insert_websites|insert_website_once|replace_website|delete_website|delete_version)$/;
/** The named statement that stores a batch of hits. */
const HITS = 'store_hit_batch';
/** Makes the server run the statements it has received. */
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

/**
 * Starts a proxy between Hitherto and PostgreSQL, with a fixed address. It splits the stream into PostgreSQL's messages, so that
 * a point is exactly between two messages.
 */
export async function startDatabaseProxy({ upstream, user, password, database }: ProxyOptions) {
  const traps: Traps = { write: createTrap(), hits: createTrap(), statement: createTrap() };
  const listener = await startListener((client, own) => {
    const { host, port } = upstream();
    link(client, own(host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)), traps);
  });
  return {
    /** For DATABASE_URL. */
    url: `postgresql://${user}:${password}@127.0.0.1:${listener.port}/${database}?sslmode=disable`,
    /** Acts at this point of the write `after` writes from now, on any connection. */
    at: traps.write.set,
    /** Acts at this point of the batch of hits `after` batches from now. */
    atHits: traps.hits.set,
    /** Acts before the matching statement `after` matches from now. */
    whenAsked: traps.statement.set,
    /** Cancels all of these. */
    clear() {
      for (const trap of [traps.write, traps.hits, traps.statement]) trap.clear();
    },
    close: listener.close,
  };
}

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

function link(client: Socket, server: Socket, traps: Traps): void {
  bind(client, server);
  let isHeld = false;
  let backend = 0;
  /** The trap of the current write, or of the current batch of hits. */
  let write: Sprung<HitPoint, Act> | undefined;
  const hold = ({ act }: { readonly act: Act }) => {
    isHeld = true;
    act({ backend, cut: () => client.destroy() });
  };

  /** The trap at this message of the client, which may have been sent in part. */
  const stopsAt = (type: string, message: Buffer): { readonly act: Act } | 'sent' | undefined => {
    const sent = (trap: { readonly act: Act }) => {
      server.write(message, () => hold(trap));
      return 'sent' as const;
    };
    const text = type === 'Q' || type === 'P' ? message.toString('utf8', 5) : '';
    const asked = text === '' ? undefined : traps.statement.spring((statement) => statement.test(text));
    if (asked !== undefined) return asked;
    const name = type === 'B' ? statementOf(message) : '';
    if (WRITES.test(name) || name === HITS) {
      write = (name === HITS ? traps.hits : traps.write).spring();
      if (write?.point === 'before the statement') return write;
      if (write?.point === 'within the statement') {
        // The server waits for the rest of the values.
        server.write(message.subarray(0, message.length >> 1));
        return write;
      }
    }
    if (type === 'S' && write?.point === 'after COMMIT is sent') return sent(write);
    if (type !== 'S' || write?.point !== 'after the statement') return undefined;
    // Without Sync nothing is committed.
    const trap = write;
    server.write(FLUSH);
    server.once('data', () => hold(trap));
    return 'sent';
  };
  /** The trap at this message of the server. */
  const stopsAtReply = (type: string): { readonly act: Act } | undefined => {
    if (type !== 'Z') return undefined;
    // ReadyForQuery outside a transaction: the commit is done, and the client does not know it.
    const trap = write;
    write = undefined;
    return trap?.point === 'after its response' ? trap : undefined;
  };

  client.on(
    'data',
    messages(true, (type, message) => {
      if (isHeld) return;
      const stop = stopsAt(type, message);
      if (stop === undefined) server.write(message);
      else if (stop !== 'sent') hold(stop);
    }),
  );
  server.on(
    'data',
    messages(false, (type, message) => {
      if (isHeld) return;
      if (type === 'K') backend = message.readInt32BE(5);
      const stop = stopsAtReply(type);
      if (stop === undefined) client.write(message);
      else hold(stop);
    }),
  );
}

/** The statement name in a Bind message: the second of two zero-terminated strings. */
function statementOf(bindMessage: Buffer): string {
  const portalEnd = bindMessage.indexOf(0, 5);
  return bindMessage.toString('latin1', portalEnd + 1, bindMessage.indexOf(0, portalEnd + 1));
}

/** Splits a stream into messages. A client's first message has no type, which is reported as an empty string. */
function messages(fromClient: boolean, take: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = fromClient;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readUInt32BE(head);
      if (rest.length < length) return;
      take(isFirst ? '' : String.fromCharCode(rest[0] ?? 0), rest.subarray(0, length));
      rest = rest.subarray(length);
      isFirst = false;
    }
  };
}
