import { MAX_LINKS, type SharedLink } from '@hitherto/domain/links';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import { NoQuery, WebsiteParams } from '../../websites/schemas.ts';
import { bodyOf, gone } from '../documented.ts';

const closed = { additionalProperties: false };
const nullable = (options: object) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...options }));

const CreateLink = Type.Object(
  {
    name: Type.String({
      maxLength: 64,
      description: '1 to 64 characters, no control characters, and no spaces at its ends.',
      examples: ['For the board'],
    }),
    segment: nullable({
      maxLength: 64,
      description: 'The id of a segment: the link shows its visits and no others.',
      examples: ['01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11'],
    }),
    expires_at: nullable({
      maxLength: 64,
      description: 'RFC 3339, in the future; null for never.',
      examples: ['2026-12-31T23:59:59Z'],
    }),
    password: nullable({ maxLength: 256, description: '1 to 256 characters; null for none.', examples: ['sesame'] }),
  },
  { ...closed, $id: 'CreateLink', examples: [{ name: 'For the board', expires_at: '2026-12-31T23:59:59Z' }] },
);

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f14',
  name: 'For the board',
  segment: null,
  expires_at: '2026-12-31T23:59:59.000Z',
  has_password: false,
  created_at: '2026-11-20T12:00:00.000Z',
};

// Responses are open: fields may be added within v1.
const SHOWN = {
  id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
  name: Type.String(),
  segment: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The id of a segment; null for none.' }),
  expires_at: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'An expired link is listed until it is revoked.',
  }),
  has_password: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
};
const Link = Type.Object(SHOWN, { $id: 'Link', examples: [EXAMPLE] });
const CREATED = { ...EXAMPLE, address: '/share/mDTSpKvUQ2mPv3hXz5oGq1Jc0aYwL8eR7tNnB4iFxZk' };
const CreatedLink = Type.Object(
  {
    data: Type.Object({
      ...SHOWN,
      address: Type.String({
        description: 'Relative to this installation. It is shown here only: the service stores no more than a hash.',
      }),
    }),
  },
  { $id: 'CreatedLink', examples: [{ data: CREATED }] },
);
const LinkList = Type.Object(
  { data: Type.Array(Type.Unsafe<object>({ $ref: 'Link#' }), { maxItems: MAX_LINKS }) },
  { $id: 'LinkList', examples: [{ data: [EXAMPLE] }] },
);

/** The schemas that are referenced by name. */
export const LINK_SCHEMAS = [CreateLink, Link, CreatedLink, LinkList];

const common = { tags: ['sharing'], querystring: NoQuery };
const ofWebsite = { ...common, params: WebsiteParams };

export const documented = {
  list: {
    ...ofWebsite,
    operationId: 'listLinks',
    summary: 'List the shared links of a website',
    description: 'All of them, in the order of their creation, without their addresses.',
    response: {
      200: accountResponse('The links.', LinkList),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  create: {
    ...ofWebsite,
    operationId: 'createLink',
    summary: 'Create a shared link',
    description:
      'The link shows the statistics page of the website, whatever its privacy, to everyone who has its address.',
    body: bodyOf(CreateLink),
    response: {
      201: accountResponse('The link, and its address this once.', CreatedLink),
      ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  remove: {
    ...common,
    params: Type.Object({
      ...WebsiteParams.properties,
      link_id: Type.String({ description: 'The id of the link; letter case does not matter.' }),
    }),
    operationId: 'revokeLink',
    summary: 'Revoke a shared link',
    description: 'At once and for good, on every instance. A second one is 404.',
    response: {
      204: gone('link'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
};

/** A link as responses show it. Each field is named, so that no hash can leak. */
export function toLinkResource({ id, name, segmentId, expiresAt, passwordHash, createdAt }: SharedLink) {
  return {
    id,
    name,
    segment: segmentId,
    expires_at: expiresAt?.toISOString() ?? null,
    has_password: passwordHash !== null,
    created_at: createdAt.toISOString(),
  };
}
