import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** Where in the life of a write something happens. */
export const POINTS = [
  'before the statement',
  'after the statement',
  'after COMMIT is sent',
  'after it is answered',
] as const;
export type Point = (typeof POINTS)[number];

/** Stands between Hitherto and PostgreSQL, at the same address all the time. */
export interface DatabaseProxy {
  /** `postgresql://…`, for DATABASE_URL. */
  readonly url: string;
  /**
   * Calls `act` at this point of the write that is `after` writes away, on whichever connection it is, and holds that
   * connection there for good. `backend` is the server's process behind the connection.
   */
  at(point: Point, after: number, act: (backend: number) => void): void;
  /** Calls `act` when the statement that fits, and is `after` such away, is asked for, and holds it back for good. */
  whenAsked(statement: RegExp, after: number, act: () => void): void;
  /** Forgets what `at` and `whenAsked` were told. */
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
const WRITES = /^(?:insert_website|insert_together|insert_website_once|replace_website|delete_website|delete_version)$/;

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

/** What waits for a message that comes by. */
interface Traps {
  /** The trap, where this write is the one it is for. */
  forWrite(): Trap | undefined;
  /** What to do where this statement is the one that is waited for. */
  forStatement(text: string): (() => void) | undefined;
}

/** Starts the proxy. What passes is split into PostgreSQL's messages, so that a point lies exactly between two of them. */
export async function startDatabaseProxy({ upstream, user, password, database }: ProxyOptions): Promise<DatabaseProxy> {
  let trap: Trap | undefined;
  let question: Question | undefined;
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
  };

  const server = createServer((client) => {
    // What is split into messages would else wait for the acknowledgement of the one before, 40 ms and more.
    client.setNoDelay();
    const { host, port } = upstream();
    const real = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    link(client, real, traps);
    for (const socket of [client, real]) {
      sockets.add(socket);
      // Messages are passed on one by one: none may wait until the one before it is acknowledged.
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
    clear() {
      trap = undefined;
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
  /** The trap of the write that is under way. */
  let sprung: Trap | undefined;
  const hold = (act: (backend: number) => void) => {
    isHeld = true;
    act(backend);
  };

  client.on(
    'data',
    messages(true, (type, message) => {
      if (isHeld) return;
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
          // The statement runs when the server is asked to flush what it has to say; without Sync nothing is committed.
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
      if (isHeld) return;
      if (type === 'K') backend = message.readInt32BE(5);
      // ReadyForQuery outside of a transaction: the commit is done, and the client does not know it.
      if (type === 'Z' && sprung?.point === 'after it is answered') return hold(sprung.act);
      if (type === 'Z') sprung = undefined;
      client.write(message);
    }),
  );

  const end = () => {
    client.destroy();
    real.destroy();
  };
  for (const socket of [client, real]) socket.on('close', end).on('error', end);
}

const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

/** The name of the statement that a Bind message is for: the second of two texts that end with a zero. */
function statementOf(bind: Buffer): string {
  const portalEnd = bind.indexOf(0, 5);
  return bind.toString('latin1', portalEnd + 1, bind.indexOf(0, portalEnd + 1));
}

/** Splits a stream into messages; the first one of a client has no type, which is told as an empty one. */
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

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
