import { connect, createServer } from 'node:net';
import { createTestDatabase } from './commands.ts';

/** A PostgreSQL whose replies are counted on the wire, and whose connections can be cut. */
export interface CountedDatabase {
  readonly url: string;
  /** How many times the server has said that it is ready for the next query: once for each question that was waited for. */
  readyCount(): number;
  /** Cuts the next connection on which a statement with this text is asked, before it reaches the server. */
  cutAt(text: string): void;
  /** Whether it says to every new connection that it is still starting. */
  setStarting(is: boolean): void;
  close(): Promise<void>;
}

/** What PostgreSQL says to everybody while it starts, or recovers from a crash: an error that ends the connection. */
const STARTING = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
  return Buffer.concat([head, fields]);
})();

/** A database for tests behind a proxy that counts. */
export async function startCountedDatabase(): Promise<CountedDatabase> {
  const real = new URL((await createTestDatabase()).DATABASE_URL);
  const folder = real.searchParams.get('host');
  const port = Number(real.port || 5432);
  let count = 0;
  let fatal: string | undefined;
  let isStarting = false;

  const proxy = createServer((client) => {
    if (isStarting) {
      client.once('data', () => client.end(STARTING));
      return;
    }
    const upstream = folder === null ? connect(port, real.hostname) : connect(`${folder}/.s.PGSQL.${port}`);
    // A connection may begin in the background: the end of its start, its settings, and what it asks about the server, are
    // no visits.
    let ofStart = 2;
    client.once('data', (startup: Buffer) => {
      if (startup.includes('hitherto reads')) ofStart += 1;
    });
    const read = readyMessages(() => {
      if (ofStart > 0) ofStart -= 1;
      else count += 1;
    });
    upstream.on('data', read);
    client.on('data', (chunk: Buffer) => {
      if (fatal !== undefined && chunk.includes(fatal)) {
        fatal = undefined;
        client.destroy();
        upstream.destroy();
      } else upstream.write(chunk);
    });
    client.on('end', () => upstream.end());
    upstream.pipe(client);
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const url = new URL(real);
  url.searchParams.delete('host');
  url.searchParams.set('sslmode', 'disable');
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

  return {
    url: url.href,
    readyCount: () => count,
    cutAt: (text) => {
      fatal = text;
    },
    setStarting: (is) => {
      isStarting = is;
    },
    async close() {
      proxy.close();
    },
  };
}

/** Reads a server's messages, each a letter and a length, and tells of each ReadyForQuery. */
function readyMessages(onReady: () => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const length = rest.readUInt32BE(1) + 1;
      if (rest.length < length) return;
      if (rest[0] === 'Z'.charCodeAt(0)) onReady();
      rest = rest.subarray(length);
    }
  };
}
