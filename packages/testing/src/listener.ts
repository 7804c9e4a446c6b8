import { createServer, type Socket } from 'node:net';

/** A TCP server on a port of this machine, such as a proxy between two parts. */
interface Listener {
  /** Stays the same while it listens again. */
  readonly port: number;
  /** Cuts all connections, and refuses new ones. */
  refuse(): Promise<void>;
  /** Accepts connections again. */
  listen(): Promise<void>;
  /** Another name of `refuse`. */
  close(): Promise<void>;
}

/** Starts one. `own` makes a socket part of it: without delay of small packets, and cut when it refuses. */
export async function startListener(
  accept: (client: Socket, own: (socket: Socket) => Socket) => void,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  const own = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    return socket.setNoDelay();
  };
  const server = createServer((client) => accept(own(client), own));
  const listenAt = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listenAt(0);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const refuse = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    refuse,
    close: refuse,
    async listen() {
      if (!server.listening) await listenAt(port);
    },
  };
}

/** Ends each socket with the other one. */
export function bind(one: Socket, other: Socket): void {
  one.on('close', () => other.destroy());
  other.on('close', () => one.destroy());
}
