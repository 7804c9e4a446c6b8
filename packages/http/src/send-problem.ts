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

/** Fastify's own errors, by code; any other code is a bug in Hitherto. */
const PROBLEM_OF_FASTIFY_ERROR: Readonly<Record<string, () => HttpProblem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new HttpProblem('unsupported_media_type'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new HttpProblem('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HttpProblem('bad_request', 'The length of the body differs from Content-Length.'),
};

/** The problem for an error of Fastify or Node; any other error unchanged. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  if (error.code === 'ECONNRESET' || error.code === 'ABORT_ERR') {
    return new HttpProblem('bad_request', 'The connection ended before the request was complete.');
  }
  return PROBLEM_OF_FASTIFY_ERROR[error.code]?.() ?? error;
}

/**
 * Sets status and headers for an error, logs it unless the client caused it, and returns what the response says. Only names
 * and codes are logged, because messages can contain data.
 */
export function prepareProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): ProblemDetails {
  const known = translate(error);
  const details = problemDetailsOf(known, request.id);
  if (details.status === 500) request.log.error({ error: describeError(known) }, 'request failed');
  if (details.status === 503) request.log.warn({ error: describeError(known) }, 'request not served');
  reply.problem = details.code;
  // Closing while the client still writes would lose the response, so the rest of the body is read and discarded.
  if (details.status === 413) reply.removeHeader('connection');
  reply.code(details.status).headers(problemHeadersOf(known));
  return details;
}

/** Responds to an error with problem details. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  sendDetails(prepareProblem(error, request, reply), reply);
}

/** Sends problem details that {@link prepareProblem} returned. */
export function sendDetails(details: ProblemDetails, reply: FastifyReply): void {
  reply
    .header('content-type', 'application/problem+json')
    .serializer((text: string) => text)
    .send(JSON.stringify(details));
}

/**
 * What a log may say about an error and its causes: name, code and location, but never data. The location of a domain error
 * is left out, because it is not a bug.
 */
export function describeError(error: unknown, withStack = !(error instanceof DomainError)): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    // By contract, messages of the domain contain no data; others (PostgreSQL's, say) can quote a row.
    ...(error instanceof DomainError ? { message: error.message } : {}),
    ...(withStack ? { stack: frames.map((frame) => frame.trim()) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause, withStack) }),
  };
}
