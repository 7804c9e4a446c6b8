import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../problems/problems.ts';
import { problemDetailsOf, problemHeadersOf } from '../problems/send-problem.ts';
import { HTTP_TIMEOUTS } from './timeouts.ts';

// The rules for connections, not their requests: responses to malformed bytes, and the end of all connections at a stop.

/** A request and its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The latest exchange of each connection, after those whose responses are pending. */
const exchanges = new WeakMap<Socket, Exchange[]>();

/** Tracks the pending responses of connections, so that the response to malformed bytes comes in order. */
export function trackResponses(server: Server): void {
  server.prependListener('request', (request, response) => {
    const known = exchanges.get(request.socket);
    if (known === undefined) exchanges.set(request.socket, [{ request, response }]);
    else {
      // Responses are sent in the order of their requests. A listener on each would cost more.
      while (known[0]?.response.writableFinished) known.shift();
      known.push({ request, response });
    }
  });
}

/** The response to the request before the latest one, if it is pending. */
export function responseBeforeLatest(socket: Socket): ServerResponse | undefined {
  return exchanges.get(socket)?.at(-2)?.response;
}

/** Requests whose bodies may take longer than `HTTP_TIMEOUTS.request`, as long as bytes arrive. */
const uploads = new WeakSet<IncomingMessage>();

/** Lets the body of this request take as long as it needs; a connection without traffic ends nevertheless. */
export function allowSlowBody(request: IncomingMessage): void {
  uploads.add(request);
}

/** Lets the response to this request stay silent for minutes; Node limits the next request again. */
export function allowSlowResponse({ socket }: IncomingMessage): void {
  // Injected requests have no real socket.
  if (socket instanceof Socket) socket.setTimeout(0);
}

interface ClientError extends NodeJS.ErrnoException {
  /** The bytes in which the parser found the error. */
  readonly rawPacket?: unknown;
}

/**
 * Whether the bytes are of a HEAD request, whose response must have no body (RFC 9110, section 9.3.2). The parser does not say
 * the method. If the request began in earlier bytes, it counts as another one.
 */
function beginsWithHead({ rawPacket }: ClientError): boolean {
  return Buffer.isBuffer(rawPacket) && rawPacket.toString('latin1', 0, 5) === 'HEAD ';
}

/** The id of a request, which its response, its problem and its log line have in common. */
export function newRequestId(): string {
  return randomUUID();
}

/** Responds to malformed HTTP, and to requests that arrive too slowly: then there is no request, only a socket. */
export function sendClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const all = exchanges.get(socket) ?? [];
  const last = all.at(-1);
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && last !== undefined && uploads.has(last.request)) return;
  const broken = last?.request.complete === false ? last.response : undefined;
  const before = all
    .map(({ response }) => response)
    .filter((response) => response !== broken && !response.writableFinished);
  const respond = () => {
    // The response has begun: a second one is impossible.
    if (!socket.writable || broken?.headersSent) socket.destroy();
    else {
      const { head, body } = rawResponse(problemOfClientError(error.code), newRequestId());
      const isHead = broken === undefined ? beginsWithHead(error) : last?.request.method === 'HEAD';
      socket.end(isHead ? head : head + body);
    }
  };
  const lastBefore = before.at(-1);
  if (lastBefore === undefined) respond();
  else lastBefore.once('close', respond);
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

function rawResponse(problem: HttpProblem, requestId: string): { readonly head: string; readonly body: string } {
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
  return { head: `HTTP/1.1 ${details.status} ${REASONS[details.status] ?? 'Error'}\r\n${lines.join('')}\r\n`, body };
}

const SWEEP_MS = 100;

/**
 * Stops a service without losing requests. For `drainMs` it goes on serving, so that load balancers notice the stop.
 * Then it empties the listen queue, closes the listening socket, and ends the connections. Node itself would wait for
 * all of them, even those that never send anything, and for requests that never end.
 *
 * @param closedByAll resolves when other processes have closed the socket too, if they share it
 */
export function endConnections(app: FastifyInstance, drainMs: number, closedByAll = async () => {}): void {
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
      // From here on Fastify adds `Connection: close` to every response. Closing a kept-alive connection immediately could
      // lose a request that is already on its way.
      await sleep(drainMs);
      // Closing the listening socket resets connections that the kernel has accepted and the process has not. New
      // requests are held until then, because clients and balancers with a limited number of connections open no more
      // while they wait for responses.
      gate.close();
      await emptyListenQueue(() => lastAccepted);
      app.server.close();
      await closedByAll();
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
