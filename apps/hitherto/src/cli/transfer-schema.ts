import {
  ALERT_RULES,
  isFirstSetting,
  MAX_WEBHOOK_WEBSITES,
  SETTING_NAMES,
  storedNameOf,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
} from '@hitherto/domain';
import { type TSchema, Type } from '@sinclair/typebox';

// The file format of `export` and `import`: a JSON line for each account, key, website, segment, goal, funnel, link, annotation,
// alert and webhook, between a first line that names the format and a last line with counts, which reveals a truncated file.

export const FORMAT = 1;
const closed = { additionalProperties: false };
const Id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

export const Header = Type.Object({ type: Type.Literal('hitherto_export'), format: Type.Literal(FORMAT) }, closed);
const AccountLine = Type.Object(
  {
    type: Type.Literal('account'),
    id: Id,
    name: Type.String({ minLength: 1 }),
    created_at: Time,
    email: Type.Optional(Type.String()),
    email_since: Type.Optional(Time),
  },
  closed,
);
const KeyLine = Type.Object(
  {
    type: Type.Literal('key'),
    id: Id,
    account_id: Id,
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    scope: Type.Union([Type.Literal('read'), Type.Literal('write')]),
    label: nullable(Type.String()),
    created_at: Time,
    expires_at: nullable(Time),
    revoked_at: nullable(Time),
    last_used_at: nullable(Time),
  },
  closed,
);
/** The fields of settings; the table of settings defines their contents. */
const settings: Record<string, TSchema> = Object.fromEntries(
  SETTING_NAMES.map((name) => [
    storedNameOf(name),
    isFirstSetting(name) ? Type.Unknown() : Type.Optional(Type.Unknown()),
  ]),
);
const WebsiteLine = Type.Object(
  {
    type: Type.Literal('website'),
    account_id: Id,
    id: Id,
    url: Type.String(),
    password_hash: nullable(Type.String({ pattern: '^\\$argon2id\\$' })),
    created_at: Time,
    updated_at: Time,
    ...settings,
  },
  closed,
);
const definition = {
  account_id: Id,
  website_id: Id,
  id: Id,
  name: Type.String(),
  created_at: Time,
  updated_at: Time,
};
const Strings = Type.Record(Type.String(), Type.String());
const rule = {
  event: Type.Optional(Type.String()),
  props: Type.Optional(Strings),
  page: Type.Optional(Type.String()),
};
const SegmentLine = Type.Object(
  {
    type: Type.Literal('segment'),
    ...definition,
    filters: Type.Record(Type.String(), Type.Array(Type.String())),
    match: Type.Union([Type.Literal('all'), Type.Literal('any')]),
  },
  closed,
);
const GoalLine = Type.Object(
  { type: Type.Literal('goal'), ...definition, ...rule, sum: Type.Optional(Type.String()) },
  closed,
);
const FunnelLine = Type.Object(
  {
    type: Type.Literal('funnel'),
    ...definition,
    steps: Type.Array(Type.Object({ name: Type.String(), ...rule }, closed)),
  },
  closed,
);
export const DefinitionLine = Type.Union([SegmentLine, GoalLine, FunnelLine]);
export const LinkLine = Type.Object(
  {
    type: Type.Literal('link'),
    account_id: Id,
    website_id: Id,
    id: Id,
    token_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    name: Type.String(),
    segment: nullable(Id),
    expires_at: nullable(Time),
    password_hash: nullable(Type.String({ pattern: '^\\$argon2id\\$' })),
    created_at: Time,
  },
  closed,
);
export const AnnotationLine = Type.Object(
  {
    type: Type.Literal('annotation'),
    account_id: Id,
    website_id: Id,
    id: Id,
    day: Type.String(),
    text: Type.String(),
    is_public: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
  },
  closed,
);

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Union(values.map((value) => Type.Literal(value)));
export const AlertLine = Type.Object(
  {
    type: Type.Literal('alert'),
    account_id: Id,
    website_id: Id,
    id: Id,
    rule: oneOf(ALERT_RULES),
    threshold: nullable(Type.Integer()),
    hours: nullable(Type.Integer()),
    percent: nullable(Type.Integer()),
    goal_id: nullable(Id),
    email: Type.Boolean(),
    webhooks: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
  },
  closed,
);
/** In base64: at least a nonce, a character and a tag, and at most as much as the database stores. */
const sealed = (bytes: number) =>
  Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', minLength: 40, maxLength: Math.floor(bytes / 3) * 4 });
export const WebhookLine = Type.Object(
  {
    type: Type.Literal('webhook'),
    account_id: Id,
    id: Id,
    format: oneOf(WEBHOOK_FORMATS),
    events: Type.Array(oneOf(WEBHOOK_EVENTS), { minItems: 1, uniqueItems: true }),
    website_ids: nullable(Type.Array(Id, { minItems: 1, maxItems: MAX_WEBHOOK_WEBSITES, uniqueItems: true })),
    is_active: Type.Boolean(),
    sealed_url: sealed(4_096),
    sealed_secret: nullable(sealed(256)),
    created_at: Time,
    updated_at: Time,
  },
  closed,
);

/** Counts of 0 are left out where earlier versions have no such records, so that they can import the file. */
export const Footer = Type.Object(
  {
    type: Type.Literal('end'),
    accounts: Count,
    keys: Count,
    websites: Count,
    segments: Type.Optional(Count),
    goals: Type.Optional(Count),
    funnels: Type.Optional(Count),
    links: Type.Optional(Count),
    annotations: Type.Optional(Count),
    alerts: Type.Optional(Count),
    webhooks: Type.Optional(Count),
  },
  closed,
);
/** A line of a record. */
export const ItemLine = Type.Union([
  AccountLine,
  KeyLine,
  WebsiteLine,
  DefinitionLine,
  LinkLine,
  AnnotationLine,
  AlertLine,
  WebhookLine,
]);
