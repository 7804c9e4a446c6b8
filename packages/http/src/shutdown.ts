import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HTTP_TIMEOUTS } from './timeouts.ts';

const SWEEP_MS = 100;

/**
 * Stops a service without losing requests. For `drainMs` it goes on serving, so that load balancers notice the stop.
 * Then it empties the listen queue, closes the listening socket, and ends the connections. Node itself would wait for
 * all of them, even those that never send anything, and for requests that never end.
 */
export function endConnections(app: FastifyInstance, drainMs: number): void {
  const accepted = new Set<Socket>();
  // The sockets that carry HTTP. With TLS these are not the accepted sockets, and appear after the handshake.
  const open = new Set<Socket>();
  const unused = new Set<Socket>();
  let lastAccepted = 0;
  app.server.on('connection', (socket) => {
    lastAccepted = performance.now();
    track(socket, accepted);
  });
  app.server.on(app.server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    track(socket, open);
    track(socket, unused);
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));

  const gate = addGate(app);
  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    if (app.server.listening) {
      // From here on Fastify adds `Connection: close` to every response. Closing a kept-alive connection at once could
      // lose a request that is already on its way.
      await sleep(drainMs);
      // Closing the listening socket resets connections that the kernel has accepted and the process has not. New
      // requests are held meanwhile, because clients and balancers with a limited number of connections open no more
      // while they wait for responses.
      gate.close();
      await emptyListenQueue(() => lastAccepted);
      app.server.close();
      gate.open();
    }
    const cutUnused = () => {
      for (const socket of unused) socket.destroy();
      const peers = new Set([...open].map(peerOf));
      for (const socket of accepted) if (!peers.has(peerOf(socket))) socket.destroy();
    };
    // Node's own list lacks unfinished handshakes and sockets of CONNECT.
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

/**
 * Resolves right after a check of the queue: when `quietAtStop` checks, at least a millisecond apart, have found no
 * connection, or after `emptyingAtStop`. Checks are counted because a busy machine lets time pass without one.
 */
async function emptyListenQueue(lastAccepted: () => number): Promise<void> {
  const since = performance.now();
  let checked = since;
  let quietChecks = 0;
  while (quietChecks < HTTP_TIMEOUTS.quietAtStop && checked - since < HTTP_TIMEOUTS.emptyingAtStop) {
    await sleep(1);
    // Timers run before the queue is checked, immediates after.
    await nextTurn();
    quietChecks = lastAccepted() > checked ? 0 : quietChecks + 1;
    checked = performance.now();
  }
}

/** Holds requests that arrive while the gate is closed. */
function addGate(app: FastifyInstance): { close(): void; open(): void } {
  let held: (() => void)[] | undefined;
  app.addHook('onRequest', (_request, _reply, done) => {
    if (held === undefined) done();
    else held.push(done);
  });
  return {
    close() {
      held = [];
    },
    open() {
      const waiting = held ?? [];
      held = undefined;
      for (const resume of waiting) resume();
    },
  };
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

/** Identifies the client; a TLS socket and the accepted socket beneath it share it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
