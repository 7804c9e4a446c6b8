import { withoutText } from '@hitherto/domain/base';
import type { CoverageReport } from '@hitherto/domain/insight';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { writeCoverage } from '@hitherto/wire';
import { Type } from '@sinclair/typebox';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';

export const CoverageQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 400, description: 'How many days count, up to today; all by default.' }),
    ),
  },
  { additionalProperties: false },
);

const nullable = (type: string, description: string) =>
  Type.Unsafe<unknown>({
    type: [type, 'null'],
    description,
    ...(type === 'object' ? { additionalProperties: true } : {}),
  });

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f31',
  status: 'done',
  result: {
    days: [{ day: '2026-11-19', log_pages: 800, tracked_pages: 629 }],
    share: 0.85,
    missing: [{ page: '/shop/old', log: 412, tracked: 0, first_seen: '2026-11-19', last_tracked: null }],
    partly: [],
    only_tracked: [],
    by_browser: [{ browser: 'Firefox', log: 1110, tracked: 777, share: 0.7 }],
    lines: 2401,
    judged: 2400,
    bots: 1,
    from: '2026-11-19',
    to: '2026-11-19',
  },
  problem: null,
  created_at: '2026-11-20T12:00:00.000Z',
};

// Responses are open: fields may be added within v1.
const CoverageSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    status: Type.String({ description: 'running, done or failed.' }),
    result: nullable('object', 'Pageviews of the log, and of the tracker on the same days; null until it is done.'),
    problem: nullable('object', 'Why it failed: code and detail, a sentence.'),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Coverage', examples: [EXAMPLE] },
);
const one = Type.Unsafe<object>({ $ref: 'Coverage#' });
const CoverageResponse = Type.Object({ data: one }, { $id: 'CoverageResponse', examples: [{ data: EXAMPLE }] });
const CoverageList = Type.Object({ data: Type.Array(one) }, { $id: 'CoverageList', examples: [{ data: [EXAMPLE] }] });

/** The schemas that are referenced by name. */
export const COVERAGE_SCHEMAS = [CoverageSchema, CoverageResponse, CoverageList];

const tags = ['imports'];
const problems = accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503);

/** The requests and responses of the routes. */
export const DOCUMENTED_COVERAGE = {
  list: {
    operationId: 'listCoverage',
    summary: 'List what logs have shown',
    description: 'The last 5 comparisons of a log with the tracker, the last one first, each for 90 days.',
    tags,
    params: WebsiteParams,
    querystring: NoQuery,
    response: { 200: accountResponse('The comparisons.', CoverageList), ...problems },
  },
  show: {
    operationId: 'showCoverage',
    summary: 'Show what a log has shown',
    description: 'Whether it is still read, or its result.',
    tags,
    params: Type.Object({
      ...WebsiteParams.properties,
      coverage_id: Type.String({ description: 'The id of the comparison; letter case does not matter.' }),
    }),
    querystring: NoQuery,
    response: { 200: accountResponse('The comparison.', CoverageResponse), ...problems },
  },
  create: {
    operationId: 'createCoverage',
    summary: 'Compare a log with the tracker',
    description:
      'The body is an access log, plain or compressed, of at most 2 GiB; its media type does not matter. It is read in the background. Nothing of it is stored but the result.',
    tags,
    params: WebsiteParams,
    querystring: CoverageQuery,
    response: {
      202: accountResponse('The log is read.', CoverageResponse, {
        location: { type: 'string', description: 'The path of the comparison.' },
      }),
      ...accountProblemResponses(400, 401, 403, 404, 408, 409, 413, 422, 429, 431, 500, 503),
    },
  },
} as const;

/** A comparison as responses show it. */
export function toCoverageResource({ id, coverage, problem, createdAt }: CoverageReport) {
  const written = coverage && writeCoverage(coverage);
  return {
    id,
    status: problem !== null ? 'failed' : written === null ? 'running' : 'done',
    result: written && { ...written.data, ...written.meta },
    problem: problem && withoutText(problem),
    created_at: createdAt.toISOString(),
  };
}
