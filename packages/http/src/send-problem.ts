import { DomainError } from '@hitherto/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ProblemDetails, problemDetailsOf, problemHeadersOf } from './problem-details.ts';
import { HttpProblem, type ProblemCode } from './problems.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The problem that the response reports, if any. */
    problem: ProblemCode | null;
  }
}

/** Fastify's own refusals, by its error codes; any other code is a bug of ours. */
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

/**
 * Sets status and headers for an error, logs what is not the client's doing, and returns what the response says. Only names
 * and codes are logged: messages can hold data.
 */
export function prepareProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): ProblemDetails {
  const known = translate(error);
  const details = problemDetailsOf(known, request.id);
  if (details.status === 500) request.log.error({ error: describeError(known) }, 'request failed');
  if (details.status === 503) request.log.warn({ error: describeError(known) }, 'request not served');
  reply.problem = details.code;
  // Closing while the client still writes would lose the response: the rest of the body is read and discarded.
  if (details.status === 413) reply.removeHeader('connection');
  reply.code(details.status).headers(problemHeadersOf(known));
  return details;
}

/** Responds to an error with problem details. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const details = prepareProblem(error, request, reply);
  reply
    .header('content-type', 'application/problem+json')
    .serializer((text: string) => text)
    .send(JSON.stringify(details));
}

/**
 * What a log may say of an error: its name, its code and where it was raised, those of its causes too; never its data. Where
 * a refusal of the domain was raised is of no interest: it is no fault of the program.
 */
export function describeError(error: unknown, withStack = !(error instanceof DomainError)): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    // Messages of the domain hold no data by their contract; others (PostgreSQL's, say) can quote a row.
    ...(error instanceof DomainError ? { message: error.message } : {}),
    ...(withStack ? { stack: frames.map((frame) => frame.trim()) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause, withStack) }),
  };
}
