import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HTTP_TIMEOUTS } from './timeouts.ts';

const SWEEP_MS = 100;

/**
 * Ends the connections of a service that stops: Node itself waits for all of them, also for those that never send anything,
 * and for requests whose end never comes.
 */
export function endConnections(app: FastifyInstance): void {
  const accepted = new Set<Socket>();
  // Those that HTTP is spoken on. Of TLS they are other sockets than the accepted ones, and come after the handshake.
  const open = new Set<Socket>();
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => track(socket, accepted));
  app.server.on(app.server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    track(socket, open);
    track(socket, unused);
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));

  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    // From here on Fastify adds `Connection: close` to every answer. A connection that is kept alive and closed at once would
    // take a request with it that is on its way, since neither side knows of the other's.
    for (const until = performance.now() + HTTP_TIMEOUTS.farewell; accepted.size > 0 && performance.now() < until; )
      await sleep(SWEEP_MS);
    const cutUnused = () => {
      for (const socket of unused) socket.destroy();
      const peers = new Set([...open].map(peerOf));
      for (const socket of accepted) if (!peers.has(peerOf(socket))) socket.destroy();
    };
    // Node's own list has neither unfinished handshakes nor what was answered to CONNECT.
    const cutAll = () => {
      for (const socket of accepted) socket.destroy();
    };
    timers.push(
      setInterval(() => app.server.closeIdleConnections(), SWEEP_MS),
      setTimeout(cutUnused, HTTP_TIMEOUTS.unusedAtStop),
      setTimeout(cutAll, HTTP_TIMEOUTS.acceptedAtStop),
    );
  });
  app.addHook('onClose', (_app, done) => {
    for (const timer of timers) clearTimeout(timer);
    done();
  });
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

/** What a socket of TLS and the accepted one beneath it have in common. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
