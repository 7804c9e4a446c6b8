import { type FaultCode, MAX_FAULTS } from '@hitherto/domain';
import { Type } from '@sinclair/typebox';
import { PROBLEMS } from './problems.ts';

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
] as const satisfies readonly FaultCode[];

/** The body of every answer from 400 up (RFC 9457). It is a document here: the answers are written by `answerFor`. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'The path of the page that explains the problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Unsafe<string>({ type: 'string', enum: Object.keys(PROBLEMS) }),
    request_id: Type.String(),
    existing_id: Type.Optional(Type.String({ description: 'With url_taken: the website that has the address.' })),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ maxLength: 64 }),
          line: Type.Optional(Type.Integer({ minimum: 1 })),
          code: Type.Unsafe<FaultCode>({ type: 'string', enum: FAULT_CODES }),
          detail: Type.String(),
        }),
        { maxItems: MAX_FAULTS, description: 'With validation: every fault.' },
      ),
    ),
  },
  { $id: 'Problem' },
);

/** The response schemas of a route's problems, by status. */
export function problemResponses(...statuses: number[]) {
  const describe = (status: number) =>
    Object.entries(PROBLEMS)
      .filter(([, problem]) => problem.status === status)
      .map(([code, problem]) => `\`${code}\`: ${problem.title}`)
      .join('; ');
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: describe(status), content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } },
    ]),
  );
}
