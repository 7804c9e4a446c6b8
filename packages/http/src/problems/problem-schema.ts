import { MAX_FAULTS } from '@hitherto/domain/base';
import { type TSchema, Type } from '@sinclair/typebox';
import { PROBLEMS, type WireFaultCode } from './problems.ts';

const FAULT_CODES = [
  'required',
  'unknown',
  'repeated',
  'invalid_type',
  'not_allowed',
  'too_long',
  'too_many',
  'invalid_url',
  'invalid_ip',
  'invalid_name',
  'invalid_cursor',
  'password_required',
  'unknown_website',
  'unknown_goal',
  'unknown_segment',
] as const satisfies readonly WireFaultCode[];

/** The body of every response from 400 up (RFC 9457), for the OpenAPI document only; see send-problem.ts. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'The path of the page that explains the problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Unsafe<string>({ type: 'string', enum: Object.keys(PROBLEMS) }),
    request_id: Type.String(),
    existing_id: Type.Optional(
      Type.String({
        description:
          'With url_taken, name_taken, import_overlap: the id of the one that has the address, the name, or the days.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ maxLength: 64 }),
          line: Type.Optional(Type.Integer({ minimum: 1 })),
          code: Type.Unsafe<WireFaultCode>({ type: 'string', enum: FAULT_CODES }),
          detail: Type.String(),
        }),
        { maxItems: MAX_FAULTS, description: 'With validation: every fault.' },
      ),
    ),
  },
  { $id: 'Problem' },
);

/** Headers of every response, for the document. */
export const requestIdHeader = {
  'x-request-id': { type: 'string', format: 'uuid', description: 'Unique; the log has it too.' },
} as const;

/** The account's remaining allowance, for the document (draft-ietf-httpapi-ratelimit-headers). */
const allowanceHeaders = {
  ratelimit: { type: 'string', description: 'The remaining allowance of the account: "account";r=599.' },
  'ratelimit-policy': { type: 'string', description: 'The allowance: "account";q=600;w=60.' },
} as const;

/** Headers of every response to a request with a key, for the document. */
export const accountHeaders = { ...requestIdHeader, ...allowanceHeaders } as const;

/** The response schema of a success with a JSON body, of a route with a key. */
export function accountResponse(description: string, schema: TSchema, headers: object = {}) {
  return {
    description,
    headers: { ...accountHeaders, ...headers },
    content: { 'application/json': { schema: { $ref: `${schema.$id}#` }, example: exampleOf(schema) } },
  };
}

const challenge = {
  'www-authenticate': { type: 'string', description: 'The challenge (RFC 6750); with an error if a key was sent.' },
} as const;
const retryAfter = { 'retry-after': { type: 'string', description: 'Whole seconds to wait.' } } as const;

const HEADERS: Readonly<Record<number, object>> = {
  401: challenge,
  403: challenge,
  429: retryAfter,
  503: retryAfter,
};

/** These are sent before the account is known, so never with its allowance. */
const WITHOUT_ACCOUNT: ReadonlySet<number> = new Set([401, 408, 431]);

/** The example of a schema, for a media type in the document. */
export function exampleOf({ examples }: { readonly examples?: unknown }): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}

/** The description of problem details in the responses of the document. */
export const problemReference = { $ref: 'Problem#' } as const;

/** The response schemas of the problems of a route without a key, by status. */
export function problemResponses(...statuses: number[]) {
  return Object.fromEntries(statuses.map((status) => [status, problemResponse(status, {})]));
}

/** The response schemas of the problems of a route with a key, by status: they carry the account's allowance. */
export function accountProblemResponses(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, problemResponse(status, WITHOUT_ACCOUNT.has(status) ? {} : allowanceHeaders)]),
  );
}

function problemResponse(status: number, headers: object) {
  const problems = Object.entries(PROBLEMS).filter(([, problem]) => problem.status === status);
  return {
    description: problems.map(([code, problem]) => `\`${code}\`: ${problem.title}`).join('; '),
    headers: { ...requestIdHeader, ...HEADERS[status], ...headers },
    content: {
      'application/problem+json': {
        schema: problemReference,
        examples: Object.fromEntries(
          problems.map(([code, problem]) => [code, { value: exampleProblem(code, problem) }]),
        ),
      },
    },
  };
}

function exampleProblem(code: string, { status, title, explanation }: (typeof PROBLEMS)[keyof typeof PROBLEMS]) {
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail: explanation,
    code,
    request_id: '01997c3e-5a0f-4c3a-9d21-3f6f0f3f4f10',
    ...EXAMPLE_MEMBERS[code],
  };
}

const EXAMPLE_MEMBERS: Readonly<Record<string, object>> = {
  url_taken: { existing_id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10' },
  name_taken: { existing_id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11' },
  validation: { errors: [{ field: 'url', code: 'required', detail: 'This field is required.' }] },
};
