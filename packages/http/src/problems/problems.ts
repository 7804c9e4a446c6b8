import { MAX_ALERTS } from '@hitherto/domain/alerts';
import { MAX_ANNOTATIONS } from '@hitherto/domain/annotations';
import { DomainError, type DomainErrorCode, type Fault, type FaultCode, MAX_FAULTS } from '@hitherto/domain/base';
import { MAX_CLEANUPS } from '@hitherto/domain/cleanups';
import { DEFINITION_LIMITS } from '@hitherto/domain/definitions';
import { MAX_LINKS } from '@hitherto/domain/links';
import { MAX_RECIPIENTS } from '@hitherto/domain/recipients';
import { MAX_WEBHOOKS } from '@hitherto/domain/webhooks';

/**
 * Every problem that a response can report (api.md, "Errors"): its status, its meaning, and how to fix it. The responses,
 * the pages under /problems and the OpenAPI document are made from this table.
 */
export const PROBLEMS = {
  bad_request: {
    status: 400,
    title: 'The request cannot be read',
    explanation:
      'Part of the request is malformed: its HTTP framing, an escape, its text encoding or its JSON; or a header is sent twice. The same request will fail again, so correct it first.',
  },
  missing_key: {
    status: 401,
    title: 'An API key is required',
    explanation: 'Send the header "Authorization: Bearer KEY". Keys in the query or in the body are ignored.',
  },
  invalid_token: {
    status: 401,
    title: 'The API key is not valid',
    explanation:
      'The key is malformed, unknown, revoked or expired, or the scheme is not Bearer. Owners of the account create keys on its page "Keys", and operators of the service with "keys create".',
  },
  insufficient_scope: {
    status: 403,
    title: 'The API key lacks the required scope',
    explanation:
      'The key has scope "read". Use a key with scope "write" to create, update or delete something and to send hits.',
  },
  forbidden: {
    status: 403,
    title: 'The API key lacks the right',
    explanation:
      'The key is for some websites of its account, or belongs to a viewer. Creating and deleting websites, and webhooks, need a key of all websites; a key of a viewer reads statistics alone.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    explanation:
      'There is no such path, or no such website in the account of the key. Paths are case-sensitive and have no trailing slash.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not supported at this address',
    explanation: 'The header "Allow" lists the supported methods.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The headers or the body did not arrive in time. Send the request again.',
  },
  url_taken: {
    status: 409,
    title: 'The account already tracks this address',
    explanation:
      'Addresses are unique within an account, regardless of the scheme. The field "existing_id" is the id of the website that has this address.',
  },
  alias_taken: {
    status: 409,
    title: 'Another website already has this name',
    explanation:
      'A name belongs to the account that had it first, so that a hit belongs to one website. Another website has the alias, or another account has it as the address or host of a website. Remove it there first, or leave it out.',
  },
  name_taken: {
    status: 409,
    title: 'This name is already taken',
    explanation:
      'The names of segments, of goals, of funnels and of cleanups are unique within a website. The field "existing_id" is the id of the one that has this name.',
  },
  cleanup_busy: {
    status: 409,
    title: 'The cleanup is being changed',
    explanation:
      'A cleanup that is being applied cannot be erased, and one that is being erased cannot be undone. The detail says what is being done: try again after it.',
  },
  segment_in_use: {
    status: 409,
    title: 'A shared link shows this segment',
    explanation: 'A segment that a link shows cannot be deleted. The detail names the link: revoke it first.',
  },
  webhook_inactive: {
    status: 409,
    title: 'The webhook is turned off',
    explanation: 'Nothing is sent to a webhook that is turned off. Turn it on with a PATCH of "is_active": true.',
  },
  no_secret_key: {
    status: 409,
    title: 'This installation cannot store secrets',
    explanation:
      'The URLs and secrets of webhooks are stored encrypted. With a PostgreSQL of its own, the installation needs a key for that: its operator must set SECRET_KEY.',
  },
  import_overlap: {
    status: 409,
    title: 'Another import covers some of the days',
    explanation:
      'Each day has one origin. The field "existing_id" is the id of the other import: delete it first, or import only earlier days with "until".',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource has changed',
    explanation:
      'The entity tag in "If-Match" is not the current one. Show the resource, check what has changed, and retry with its new ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    explanation:
      'A body may have at most 1 MiB (1,048,576 bytes), a hit from a browser at most 8 KiB (8,192 bytes), and a file to import at most 2 GiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The type of the body is not supported',
    explanation:
      'Websites are sent as application/x-www-form-urlencoded or application/json; segments, goals, funnels, links, recipients, annotations, cleanups, alerts, webhooks and hits from servers as application/json; and hits from browsers as text/plain or application/json. Send UTF-8, with a matching "Content-Type" and without a "Content-Encoding".',
  },
  validation: {
    status: 422,
    title: 'The request has invalid fields',
    explanation:
      'The field "errors" lists all errors, up to 100. Each has the field, the line in a list, a stable code, and a sentence about the accepted values.',
  },
  not_collected: {
    status: 422,
    title: 'Nothing is collected for this list',
    explanation:
      'Hitherto stores neither cities nor resolutions of screens, so it has no such list, rather than an empty one.',
  },
  too_many_segments: {
    status: 422,
    title: 'The website has too many segments',
    explanation: `A website has at most ${DEFINITION_LIMITS.segment} segments. Delete one that is no longer needed.`,
  },
  too_many_goals: {
    status: 422,
    title: 'The website has too many goals',
    explanation: `A website has at most ${DEFINITION_LIMITS.goal} goals. Delete one that is no longer needed.`,
  },
  too_many_funnels: {
    status: 422,
    title: 'The website has too many funnels',
    explanation: `A website has at most ${DEFINITION_LIMITS.funnel} funnels. Delete one that is no longer needed.`,
  },
  too_many_links: {
    status: 422,
    title: 'The website has too many links',
    explanation: `A website has at most ${MAX_LINKS} links. Revoke one that is no longer needed.`,
  },
  too_many_cleanups: {
    status: 422,
    title: 'The website has too many cleanups',
    explanation: `A website has at most ${MAX_CLEANUPS} cleanups. Delete one whose visits may count again.`,
  },
  too_many_recipients: {
    status: 422,
    title: 'The website has too many recipients',
    explanation: `A website has at most ${MAX_RECIPIENTS} recipients. Delete one first.`,
  },
  too_many_annotations: {
    status: 422,
    title: 'The website has too many annotations',
    explanation: `A website has at most ${MAX_ANNOTATIONS} annotations. Delete some that are no longer needed.`,
  },
  too_many_alerts: {
    status: 422,
    title: 'The website has too many alerts',
    explanation: `A website has at most ${MAX_ALERTS} alerts. Delete one that is no longer needed.`,
  },
  too_many_webhooks: {
    status: 422,
    title: 'The account has too many webhooks',
    explanation: `An account has at most ${MAX_WEBHOOKS} webhooks. Delete one that is no longer needed.`,
  },
  invalid_file: {
    status: 422,
    title: 'The file cannot be imported',
    explanation:
      'The file is damaged, or not in the format that was named, or in an unknown format. The detail names the place.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    explanation: 'The same key was sent before, with other fields. Use a new key for each new request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation:
      'The account has used up its allowance, or the client address has sent too many invalid keys, or too many hits for one website; or many imports of the account are waiting. Wait as many seconds as "Retry-After" says.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    explanation: 'The request line and the headers may have at most 16 KiB together.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong in the service',
    explanation:
      'The error is in the service, not in the request. The log of the service has the details under the request id.',
  },
  unavailable: {
    status: 503,
    title: 'The service is unavailable',
    explanation:
      'The database is unreachable, or the service is overloaded. A write may have been done, completely or not at all. Wait as many seconds as "Retry-After" says, and repeat it with the same Idempotency-Key, if it has one. If the 503 of a hit has no "Retry-After", do not repeat the hit: it may have been stored.',
  },
} as const satisfies Record<string, { status: number; title: string; explanation: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The problem for each error code of the domain. The last two occur on the command line only. */
const PROBLEM_OF_DOMAIN_ERROR = {
  invalid_fields: 'validation',
  not_found: 'not_found',
  url_taken: 'url_taken',
  alias_taken: 'alias_taken',
  precondition_failed: 'precondition_failed',
  idempotency_key_reused: 'idempotency_key_reused',
  unavailable: 'unavailable',
  name_taken: 'name_taken',
  too_many_segments: 'too_many_segments',
  too_many_goals: 'too_many_goals',
  too_many_funnels: 'too_many_funnels',
  too_many_links: 'too_many_links',
  too_many_annotations: 'too_many_annotations',
  too_many_cleanups: 'too_many_cleanups',
  cleanup_busy: 'cleanup_busy',
  too_many_recipients: 'too_many_recipients',
  segment_in_use: 'segment_in_use',
  too_many_alerts: 'too_many_alerts',
  too_many_webhooks: 'too_many_webhooks',
  webhook_inactive: 'webhook_inactive',
  no_secret_key: 'no_secret_key',
  invalid_file: 'invalid_file',
  import_overlap: 'import_overlap',
  too_many_imports: 'rate_limited',
  id_taken: 'internal',
  not_empty: 'internal',
  // Only pages and commands deal with people, and say these themselves.
  email_taken: 'internal',
  identity_taken: 'internal',
  has_owner: 'internal',
  last_owner: 'internal',
  too_many_members: 'internal',
  too_many_keys: 'internal',
  too_many_invitations: 'internal',
} as const satisfies Record<DomainErrorCode, ProblemCode>;

/** An error of the HTTP layer. Its detail is for people and repeats nothing of the request. */
export class HttpProblem extends Error {
  override readonly name: string = 'HttpProblem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string = PROBLEMS[code].explanation, headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

/** The code of a fault in a request: the domain's codes, and codes for faults that only a request can have. */
export type WireFaultCode = FaultCode | 'invalid_type' | 'invalid_cursor';

/** A fault in a field of a request, by the name that the request uses. */
export interface WireFault extends Omit<Fault, 'code'> {
  readonly code: WireFaultCode;
}

/** The request has invalid fields; `faults` lists all faults, at most `MAX_FAULTS`. */
export class InvalidRequest extends HttpProblem {
  override readonly name = 'InvalidRequest';
  readonly faults: readonly WireFault[];

  constructor(faults: readonly WireFault[]) {
    super('validation', faultsDetail(Math.min(faults.length, MAX_FAULTS)));
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** The sentence of a response with the given number of faults. */
export function faultsDetail(count: number): string {
  return count === 1 ? 'One field is not valid; see "errors".' : `The request has ${count} errors; see "errors".`;
}

/** The problem for an error; `internal` for an unexpected one. */
export function problemCodeOf(error: unknown): ProblemCode {
  if (error instanceof HttpProblem) return error.code;
  if (error instanceof DomainError) return PROBLEM_OF_DOMAIN_ERROR[error.code];
  return 'internal';
}
