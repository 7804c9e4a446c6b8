import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';

/**
 * A service that stops goes on for so long: each answer says that it is the last on its connection. A connection that is
 * kept alive and closed at once would take a request with it that is on its way, since neither side knows of the other's.
 */
const FAREWELL_MS = 1_000;
/** After that no connection is taken, and those that have not sent a request yet have this long to do so. */
const UNUSED_MS = 500;
/** Requests that were accepted have this long from then on to arrive whole and to be answered; what is left is cut off. */
const ACCEPTED_MS = 9_000;
const SWEEP_MS = 100;

/**
 * Ends the connections of a service that stops: Node itself waits for all of them, also for those that never send anything,
 * and for requests whose end never comes.
 */
export function endConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  const unused = new Set<Socket>();
  app.server.on(app.server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    unused.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unused.delete(socket);
    });
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));

  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    // From here on Fastify adds `Connection: close` to every answer.
    for (const until = performance.now() + FAREWELL_MS; open.size > 0 && performance.now() < until; )
      await sleep(SWEEP_MS);
    const cutUnused = () => {
      for (const socket of unused) socket.destroy();
    };
    timers.push(
      setInterval(() => app.server.closeIdleConnections(), SWEEP_MS),
      setTimeout(cutUnused, UNUSED_MS),
      setTimeout(() => app.server.closeAllConnections(), ACCEPTED_MS),
    );
  });
  app.addHook('onClose', (_app, done) => {
    for (const timer of timers) clearTimeout(timer);
    done();
  });
}
