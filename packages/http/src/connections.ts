import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HttpProblem } from './problems.ts';
import { problemDetailsOf, problemHeadersOf } from './send-problem.ts';
import { HTTP_TIMEOUTS } from './timeouts.ts';

// What happens on connections beside requests: malformed bytes, and their end at shutdown.

/** The pending responses of each connection, in the order of the requests. */
const owed = new WeakMap<Socket, Set<ServerResponse>>();
/** The latest request of a connection. */
const latest = new WeakMap<Socket, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

/** Tracks the pending responses of connections, so that the response to malformed bytes waits for its turn. */
export function trackResponses(server: Server): void {
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    const responses = owed.get(socket) ?? new Set();
    owed.set(socket, responses.add(response));
    latest.set(socket, { request, response });
    response.once('close', () => responses.delete(response));
  });
}

/** Responds to malformed HTTP, and to requests that arrive too slowly: then there is no request, only a socket. */
export function sendClientError(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const last = latest.get(socket);
    const broken = last?.request.complete === false ? last.response : undefined;
    const before = [...(owed.get(socket) ?? [])].filter((response) => response !== broken);
    const respond = () => {
      // The response has begun: a second one is impossible.
      if (!socket.writable || broken?.headersSent) socket.destroy();
      else socket.end(rawResponse(problemOfClientError(error.code), newRequestId()));
    };
    const lastBefore = before.at(-1);
    if (lastBefore === undefined) respond();
    else lastBefore.once('close', respond);
  };
}

function problemOfClientError(code: string | undefined): HttpProblem {
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem('request_timeout');
  return new HttpProblem('bad_request', 'This is not a well-formed HTTP request.');
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function rawResponse(problem: HttpProblem, requestId: string): string {
  const details = problemDetailsOf(problem, requestId);
  const body = JSON.stringify(details);
  const lines = Object.entries({
    'x-content-type-options': 'nosniff',
    ...problemHeadersOf(problem),
    'content-type': 'application/problem+json',
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${details.status} ${REASONS[details.status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`;
}

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
