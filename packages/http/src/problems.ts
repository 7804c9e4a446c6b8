import { DomainError, type DomainErrorCode } from '@hitherto/domain';

/**
 * Every problem that a response can report (decisions.md, "Errors"): its status, what it is, and how to fix it. The responses,
 * the pages under /problems and the OpenAPI document are made from this table.
 */
export const PROBLEMS = {
  bad_request: {
    status: 400,
    title: 'The request cannot be read',
    explanation:
      'The HTTP framing, an escape, the text encoding or the JSON of the request is malformed, or a header stands in it twice. Send it again, well-formed; the same request will fail again.',
  },
  missing_key: {
    status: 401,
    title: 'An API key is required',
    explanation: 'Send the header "Authorization: Bearer KEY". Keys in the query or in the body are not looked at.',
  },
  invalid_token: {
    status: 401,
    title: 'The API key is not valid',
    explanation:
      'The key is malformed, unknown, revoked or expired, or the scheme is not Bearer. The operator of the service issues keys with "keys create".',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key may not do this',
    explanation: 'The key may only read. Use a key of scope "write" to store, update or destroy websites.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    explanation:
      'The path does not exist in this spelling, or there is no website of this id in the account of the key. Paths have no trailing slash, and their letter case matters.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method does not work at this address',
    explanation: 'The header "Allow" names the methods that work.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The headers and the body were not complete in time. Send the request again.',
  },
  url_taken: {
    status: 409,
    title: 'The account already tracks this address',
    explanation:
      'Addresses are unique within an account, whatever their scheme. The member "existing_id" names the website that has this one.',
  },
  precondition_failed: {
    status: 412,
    title: 'The website has changed',
    explanation:
      'The entity tag in "If-Match" is not the current one. Show the website, take its new ETag, and decide again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    explanation: 'A body has at most 1 MiB (1,048,576 bytes).',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is of a type that is not read',
    explanation:
      'Send application/x-www-form-urlencoded or application/json, in UTF-8 and without a Content-Encoding, and say so in "Content-Type".',
  },
  validation: {
    status: 422,
    title: 'The request has invalid fields',
    explanation:
      'The member "errors" names each fault: its field, in lists its line, a stable code, and what is accepted.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for something else',
    explanation: 'The same key came with other fields within the last 24 hours. Use a new key for a new website.',
  },
  rate_limited: {
    status: 429,
    title: 'There are too many requests',
    explanation:
      'The account has used up its allowance, or the client address has sent too many keys that are not valid. Wait as many seconds as "Retry-After" says.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    explanation: 'The request line and the headers have at most 16 KiB together.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong in the service',
    explanation: 'This is a fault of the service, not of the request. Its log has the details under the request id.',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot answer right now',
    explanation:
      'The database cannot be reached, or the service is overloaded. A write may have been done all the same, wholly or not at all. Wait as many seconds as "Retry-After" says, and repeat it; a store with the same Idempotency-Key.',
  },
} as const satisfies Record<string, { status: number; title: string; explanation: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The problem of each refusal of the domain. The last two occur on the command line only. */
const PROBLEM_OF_DOMAIN_ERROR = {
  invalid_fields: 'validation',
  not_found: 'not_found',
  url_taken: 'url_taken',
  precondition_failed: 'precondition_failed',
  idempotency_key_reused: 'idempotency_key_reused',
  unavailable: 'unavailable',
  name_taken: 'internal',
  not_empty: 'internal',
} as const satisfies Record<DomainErrorCode, ProblemCode>;

/** A refusal by the HTTP side. Its detail is for people and repeats nothing of the request. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string = PROBLEMS[code].explanation, headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

/** Which problem an error is; what is none of ours is `internal`, and says nothing of itself. */
export function problemCodeOf(error: unknown): ProblemCode {
  if (error instanceof HttpProblem) return error.code;
  if (error instanceof DomainError) return PROBLEM_OF_DOMAIN_ERROR[error.code];
  return 'internal';
}
