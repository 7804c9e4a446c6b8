import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HTTP_TIMEOUTS } from './timeouts.ts';

const SWEEP_MS = 100;

/**
 * Stops a service without losing requests. For `drainMs` it serves as before, so that load balancers see that it stops; then
 * it empties the listen queue, closes the listening socket, and ends the connections. Node itself waits for all of them, also
 * for those that never send anything, and for requests whose end never comes.
 */
export function endConnections(app: FastifyInstance, drainMs: number): void {
  const accepted = new Set<Socket>();
  // Those that HTTP is spoken on. Of TLS they are other sockets than the accepted ones, and come after the handshake.
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
      // From here on Fastify adds `Connection: close` to every response. A connection that is kept alive and closed at once
      // would take a request with it that is on its way, since neither side knows of the other's.
      await sleep(drainMs);
      // A closed listening socket resets what the kernel has accepted and the process has not. Clients and balancers with a
      // limited number of connections open no more while they wait for responses, so new requests are held meanwhile.
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

/** Resolves when no connection has come for `quietAtStop`, or after `emptyingAtStop`, right after a look into the queue. */
async function emptyListenQueue(lastAccepted: () => number): Promise<void> {
  const since = performance.now();
  let now = since;
  do {
    await sleep(1);
    // Timers run before the queue is looked into, immediates after: a busy machine may have let time pass without a look.
    await nextTurn();
    now = performance.now();
  } while (
    now - Math.max(since, lastAccepted()) < HTTP_TIMEOUTS.quietAtStop &&
    now - since < HTTP_TIMEOUTS.emptyingAtStop
  );
}

/** Holds the requests that come while the gate is closed. */
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

/** What a socket of TLS and the accepted one beneath it have in common. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
