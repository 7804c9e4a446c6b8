import { CHECKS, FINDING_STATES, type Fix } from '@hitherto/domain/checks';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import { oneOf } from '../statistics/query-schemas.ts';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';

const FIX_KINDS: readonly Fix['kind'][] = ['url', 'exclude_param', 'cleanup', 'snippet', 'none'];

const request = Type.Union([
  Type.Object({
    method: Type.String(),
    path: Type.String(),
    body: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  }),
  Type.Null(),
]);

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f21',
  check: 'query_noise',
  since: '2026-11-20',
  evidence: { param: 'filter', page: '/list', pages: 118 },
  text: '118 pages differ from /list in the query parameter filter only.',
  fix: {
    kind: 'exclude_param',
    request: {
      method: 'PATCH',
      path: '/api/v1/websites/01997c3e-5a10-7c3a-9d21-3f6f0f3f4f12',
      body: { exclude_params: 'filter' },
    },
    preview: {
      method: 'POST',
      path: '/api/v1/websites/01997c3e-5a10-7c3a-9d21-3f6f0f3f4f12/settings/preview',
      body: { exclude_params: 'filter' },
    },
  },
  status: 'open',
  opened_at: '2026-11-21T00:00:12.000Z',
  updated_at: '2026-11-21T00:00:12.000Z',
};

// Responses are open: fields, checks and kinds of fixes may be added within v1.
const Finding = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    check: oneOf(CHECKS, 'The check that found it; there may be others later.'),
    since: Type.String({ format: 'date', description: 'The first day with it that was looked at.' }),
    evidence: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The numbers and values, which depend on the check.',
    }),
    text: Type.String({ description: 'The evidence in a sentence. Its values come from visitors: show it as text.' }),
    fix: Type.Object({
      kind: oneOf(FIX_KINDS, 'What closes it.'),
      request,
      preview: request,
    }),
    status: oneOf(FINDING_STATES, 'fixed: the check no longer finds it. dismissed: until it grows by half.'),
    opened_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { $id: 'Finding', examples: [EXAMPLE] },
);
const one = Type.Unsafe<object>({ $ref: 'Finding#' });
const FindingResponse = Type.Object({ data: one }, { $id: 'FindingResponse', examples: [{ data: EXAMPLE }] });
const FindingList = Type.Object({ data: Type.Array(one) }, { $id: 'FindingList', examples: [{ data: [EXAMPLE] }] });

/** The schemas that are referenced by name. */
export const FINDING_SCHEMAS = [Finding, FindingResponse, FindingList];

const common = { tags: ['findings'], querystring: NoQuery };
const ofOne = {
  ...common,
  params: Type.Object({
    ...WebsiteParams.properties,
    finding_id: Type.String({ description: 'The id of the finding; letter case does not matter.' }),
  }),
};
const problems = accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503);

/** The requests and responses of the routes. */
export const DOCUMENTED_FINDINGS = {
  list: {
    ...common,
    params: WebsiteParams,
    operationId: 'listFindings',
    summary: 'List what checks have found',
    description: 'Open findings first, the last one opened first. A job checks each website after its midnight.',
    response: { 200: accountResponse('The findings.', FindingList), ...problems },
  },
  show: {
    ...ofOne,
    operationId: 'showFinding',
    summary: 'Show a finding',
    description: 'With its fix by the settings of now.',
    response: { 200: accountResponse('The finding.', FindingResponse), ...problems },
  },
  dismiss: {
    ...ofOne,
    operationId: 'dismissFinding',
    summary: 'Dismiss a finding',
    description: 'It opens again when it has grown by half. One that is not open stays as it is.',
    response: { 200: accountResponse('The finding as it is now.', FindingResponse), ...problems },
  },
} as const;
