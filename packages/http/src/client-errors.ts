import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { COMMON_HEADERS } from './common-headers.ts';
import { answerFor, HttpProblem, type ProblemAnswer } from './problems.ts';

/** The answers that a connection still owes, in the order of their requests. */
const owed = new WeakMap<Socket, Set<ServerResponse>>();
/** The last request that came on a connection. */
const latest = new WeakMap<Socket, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

/** Watches which answers the connections of a server owe, so that an answer to what is no request keeps its turn. */
export function watchAnswers(server: Server): void {
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    const answers = owed.get(socket) ?? new Set();
    owed.set(socket, answers.add(response));
    latest.set(socket, { request, response });
    response.once('close', () => answers.delete(response));
  });
}

/** Answers what is no HTTP at all, or arrives too slowly: there is no request then, only a socket. */
export function answerClientError(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const last = latest.get(socket);
    const broken = last?.request.complete === false ? last.response : undefined;
    const before = [...(owed.get(socket) ?? [])].filter((response) => response !== broken);
    const answer = () => {
      // A request whose answer has begun gets no second one.
      if (!socket.writable || broken?.headersSent) socket.destroy();
      else socket.end(rawAnswer(answerFor(problemOfClientError(error.code), newRequestId())));
    };
    const lastBefore = before.at(-1);
    if (lastBefore === undefined) answer();
    else lastBefore.once('close', answer);
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

function rawAnswer({ status, headers, body }: ProblemAnswer): string {
  const requestId: string = JSON.parse(body).request_id;
  const lines = Object.entries({
    ...COMMON_HEADERS,
    ...headers,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`;
}
