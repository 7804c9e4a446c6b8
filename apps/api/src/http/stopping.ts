import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HTTP_TIMES } from './times.ts';

const SWEEP_MS = 100;

/**
 * Ends the connections of a service that stops: Node itself waits for all of them, also for those that never send anything,
 * and for requests whose end never comes.
 */
export function endConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  app.server.on(app.server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));

  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', (done) => {
    const cutUnused = () => {
      for (const socket of unused) socket.destroy();
    };
    timers.push(
      setInterval(() => app.server.closeIdleConnections(), SWEEP_MS),
      setTimeout(cutUnused, HTTP_TIMES.unusedAtStop),
      setTimeout(() => app.server.closeAllConnections(), HTTP_TIMES.acceptedAtStop),
    );
    done();
  });
  app.addHook('onClose', (_app, done) => {
    for (const timer of timers) clearTimeout(timer);
    done();
  });
}
