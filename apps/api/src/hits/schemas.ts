import {
  DIMENSION_TABLE,
  type Dimension,
  DROP_REASONS,
  FIRST_HIT_DIMENSIONS,
  mapDimensions,
  type PropertyValue,
} from '@hitherto/domain/hits';
import { type Static, Type } from '@sinclair/typebox';

// Error responses append these descriptions, so they list the accepted values. The domain checks the contents of strings.

const closed = { additionalProperties: false };
const MAX_HEADER = 16_384;
export const MAX_HITS = 500;

const text = (maxLength: number, description: string, examples: string[]) =>
  Type.String({ maxLength, description, examples });
const optional = (maxLength: number, description: string, examples: string[]) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description, examples }));

const FIELDS = {
  url: text(4_096, 'The address of the page: absolute, http or https, at most 4,096 bytes.', ['https://example.com/a']),
  referrer: optional(65_536, 'The page that the visitor came from; an unusable one counts as none.', [
    'https://www.google.de/',
  ]),
  name: optional(
    64,
    'The name of an event: 1 to 64 characters, no control characters. Without it the hit is a pageview.',
    ['Signup'],
  ),
  props: Type.Optional(
    Type.Unsafe<Record<string, PropertyValue> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: ['string', 'number', 'boolean'], description: 'A string, a number or a boolean.' },
      description:
        'The properties of an event, at most 10: names of at most 40 characters; values are strings of at most 200 characters, numbers or booleans.',
      examples: [{ plan: 'pro' }],
    }),
  ),
  automated: Type.Optional(
    Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'true if the browser says that a program drives it.',
    }),
  ),
  same_document: Type.Optional(
    Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description:
        'true if the page changed its address without loading; "referrer" is then its address before. The same page is not counted again.',
    }),
  ),
  ip: optional(64, 'The address of the client. One of "ip" and "visitor" is required.', ['203.0.113.7']),
  user_agent: optional(MAX_HEADER, 'The User-Agent of the client.', ['Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0']),
  language: optional(MAX_HEADER, 'The Accept-Language of the client.', ['de-DE,de;q=0.9']),
  visitor: optional(128, 'Identifies the visitor instead of address and user agent, 1 to 128 characters.', ['user-17']),
  time: optional(64, 'RFC 3339, at most 24 hours ago and 5 minutes ahead. Default: now.', ['2026-11-20T12:00:00Z']),
};

const ServerHit = Type.Object(
  { website: text(64, 'The id of a website of the account.', ['01997c3e-0000-7000-8000-000000000001']), ...FIELDS },
  { ...closed, $id: 'ServerHit' },
);

export const CollectHitsBody = Type.Object(
  {
    hits: Type.Array(Type.Unsafe<Static<typeof ServerHit>>({ $ref: 'ServerHit#' }), {
      minItems: 1,
      maxItems: MAX_HITS,
      description: `1 to ${MAX_HITS} hits. All of them are stored, or none.`,
    }),
  },
  { ...closed, $id: 'CollectHits' },
);

export const ExplainHitBody = Type.Object(FIELDS, { ...closed, $id: 'ExplainHit' });

/** A hit in a body; `null` means an absent field. */
export type HitBody = Static<typeof ExplainHitBody>;

const reason = Type.Unsafe<(typeof DROP_REASONS)[number]>({
  type: 'string',
  enum: [...DROP_REASONS],
  description: 'Why the hit is dropped.',
});

// Responses are open: fields may be added within v1.

export const CollectHitsResponse = Type.Object(
  {
    data: Type.Object({
      counted: Type.Integer({ minimum: 0 }),
      dropped: Type.Array(
        Type.Object({
          index: Type.Integer({ minimum: 0, description: 'The position of the hit in the batch, from 0.' }),
          reason,
        }),
        { maxItems: MAX_HITS },
      ),
    }),
  },
  {
    $id: 'CollectedHits',
    examples: [{ data: { counted: 498, dropped: [{ index: 3, reason: 'bot' }] } }],
  },
);

const nullable = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

function valueSchema(dimension: Dimension) {
  const { about, values, isRequired } = DIMENSION_TABLE[dimension];
  return Type.Unsafe<string | null>({
    type: isRequired ? 'string' : ['string', 'null'],
    ...(about === undefined ? {} : { description: about }),
    ...(values === undefined ? {} : { enum: isRequired ? values : [...values, null] }),
  });
}

export const ExplainedHit = Type.Object(
  {
    kind: Type.Unsafe<'pageview' | 'event'>({ type: 'string', enum: ['pageview', 'event'] }),
    page: Type.String({ description: 'The path and the cleaned query.' }),
    removed_params: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Decoded.' }),
        by: Type.Unsafe<'exclude_params' | 'built_in'>({ type: 'string', enum: ['exclude_params', 'built_in'] }),
      }),
      { maxItems: 4_096 },
    ),
    ...mapDimensions(FIRST_HIT_DIMENSIONS, valueSchema),
    name: nullable('Of an event.'),
    props: Type.Unsafe<Record<string, PropertyValue> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      description: 'Of an event.',
    }),
  },
  { $id: 'ExplainedHit' },
);

const orNull = <T>(schema: object, description: string) =>
  Type.Unsafe<T | null>({ anyOf: [schema, { type: 'null' }], description });

export const ExplainHitResponse = Type.Object(
  {
    data: Type.Object({
      counted: Type.Boolean(),
      reason: orNull<(typeof DROP_REASONS)[number]>(reason, 'null if the hit counts.'),
      detail: Type.String({ description: 'A sentence.' }),
      rule: orNull<{ field: string; line: number; entry: string }>(
        Type.Object({ field: Type.String(), line: Type.Integer({ minimum: 1 }), entry: Type.String() }),
        'The line of the stored setting that decided; null except for excluded_ip.',
      ),
      hit: orNull<Static<typeof ExplainedHit>>(
        { $ref: 'ExplainedHit#' },
        'The details that would be stored; null if dropped.',
      ),
      hidden_by: orNull<{ id: string; name: string }>(
        Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }),
        'A cleanup in effect that would hide a visit of this hit alone, or null.',
      ),
    }),
  },
  {
    $id: 'ExplainedHitResponse',
    examples: [
      {
        data: {
          counted: false,
          reason: 'excluded_ip',
          detail: '203.0.113.9 is in 203.0.113.0/24, line 2 of exclude_ips.',
          rule: { field: 'exclude_ips', line: 2, entry: '203.0.113.0/24' },
          hit: null,
          hidden_by: null,
        },
      },
    ],
  },
);

/** The schemas that are referenced by name. */
export const HIT_SCHEMAS = [
  ServerHit,
  CollectHitsBody,
  ExplainHitBody,
  CollectHitsResponse,
  ExplainedHit,
  ExplainHitResponse,
];
