import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type HitPoint, type HitTrap, watchHits } from './hit-points.ts';
import { messages, statementOf } from './postgres-messages.ts';

/** A point in the course of a write. */
export const POINTS = [
  'before the statement',
  'after the statement',
  'after COMMIT is sent',
  'after it is answered',
] as const;
export type Point = (typeof POINTS)[number];

/** A proxy between Hitherto and PostgreSQL, with a fixed address. */
export interface DatabaseProxy {
  /** `postgresql://…`, for DATABASE_URL. */
  readonly url: string;
  /**
   * Calls `act` at this point of the write `after` writes from now, on any connection, and blocks that connection there
   * permanently. `backend` is the server's process behind the connection.
   */
  at(point: Point, after: number, act: (backend: number) => void): void;
  /**
   * Calls `act` at this point of the batch of hits `after` batches from now, and blocks its connection there permanently;
   * `cut` closes it on both sides.
   */
  atHits(point: HitPoint, after: number, act: (cut: () => void) => void): void;
  /** Calls `act` before the matching statement `after` matches from now, and blocks it permanently. */
  whenAsked(statement: RegExp, after: number, act: () => void): void;
  /** Cancels `at`, `atHits` and `whenAsked`. */
  clear(): void;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Where the server is just now; asked for each connection. */
  readonly upstream: () => { readonly host: string; readonly port: number };
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The named statements that change a website. */
const WRITES = /^(?:insert_websites|insert_website_once|replace_website|delete_website|delete_version)$/;

interface Trap {
  readonly point: Point;
  left: number;
  readonly act: (backend: number) => void;
}

interface Question {
  readonly statement: RegExp;
  left: number;
  readonly act: () => void;
}

/** Traps that wait for a message. */
interface Traps {
  /** The trap for this write, if any. */
  forWrite(): Trap | undefined;
  /** The action for this statement, if it is the one waited for. */
  forStatement(text: string): (() => void) | undefined;
  /** The trap for this batch of hits, if any. */
  forHits(): HitTrap | undefined;
}

/** Starts the proxy. It splits the stream into PostgreSQL's messages, so that a point is exactly between two messages. */
export async function startDatabaseProxy({ upstream, user, password, database }: ProxyOptions): Promise<DatabaseProxy> {
  let trap: Trap | undefined;
  let question: Question | undefined;
  let hits: (HitTrap & { left: number }) | undefined;
  const sockets = new Set<Socket>();
  const traps: Traps = {
    forWrite() {
      if (trap === undefined) return undefined;
      trap.left -= 1;
      if (trap.left >= 0) return undefined;
      const sprung = trap;
      trap = undefined;
      return sprung;
    },
    forStatement(text) {
      if (!question?.statement.test(text)) return undefined;
      question.left -= 1;
      if (question.left >= 0) return undefined;
      const { act } = question;
      question = undefined;
      return act;
    },
    forHits() {
      if (hits === undefined) return undefined;
      hits.left -= 1;
      if (hits.left >= 0) return undefined;
      const sprung = hits;
      hits = undefined;
      return sprung;
    },
  };

  const server = createServer((client) => {
    // Otherwise each message would wait for the acknowledgement of the previous one, 40 ms and more.
    client.setNoDelay();
    const { host, port } = upstream();
    const real = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    link(client, real, traps);
    for (const socket of [client, real]) {
      sockets.add(socket);
      // Messages are passed on one by one: none may wait for the acknowledgement of the previous one.
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  const port = await listen(server);
  return {
    url: `postgresql://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`,
    at(point, after, act) {
      trap = { point, left: after, act };
    },
    whenAsked(statement, after, act) {
      question = { statement, left: after, act };
    },
    atHits(point, after, act) {
      hits = { point, left: after, act };
    },
    clear() {
      trap = undefined;
      hits = undefined;
      question = undefined;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function link(client: Socket, real: Socket, traps: Traps): void {
  let isHeld = false;
  let backend = 0;
  /** The trap of the current write. */
  let sprung: Trap | undefined;
  const hold = (act: (backend: number) => void) => {
    isHeld = true;
    act(backend);
  };
  const end = () => {
    client.destroy();
    real.destroy();
  };
  const batch = watchHits(traps.forHits, real, (act) => hold(() => act(end)));

  client.on(
    'data',
    messages(true, (type, message) => {
      if (isHeld || batch.isStoppedBy(type, message)) return;
      if (type === 'Q' || type === 'P') {
        const act = traps.forStatement(message.toString('utf8', 5));
        if (act !== undefined) return hold(act);
      }
      if (type === 'B' && WRITES.test(statementOf(message))) {
        sprung = traps.forWrite();
        if (sprung?.point === 'before the statement') return hold(sprung.act);
      }
      if (type === 'S' && sprung !== undefined) {
        const { point, act } = sprung;
        if (point === 'after the statement') {
          // Flush makes the server run the statement; without Sync nothing is committed.
          real.write(FLUSH);
          real.once('data', () => hold(act));
          return;
        }
        if (point === 'after COMMIT is sent') {
          real.write(message, () => hold(act));
          return;
        }
      }
      real.write(message);
    }),
  );
  real.on(
    'data',
    messages(false, (type, message) => {
      if (isHeld || batch.isStoppedByReply(type, message)) return;
      if (type === 'K') backend = message.readInt32BE(5);
      // ReadyForQuery outside a transaction: the commit is done, and the client does not know it.
      if (type === 'Z' && sprung?.point === 'after it is answered') return hold(sprung.act);
      if (type === 'Z') sprung = undefined;
      client.write(message);
    }),
  );

  for (const socket of [client, real]) socket.on('close', end).on('error', end);
}

const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
