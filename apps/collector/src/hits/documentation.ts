import { DROP_REASONS, type DropReason, MEASURE_LIMITS, type PropertyValue } from '@hitherto/domain/hits';
import { type Documentation, exampleOf, problemResponses, requestIdHeader } from '@hitherto/http';
import { type TSchema, Type } from '@sinclair/typebox';
import type { HIT_FIELDS, MEASURE_FIELDS } from './read-hit-request.ts';

const WEBSITE = '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10';

const text = (description: string, options: object = {}) => Type.String({ description, ...options });
const optional = (description: string, options: object = {}) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description, ...options }));
const props = (description: string, type: readonly string[]) =>
  Type.Optional(
    Type.Unsafe<Record<string, PropertyValue> | null>({
      type: [...type],
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description,
    }),
  );

/** The body of `POST /hits`. */
const BrowserHit = Type.Object(
  {
    website: text('The id of the website.'),
    url: text('The address of the page: absolute, http or https, at most 4,096 bytes.', { maxLength: 4_096 }),
    referrer: optional('The page that the visitor came from; an unusable one counts as none.'),
    name: optional('Makes this hit an event: 1 to 64 characters, no control characters.', { maxLength: 64 }),
    props: props(
      'Only with a name, at most 10: names of at most 40 characters; values are strings of at most 200 characters, numbers or booleans.',
      ['object', 'null'],
    ),
    automated: Type.Optional(
      Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'true if a program drives the browser.' }),
    ),
    same_document: Type.Optional(
      Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'],
        description:
          'true if the page changed its address without loading; `referrer` is then its address before. The same page is not counted again.',
      }),
    ),
    view: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 0,
        maximum: MEASURE_LIMITS.view,
        description: 'A number of this pageview, by which later messages tell how it is looked at; 0 counts as none.',
      }),
    ),
  } satisfies Record<(typeof HIT_FIELDS)[number], TSchema>,
  {
    $id: 'BrowserHit',
    additionalProperties: false,
    examples: [{ website: WEBSITE, url: 'https://example.com/prices', name: 'Signup', props: { plan: 'pro' } }],
  },
);

const whole = (description: string, maximum: number, minimum = 0) => Type.Integer({ description, minimum, maximum });

/** The body of `POST /hits` that tells how a pageview was looked at. */
const BrowserMeasure = Type.Object(
  {
    website: text('The id of the website.'),
    view: whole('The number that the pageview was sent with.', MEASURE_LIMITS.view, 1),
    seconds: whole('For how many seconds the page was visible and had the focus so far.', MEASURE_LIMITS.seconds),
    scroll: whole('The lowest edge that was visible so far, in percent of the document.', MEASURE_LIMITS.scroll),
    age: whole('How long ago the pageview was, in milliseconds.', MEASURE_LIMITS.age),
  } satisfies Record<(typeof MEASURE_FIELDS)[number], TSchema>,
  {
    $id: 'BrowserMeasure',
    additionalProperties: false,
    examples: [{ website: WEBSITE, view: 2_718_281_828, seconds: 34, scroll: 80, age: 61_000 }],
  },
);

const PlausibleEvent = Type.Object(
  {
    n: text('`pageview` is a pageview; `engagement` tells how it is looked at; anything else is an event. Or `name`.'),
    u: text('The page. Or `url`.'),
    d: text('The id of the website; or an alias, or its address or host, if exactly one website has it. Or `domain`.'),
    r: optional('The page that the visitor came from. Or `referrer`.'),
    p: props('Properties; may also be JSON in a string. Or `props`, or `m`.', ['object', 'string', 'null']),
    e: Type.Optional(Type.Number({ description: 'Of `engagement`: engaged milliseconds since the message before.' })),
    sd: Type.Optional(Type.Number({ description: 'Of `engagement`: the scroll depth so far, in percent.' })),
  },
  {
    $id: 'PlausibleEvent',
    examples: [{ n: 'pageview', u: 'https://example.com/prices', d: 'example.com', r: null }],
  },
);

const cors = {
  'access-control-allow-origin': { schema: { type: 'string' }, description: 'Any origin, without credentials: `*`.' },
  'access-control-expose-headers': {
    schema: { type: 'string' },
    description: '`Hitherto-Dropped, Hitherto-Measure, Retry-After`.',
  },
};
const headers = { ...asHeaders(requestIdHeader), ...cors };
const dropped = {
  'hitherto-dropped': {
    schema: Type.Unsafe<DropReason>({ type: 'string', enum: [...DROP_REASONS] }),
    description: 'Why the hit was not counted; absent if it was.',
  },
};

