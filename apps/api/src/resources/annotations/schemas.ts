import { type Annotation, MAX_ANNOTATIONS } from '@hitherto/domain/annotations';
import { accountProblemResponses, accountResponse } from '@hitherto/http';
import { Type } from '@sinclair/typebox';
import { idempotencyKeyHeader } from '../../requests/input.ts';
import { NoQuery, WebsiteParams } from '../../websites/schemas.ts';
import { bodyOf, ETAG, gone, IF_MATCH } from '../documented.ts';

const closed = { additionalProperties: false };
const DAY = Type.String({
  maxLength: 10,
  description: 'A day of the website’s time zone, as YYYY-MM-DD.',
  examples: ['2026-11-20'],
});
const TEXT = Type.String({
  maxLength: 1_000,
  description: '1 to 200 characters on one line; spaces at its ends are removed.',
  examples: ['Version 2 released'],
});
const IS_PUBLIC = Type.Optional(
  Type.Boolean({
    description: 'Whether everyone who sees the statistics sees it; otherwise only the owner does (the default).',
    examples: [false],
  }),
);

const FIELDS = { day: '2026-11-20', text: 'Version 2 released', is_public: false };
const CreateAnnotation = Type.Object(
  { day: DAY, text: TEXT, is_public: IS_PUBLIC },
  { ...closed, $id: 'CreateAnnotation', examples: [FIELDS] },
);
const UpdateAnnotation = Type.Object(
  { day: Type.Optional(DAY), text: Type.Optional(TEXT), is_public: IS_PUBLIC },
  { ...closed, $id: 'UpdateAnnotation', examples: [{ is_public: true }] },
);

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f15',
  ...FIELDS,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

// Responses are open: fields may be added within v1.
const AnnotationSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    day: Type.String({ format: 'date' }),
    text: Type.String(),
    is_public: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { $id: 'Annotation', examples: [EXAMPLE] },
);
const reference = Type.Unsafe<object>({ $ref: 'Annotation#' });
const AnnotationResponse = Type.Object(
  { data: reference },
  { $id: 'AnnotationResponse', examples: [{ data: EXAMPLE }] },
);
const AnnotationList = Type.Object(
  { data: Type.Array(reference, { maxItems: MAX_ANNOTATIONS }) },
  { $id: 'AnnotationList', examples: [{ data: [EXAMPLE] }] },
);

/** The schemas that are referenced by name. */
export const ANNOTATION_SCHEMAS = [
  CreateAnnotation,
  UpdateAnnotation,
  AnnotationSchema,
  AnnotationResponse,
  AnnotationList,
];

const tags = ['sharing'];
const ofOne = {
  tags,
  querystring: NoQuery,
  params: Type.Object({
    ...WebsiteParams.properties,
    annotation_id: Type.String({ description: 'The id of the annotation; letter case does not matter.' }),
  }),
};

export const documented = {
  list: {
    tags,
    params: WebsiteParams,
    querystring: Type.Object(
      {
        from: Type.Optional(Type.String({ maxLength: 10, description: 'The first day.', examples: ['2026-11-01'] })),
        to: Type.Optional(Type.String({ maxLength: 10, description: 'The last day.', examples: ['2026-11-30'] })),
      },
      closed,
    ),
    operationId: 'listAnnotations',
    summary: 'List the annotations of a website',
    description: 'By day; all of them, or only the days from `from` to `to`.',
    response: {
      200: accountResponse('The annotations.', AnnotationList),
      ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
    },
  },
  create: {
    tags,
    params: WebsiteParams,
    querystring: NoQuery,
    operationId: 'createAnnotation',
    summary: 'Create an annotation',
    description:
      'A note about a day, which the chart marks. Send an `Idempotency-Key` to be able to repeat a create safely.',
    body: bodyOf(CreateAnnotation),
    headers: {
      type: 'object',
      properties: idempotencyKeyHeader('A repeat within 24 hours gives the first response.'),
    },
    response: {
      201: accountResponse('The annotation as created.', AnnotationResponse, {
        ...ETAG,
        'idempotent-replayed': { type: 'string', description: 'true if this is the first response, sent again.' },
      }),
      ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  update: {
    ...ofOne,
    operationId: 'updateAnnotation',
    summary: 'Update an annotation',
    description: 'Fields that are not sent keep their values.',
    body: bodyOf(UpdateAnnotation),
    headers: IF_MATCH,
    response: {
      200: accountResponse('The annotation as it is now.', AnnotationResponse, ETAG),
      ...accountProblemResponses(400, 401, 403, 404, 408, 412, 413, 415, 422, 429, 431, 500, 503),
    },
  },
  remove: {
    ...ofOne,
    operationId: 'deleteAnnotation',
    summary: 'Delete an annotation',
    description: 'A second delete is 404.',
    headers: IF_MATCH,
    response: {
      204: gone('annotation'),
      ...accountProblemResponses(400, 401, 403, 404, 408, 412, 422, 429, 431, 500, 503),
    },
  },
};

/** An annotation as responses show it. */
export function toAnnotationResource({ id, day, text, isPublic, createdAt, updatedAt }: Annotation) {
  return {
    id,
    day,
    text,
    is_public: isPublic,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
