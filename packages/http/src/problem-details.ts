import { DomainError, InvalidFields, UrlTaken } from '@hitherto/domain';
import { faultsDetail, InvalidRequest, type WireFault } from './invalid-request.ts';
import { HttpProblem, PROBLEMS, type ProblemCode, problemCodeOf } from './problems.ts';

const RETRY_AFTER_SECONDS = 1;

/** The body of a problem (RFC 9457). */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly existing_id?: string;
  readonly errors?: readonly WireFault[];
}

/** What a response says about an error; about an unexpected error only that it is `internal`. */
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
    ...(error instanceof UrlTaken ? { existing_id: error.existingId } : {}),
    ...(error instanceof InvalidFields || error instanceof InvalidRequest
      ? { errors: error.faults.map(faultBody) }
      : {}),
  };
}

/** The headers of an error response, except its type. An error is never cached. */
export function problemHeadersOf(error: unknown): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    ...(problemCodeOf(error) === 'unavailable' ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
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
