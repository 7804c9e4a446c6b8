import { connect, createServer, type Socket } from 'node:net';

/** An address of a database that is not always available. */
export interface Gate {
  readonly port: number;
  /** Refuses connections. */
  refuse(): Promise<void>;
  /** Accepts connections and stays silent on them, even after the gate opens. */
  silence(): Promise<void>;
  /** Holds connections until there are this many, then forwards them all at once. */
  holdUntil(count: number): void;
  /** Forwards new connections to the server. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Creates an open gate in front of the server at this port of this machine. */
export async function startGate(upstream: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  /** Held connections and their data, which must be read in order to notice their end. */
  const held = new Map<Socket, Buffer[]>();
  let awaited = 0;
  const lead = (client: Socket, come: readonly Buffer[]) => {
    const real = connect(upstream, '127.0.0.1');
    track(real);
    for (const chunk of come) real.write(chunk);
    client.removeAllListeners('data').pipe(real).pipe(client);
    client.on('close', () => real.destroy());
    real.on('close', () => client.destroy());
  };
  const server = createServer((client) => {
    track(client);
    if (isSilent) client.resume();
    else if (awaited === 0) lead(client, []);
    else {
      const come: Buffer[] = [];
      held.set(client, come);
      client.on('data', (chunk) => come.push(chunk));
      // A client that stops waiting connects again.
      client.on('close', () => held.delete(client));
      if (held.size < awaited) return;
      awaited = 0;
      for (const [each, chunks] of held) lead(each, chunks);
    }
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const refuse = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const answer = async (silently: boolean) => {
    isSilent = silently;
    if (!server.listening) await listen(port);
  };
  return {
    port,
    refuse,
    silence: () => answer(true),
    holdUntil: (count) => {
      awaited = count;
      held.clear();
    },
    open: () => answer(false),
    close: refuse,
  };
}
