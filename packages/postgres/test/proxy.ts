import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A way to a database that can be shut, and that counts what passes. */
export interface DatabaseProxy {
  /** The database's url by this way. */
  readonly url: string;
  /** How many times a client has waited for a response since the last call. */
  takeRoundTrips(): number;
  /** Cuts all connections and rejects new ones, as a database that is stopped does. */
  shut(): Promise<void>;
  /** Lets connections through again. */
  open(): Promise<void>;
  /** While on, nothing passes on connections of this application, which stay open; all of them where none is named. */
  stall(on: boolean, application?: string): void;
  /** From now on what the database returns comes in small parts, with a pause before each. */
  slow(): void;
  close(): Promise<void>;
}

/** Between parts of at most 64 KiB. */
const PAUSE_MS = 50;

/** A proxy before the database of this url. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-proxy-'));
  const links = new Set<Link>();
  let stalled: string | undefined;
  let isSlow = false;
  let roundTrips = 0;
  let server: Server | undefined;

  const accept = (client: Socket) => {
    const link = openLink(client, databaseUrl, {
      onRoundTrip: () => {
        roundTrips += 1;
      },
      isStalled: (startup) => stalled !== undefined && startup.includes(stalled),
      isSlow: () => isSlow,
    });
    links.add(link);
    client.on('close', () => links.delete(link));
  };

  const open = () =>
    new Promise<void>((resolve) => {
      server = createServer(accept).listen(join(folder, '.s.PGSQL.5432'), resolve);
    });
  const shut = () =>
    new Promise<void>((resolve) => {
      server?.close(() => resolve());
      for (const link of links) link.destroy();
    });

  await open();
  const url = new URL(databaseUrl);
  url.port = '5432';
  url.searchParams.set('host', folder);
  return {
    url: url.href,
    takeRoundTrips() {
      const taken = roundTrips;
      roundTrips = 0;
      return taken;
    },
    shut,
    open,
    stall(on, application = '') {
      stalled = on ? application : undefined;
      for (const link of links) link.update();
    },
    slow() {
      isSlow = true;
    },
    async close() {
      await shut();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Link {
  update(): void;
  destroy(): void;
}

interface Watch {
  onRoundTrip(): void;
  isStalled(startup: string): boolean;
  isSlow(): boolean;
}

function openLink(client: Socket, databaseUrl: string, { onRoundTrip, isStalled, isSlow }: Watch): Link {
  const server = connect(addressOf(databaseUrl));
  let startup = '';
  let unread: Buffer = Buffer.alloc(0);

  const update = () => {
    for (const socket of [client, server]) {
      if (startup !== '' && isStalled(startup)) socket.pause();
      else socket.resume();
    }
  };
  client.on('data', (chunk: Buffer) => {
    server.write(chunk);
    unread = Buffer.concat([unread, chunk]);
    if (startup === '' && unread.length >= 4 && unread.length >= unread.readInt32BE(0)) {
      const length = unread.readInt32BE(0);
      startup = unread.toString('latin1', 0, length);
      unread = unread.subarray(length);
      update();
    }
    while (startup !== '' && unread.length >= 5 && unread.length > unread.readInt32BE(1)) {
      // A Sync or a simple query is what a response is waited for after; what a connection asks as it begins is not a visit.
      const type = String.fromCharCode(unread[0] ?? 0);
      const end = 1 + unread.readInt32BE(1);
      const isOfStart = /pg_is_in_recovery|set statement_timeout/.test(unread.toString('latin1', 0, end));
      if (type === 'S' || (type === 'Q' && !isOfStart)) onRoundTrip();
      unread = unread.subarray(end);
    }
  });
  server.on('data', (chunk: Buffer) => {
    client.write(chunk);
    if (!isSlow()) return;
    server.pause();
    setTimeout(update, PAUSE_MS);
  });

  const destroy = () => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) socket.on('close', destroy).on('error', destroy);
  return { update, destroy };
}

function addressOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = url.port === '' ? 5432 : Number(url.port);
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}
