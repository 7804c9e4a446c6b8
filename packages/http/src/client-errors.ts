import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HttpProblem } from './problems.ts';
import { problemDetailsOf, problemHeadersOf } from './send-problem.ts';

// Malformed bytes, and requests that arrive too slowly: there is a connection, but no request that a route could answer.

/** The pending responses of each connection, in the order of the requests. */
const owed = new WeakMap<Socket, Set<ServerResponse>>();
/** The latest request of a connection. */
const latest = new WeakMap<Socket, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

/** Tracks the pending responses of connections, so that the response to malformed bytes comes in order. */
export function trackResponses(server: Server): void {
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    const responses = owed.get(socket) ?? new Set();
    owed.set(socket, responses.add(response));
    latest.set(socket, { request, response });
    response.once('close', () => responses.delete(response));
  });
}

interface ClientError extends NodeJS.ErrnoException {
  /** The bytes in which the parser found the error. */
  readonly rawPacket?: unknown;
}

/**
 * Whether the bytes are of a HEAD request, whose response must have no body (RFC 9110, section 9.3.2). The parser does not tell
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
  const last = latest.get(socket);
  const broken = last?.request.complete === false ? last.response : undefined;
  const before = [...(owed.get(socket) ?? [])].filter((response) => response !== broken);
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
