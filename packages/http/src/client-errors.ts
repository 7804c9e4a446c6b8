import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemDetailsOf, problemHeadersOf } from './problem-details.ts';
import { HttpProblem } from './problems.ts';

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
