import { DomainError, InvalidFields, NameTaken, UrlTaken } from '@hitherto/domain/base';
import { ImportOverlap } from '@hitherto/domain/imports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyTooLarge, unsupportedType } from './body-problems.ts';
import {
  faultsDetail,
  HttpProblem,
  InvalidRequest,
  PROBLEMS,
  type ProblemCode,
  problemCodeOf,
  type WireFault,
} from './problems.ts';
import { inSources } from './source-positions.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The problem that the response reports, if any. */
    problem: ProblemCode | null;
  }
}

const RETRY_AFTER_SECONDS = 1;
/** Imports take minutes. */
const IMPORT_RETRY_SECONDS = 60;

/** The body of a problem (RFC 9457). */
interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly existing_id?: string;
  readonly errors?: readonly WireFault[];
}

/** The part of an error that a response contains; of an unexpected error only that it is `internal`. */
export function problemDetailsOf(error: unknown, requestId: string): ProblemDetails {
  const code = problemCodeOf(error);
  const { status, title, explanation } = PROBLEMS[code];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail: detailOf(error) ?? explanation,
    code,
    request_id: requestId,
    ...existingIdOf(error),
    ...(error instanceof InvalidFields || error instanceof InvalidRequest
      ? { errors: error.faults.map(faultBody) }
      : {}),
  };
}

function existingIdOf(error: unknown): Pick<ProblemDetails, 'existing_id'> {
  const isTaken = error instanceof UrlTaken || error instanceof NameTaken || error instanceof ImportOverlap;
  return isTaken && error.existingId !== undefined ? { existing_id: error.existingId } : {};
}

/** The headers of an error response, except its type. An error is never cached. */
export function problemHeadersOf(error: unknown): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    ...(problemCodeOf(error) === 'unavailable' ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
    ...(error instanceof DomainError && error.code === 'too_many_imports'
      ? { 'retry-after': String(IMPORT_RETRY_SECONDS) }
      : {}),
    ...(error instanceof HttpProblem ? error.headers : {}),
  };
}

function detailOf(error: unknown): string | undefined {
  if (error instanceof InvalidFields) return faultsDetail(error.faults.length);
  if (error instanceof HttpProblem) return error.message;
  // Everything that is not found gets the same text, which therefore reveals nothing.
  const isTold = error instanceof DomainError && problemCodeOf(error) !== 'internal' && error.code !== 'not_found';
  return isTold ? error.message : undefined;
}

const MAX_FIELD_LENGTH = 64;

function faultBody({ field, line, code, detail }: WireFault) {
  const name = [...field].slice(0, MAX_FIELD_LENGTH).join('');
  return { field: name, ...(line === undefined ? {} : { line }), code, detail };
}

/** Fastify's own errors, by code; any other code is a bug in Hitherto. */
const PROBLEM_OF_FASTIFY_ERROR: Readonly<Record<string, (request: FastifyRequest) => HttpProblem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedType,
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HttpProblem('bad_request', 'The length of the body differs from Content-Length.'),
  // Of the paths of files that are served.
  FST_STATIC_FORBIDDEN_PATH: () => new HttpProblem('not_found'),
  ENAMETOOLONG: () => new HttpProblem('not_found'),
};

/** The problem for an error of Fastify or Node; any other error unchanged. */
function translate(error: unknown, request: FastifyRequest): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  if (error.code === 'ECONNRESET' || error.code === 'ABORT_ERR') {
    return new HttpProblem('bad_request', 'The connection ended before the request was complete.');
  }
  return PROBLEM_OF_FASTIFY_ERROR[error.code]?.(request) ?? error;
}

/**
 * Sets status and headers for an error, logs it unless the client caused it, and returns the content of the response. Only names
 * and codes are logged, because messages can contain data.
 */
export function prepareProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): ProblemDetails {
  const known = translate(error, request);
  const details = problemDetailsOf(known, request.id);
  if (details.status === 500) request.log.error({ error: describeError(known) }, 'request failed');
  if (details.status === 503) request.log.warn({ error: describeError(known) }, 'request not served');
  reply.problem = details.code;
  // Fastify closes the connection of every body that it cannot decode. After a whole body, the next request can follow. Closing
  // while the client still writes would lose the response, so the rest of a body that is too long is read and discarded.
  // A stop of the service and a request for another protocol end the connection all the same.
  const ends = reply.raw.hasHeader('connection') || request.headers.upgrade !== undefined;
  if (details.status === 413 || (request.raw.complete && !ends)) reply.removeHeader('connection');
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
 * The parts of an error and its causes that may be logged: name, code and location, but never data. The location of an expected error
 * is left out, because it is not a bug.
 */
export function describeError(error: unknown, withStack = !isExpected(error)): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    // Messages of expected errors contain no data; others (PostgreSQL's, say) can quote a row.
    ...(isExpected(error) ? { message: error.message } : {}),
    ...(withStack ? { stack: frames.map((frame) => inSources(frame.trim())) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause, withStack) }),
  };
}

/** Whether the error is the domain's, or says that the service is not ready or stops. */
function isExpected(error: unknown): error is Error {
  return error instanceof DomainError || (error instanceof HttpProblem && error.code === 'unavailable');
}
