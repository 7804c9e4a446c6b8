import { connect, createServer } from 'node:net';
import { startTestPostgres } from '@hitherto/adapters/embedded';

/** A PostgreSQL whose answers are counted on the wire. */
export interface CountedDatabase {
  readonly url: string;
  /** How many times the server has said that it is ready for the next query: once for each question that was waited for. */
  readyCount(): number;
  close(): Promise<void>;
}

/** A database for tests behind a proxy that counts. */
export async function startCountedDatabase(): Promise<CountedDatabase> {
  const server = await startTestPostgres();
  const real = new URL(server.url);
  const folder = real.searchParams.get('host');
  const port = Number(real.port || 5432);
  let count = 0;

  const proxy = createServer((client) => {
    const upstream = folder === null ? connect(port, real.hostname) : connect(`${folder}/.s.PGSQL.${port}`);
    // The first one ends the start of the connection, which may come in the background, and answers no question.
    let isStarted = false;
    const read = readyMessages(() => {
      if (isStarted) count += 1;
      isStarted = true;
    });
    upstream.on('data', read);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const url = new URL(server.url);
  url.searchParams.delete('host');
  url.searchParams.set('sslmode', 'disable');
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

  return {
    url: url.href,
    readyCount: () => count,
    async close() {
      proxy.close();
      await server.stop();
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