/** Sent before a path is known, and so without CORS. */
const SENT_BY_SERVER: ReadonlySet<string> = new Set(['408', '431']);

const tags = ['hits'];
const taken = {
  202: {
    description: 'The hit is counted and committed to disk; or it is not counted, for the reason in the header.',
    headers: { ...headers, ...dropped },
  },
};
const measure = {
  'hitherto-measure': {
    schema: { type: 'string', enum: ['1'] },
    description: 'The website measures engagement: the page may tell how this pageview is looked at.',
  },
};
const body = (schema: TSchema, ...others: readonly TSchema[]) => {
  const refs = [schema, ...others].map(({ $id }) => ({ $ref: `${$id}#` }));
  const media = { schema: others.length === 0 ? refs[0] : { anyOf: refs }, example: exampleOf(schema) };
  return { required: true, content: { 'application/json': media, 'text/plain': media } };
};
const parameter = (name: string, description: string, example: string, required = false) => ({
  in: 'query',
  name,
  description,
  required,
  schema: { type: 'string' },
  example,
});

/** The collector's routes for the OpenAPI document (tracker.md). */
export const DOCUMENTATION: Documentation = {
  schemas: [BrowserHit, BrowserMeasure, PlausibleEvent],
  paths: {
    '/hits': {
      post: {
        operationId: 'collectBrowserHit',
        summary: 'Send a hit from a browser',
        description:
          'The tracker sends this. Address, user agent and language come from the connection and its headers. Responds once the hit is committed to disk. A 503 without `Retry-After` means that the hit may be stored. With `seconds`, it is no hit, but tells how a pageview that was sent before is looked at: the greatest numbers of a view count.',
        tags,
        security: [],
        requestBody: body(BrowserHit, BrowserMeasure),
        responses: {
          202: { ...taken[202], headers: { ...taken[202].headers, ...measure } },
          ...problems(400, 404, 408, 413, 415, 422, 429, 431, 500, 503),
        },
      },
      options: preflight('BrowserHit', 'POST'),
    },
    '/hits.gif': {
      get: {
        operationId: 'collectPixelHit',
        summary: 'Send a pageview by an image',
        description: 'For pages without JavaScript. Other parameters are ignored. HEAD counts nothing.',
        tags,
        security: [],
        parameters: [
          parameter('website', 'The id of the website.', WEBSITE, true),
          parameter('url', 'The address of the page; by default the header `Referer`.', 'https://example.com/prices'),
          parameter('referrer', 'The page that the visitor came from.', 'https://www.google.de/'),
        ],
        responses: {
          200: {
            description: 'A transparent GIF of 43 bytes. The hit is counted and committed to disk, or dropped.',
            headers: { ...headers, ...dropped },
            content: { 'image/gif': {} },
          },
          ...problems(400, 404, 422, 429, 431, 500, 503),
        },
      },
      options: preflight('PixelHit', 'GET, HEAD'),
    },
    '/api/event': {
      post: {
        operationId: 'collectPlausibleEvent',
        summary: 'Send a hit as a tracker of Plausible',
        description:
          'Accepts the fields that trackers of Plausible send, and ignores others. Otherwise like `POST /hits`.',
        tags,
        security: [],
        requestBody: body(PlausibleEvent),
        responses: { ...taken, ...problems(400, 404, 408, 413, 415, 422, 429, 431, 500, 503) },
      },
      options: preflight('PlausibleEvent', 'POST'),
    },
  },
};

function preflight(name: string, methods: string): object {
  const fixed = (value: string) => ({ schema: { type: 'string' }, description: `\`${value}\`.` });
  return {
    operationId: `preflight${name}`,
    summary: 'Respond to a preflight',
    description: 'Lets pages of any origin send hits.',
    tags,
    security: [],
    responses: {
      204: {
        description: 'The accepted methods and headers.',
        headers: {
          ...headers,
          'access-control-allow-methods': fixed(methods),
          'access-control-allow-headers': fixed('Content-Type'),
          'access-control-max-age': fixed('86400'),
        },
      },
    },
  };
}

/** Errors need CORS as well. */
function problems(...statuses: number[]): object {
  return Object.fromEntries(
    Object.entries(problemResponses(...statuses)).map(([status, response]) => {
      const headers = asHeaders(response.headers);
      return [status, { ...response, headers: SENT_BY_SERVER.has(status) ? headers : { ...headers, ...cors } }];
    }),
  );
}

/** Converts headers of the framework's routes to OpenAPI. */
function asHeaders(described: object): Record<string, object> {
  return Object.fromEntries(
    Object.entries(described).map(([name, { description, ...schema }]) => [name, { description, schema }]),
  );
}
