import type { Socket } from 'node:net';
import { DomainError } from '@hitherto/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMMON_HEADERS } from './common-headers.ts';
import { answerFor, HttpProblem, type ProblemAnswer, type ProblemCode, problemCodeOf } from './problems.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Which problem the answer tells, if any. */
    problem: ProblemCode | null;
  }
}

/** Fastify's own refusals, by its error codes; a code that is not listed is a fault of ours. */
const PROBLEM_OF_FASTIFY_ERROR: Readonly<Record<string, () => HttpProblem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new HttpProblem('unsupported_media_type'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new HttpProblem('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HttpProblem('bad_request', 'The body is not as long as Content-Length says.'),
  // The path has a malformed escape: no route has such a path.
  FST_ERR_BAD_URL: () => new HttpProblem('not_found'),
};

/** The same error, or the problem that it stands for where Fastify or Node raised it. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  if (error.code === 'ECONNRESET' || error.code === 'ABORT_ERR') {
    return new HttpProblem('bad_request', 'The connection ended before the request was complete.');
  }
  return PROBLEM_OF_FASTIFY_ERROR[error.code]?.() ?? error;
}

/** Answers an error, and logs what is not the client's doing. Only names and codes are logged: messages can hold data. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = translate(error);
  const answer = answerFor(known, request.id);
  if (answer.status === 500) request.log.error({ error: describe(known) }, 'request failed');
  if (answer.status === 503) request.log.warn({ error: describe(known) }, 'request not served');
  reply.problem = problemCodeOf(known);
  reply
    .code(answer.status)
    .headers(answer.headers)
    .serializer((text: string) => text)
    .send(answer.body);
}

/** What a log may say of an error: its name, its code and where it was raised, those of its causes too; never its data. */
export function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    // Messages of the domain hold no data by their contract; others (PostgreSQL's, say) can quote a row.
    ...(error instanceof DomainError ? { message: error.message } : {}),
    stack: frames.map((frame) => frame.trim()),
    ...(error.cause === undefined ? {} : { cause: describe(error.cause) }),
  };
}

/** Answers what is no HTTP at all, or arrives too slowly: there is no request then, only a socket. */
export function answerClientError(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
      // A half-sent answer cannot be taken back; an answer after it would be taken for a part of it.
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(answerFor(problemOfClientError(error.code), newRequestId())));
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
