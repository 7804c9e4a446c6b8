import {
  createServer,
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { trackResponses } from './connections.ts';
import { HTTP_TIMEOUTS } from './timeouts.ts';

/** The certificate chain and the private key, in PEM. */
export interface Tls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** The most bytes of a request line and its headers. */
export const MAX_HEADER_BYTES = 16_384;

const OPTIONS = {
  requestTimeout: HTTP_TIMEOUTS.request,
  headersTimeout: HTTP_TIMEOUTS.headers,
  connectionsCheckingInterval: HTTP_TIMEOUTS.check,
  keepAliveTimeout: HTTP_TIMEOUTS.keepAlive,
  maxHeaderSize: MAX_HEADER_BYTES,
  // The app checks it, and responds with problem details.
  requireHostHeader: false,
} as const satisfies ServerOptions;

/** Limits the life of a connection, so that a load balancer can redistribute clients. */
const MAX_REQUESTS_PER_SOCKET = 100_000;

/**
 * For a year, browsers then use https alone for this host. Its subdomains are not included, nor may browser makers list it:
 * other services have them, and Hitherto cannot tell whether they speak https. Behind a proxy, the header is the proxy's.
 */
const HSTS = 'max-age=31536000';

/** The HTTP server, or the HTTPS server if `tls` is given, with the limits of the service. */
export function createNodeServer(listener: RequestListener, tls: Tls | undefined): Server {
  const listenToHttp: RequestListener = (request, response) => {
    if (isHttp(request)) listener(request, response);
    else server.emit('clientError', new Error('not HTTP'), request.socket);
  };
  const server: Server = tls === undefined ? createServer(OPTIONS, listenToHttp) : createHttpsServer(tls, listenToHttp);
  // Closes a socket without traffic, for example when a client stopped reading.
  server.setTimeout(HTTP_TIMEOUTS.silence);
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1); by default Node responds with 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // A client may close its side after its request (RFC 9112, section 9.6). Node's types lack this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node would silently drop headers beyond its count; the app counts their bytes instead.
  server.maxHeadersCount = 0;
  // This is not a proxy. Node has detached the socket, as for a tunnel: without these listeners a reset would end the
  // process, and a client could hold its connection for ever.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => {});
    socket.on('finish', () => socket.destroy());
    socket.setTimeout(HTTP_TIMEOUTS.silence, () => socket.destroy());
    server.emit('clientError', new Error('CONNECT'), socket);
  });
  trackResponses(server);
  return server;
}

const HTTP_METHODS = new Set(METHODS);

/** Node's parser takes requests of RTSP and ICE for HTTP/1.0. Their own methods tell them apart, but no others. */
function isHttp({ method = '', httpVersion }: IncomingMessage): boolean {
  return HTTP_METHODS.has(method) && !(method === 'SOURCE' && httpVersion === '1.0');
}

function createHttpsServer(tls: Tls, listener: RequestListener): Server {
  const options = { ...OPTIONS, ...tls, handshakeTimeout: HTTP_TIMEOUTS.headers, allowHalfOpen: true };
  const server = createTlsServer(options, (request, response) => {
    response.setHeader('strict-transport-security', HSTS);
    listener(request, response);
  });
  // Without a handshake no response is possible, and Node does not close a connection whose handshake takes too long.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}
