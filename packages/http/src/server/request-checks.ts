import type { IncomingMessage } from 'node:http';
import { type DomainError, unavailable } from '@hitherto/domain/base';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../problems/problems.ts';
import type { Lifecycle } from './face.ts';
import { MAX_HEADER_BYTES } from './node-server.ts';

// The checks of every request before its route: common headers, framing, then path and method.

/** Sets the headers that every response of every face has. */
export function markResponse(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(serverHeaders(request.id));
  if (asksForUpgrade(request.raw)) reply.header('connection', 'close');
}

/** Whether a client asks for another protocol. None is spoken, but Node drops the bytes that follow such a request. */
export function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}

/** The headers that every response has. */
export function serverHeaders(requestId: string) {
  return { 'x-content-type-options': 'nosniff', 'x-request-id': requestId };
}

/** Forbids caching the responses of a scope. */
export function forbidCaching(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store');
    done();
  });
}

/** Throws `unavailable` until the database has been migrated. */
export function assertPrepared({ isPrepared }: Lifecycle): void {
  if (!isPrepared) throw notPrepared();
}

/** Rejects the requests of a scope until the database has been migrated. */
export function requirePrepared(scope: FastifyInstance, lifecycle: Lifecycle): void {
  scope.addHook('onRequest', (_request, _reply, done) => {
    done(lifecycle.isPrepared ? undefined : notPrepared());
  });
}

function notPrepared(): DomainError {
  return unavailable('The database is not ready yet.');
}

/** How often a header occurs. Of some headers, Node's `headers` has only the first, and hostile input makes `headersDistinct` throw. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}

/** A body parser that reads nothing and always succeeds. */
export function discardBody(
  _request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: undefined) => void,
): void {
  payload.resume();
  done(null);
}

/** A name or an address, and a port (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/** Sets the common headers, and rejects requests whose framing is malformed (RFC 9112, sections 3.2 and 6). */
export function checkFraming(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    markResponse(request, reply);
    done(framingProblem(request.raw));
  });
}

/** The problem of a request whose head is too large or malformed. */
export function framingProblem(request: IncomingMessage): HttpProblem | undefined {
  if (headerBytes(request) > MAX_HEADER_BYTES) return new HttpProblem('headers_too_large');
  const { headers, httpVersion } = request;
  const hosts = countHeaders(request, 'host');
  const isNamed = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  if (!isNamed || !HOST.test(headers.host ?? '')) {
    return new HttpProblem(
      'bad_request',
      'A request must have exactly one Host header: a name, with or without a port.',
    );
  }
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return new HttpProblem('bad_request', 'The only supported Transfer-Encoding is "chunked".', {
      connection: 'close',
    });
  }
  return undefined;
}

/** Node counts only names and values, so thousands of short headers would pass. */
function headerBytes({ url, method, rawHeaders }: IncomingMessage): number {
  // Beside the target, the request line has its method, spaces, version and line break; an empty line ends the head.
  let bytes = (url?.length ?? 0) + (method?.length ?? 0) + 14;
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}

/** A query that `decodeQueries` has not decoded yet. */
export interface UndecodedQuery {
  readonly undecoded: string;
}

/** The router's parser of queries: it leaves them undecoded. */
export function keepQuery(undecoded: string): Record<string, unknown> {
  return { undecoded } satisfies UndecodedQuery;
}
