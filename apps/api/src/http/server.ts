import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { watchAnswers } from './client-errors.ts';

/** The certificate chain and the private key, in PEM. */
export interface Tls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** The most bytes of a request line and the headers after it. */
export const MAX_HEADER_BYTES = 16_384;

// Times in milliseconds. A request fits into requestTimeout as a whole; its headers into headersTimeout, which is shorter.
const OPTIONS = {
  // A request with the largest body passes at 0.6 Mbit/s.
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  // How often the two above are looked at: 408 comes at most this much late.
  connectionsCheckingInterval: 2_000,
  // Longer than the 60 s after which common proxies close an idle connection, so that they do it first.
  keepAliveTimeout: 72_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Checked by the app, which answers with problem details.
  requireHostHeader: false,
} as const satisfies ServerOptions;

/** A socket on which nothing moves for so long is closed: it ends clients that stop reading. */
const SOCKET_TIMEOUT_MS = 20_000;
/** Connections are renewed now and then, so that a balancer can spread them anew. */
const MAX_REQUESTS_PER_SOCKET = 100_000;

/** The HTTP server, or the HTTPS server where `tls` is given, with the limits of the service. */
export function createHttpServer(listener: RequestListener, tls: Tls | undefined): Server {
  const server =
    tls === undefined ? createServer(OPTIONS, listener) : createTlsServer({ ...OPTIONS, ...tls }, listener);
  server.setTimeout(SOCKET_TIMEOUT_MS);
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1); Node would answer 417 by itself.
  server.on('checkExpectation', listener);
  // Header lines beyond Node's count would be dropped without a word; the app counts their bytes instead.
  server.maxHeadersCount = 0;
  // This is no proxy.
  server.on('connect', (_request, socket) => server.emit('clientError', new Error('CONNECT'), socket));
  watchAnswers(server);
  return server;
}
