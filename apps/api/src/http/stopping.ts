import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HTTP_TIMES } from './times.ts';

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
    // From here on Fastify adds `Connection: close` to every answer. A connection that is kept alive and closed at once would
    // take a request with it that is on its way, since neither side knows of the other's.
    for (const until = performance.now() + HTTP_TIMES.farewell; open.size > 0 && performance.now() < until; )
      await sleep(SWEEP_MS);
    const cutUnused = () => {
      for (const socket of unused) socket.destroy();
    };
    timers.push(
      setInterval(() => app.server.closeIdleConnections(), SWEEP_MS),
      setTimeout(cutUnused, HTTP_TIMES.unusedAtStop),
      setTimeout(() => app.server.closeAllConnections(), HTTP_TIMES.acceptedAtStop),
    );
  });
  app.addHook('onClose', (_app, done) => {
    for (const timer of timers) clearTimeout(timer);
    done();
  });
}
