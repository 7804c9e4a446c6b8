import { isFirstSetting, SETTING_NAMES, storedNameOf } from '@hitherto/domain';
import { type TSchema, Type } from '@sinclair/typebox';

// The file format of `export` and `import`: a JSON line for each account, key and website, between a first line that names
// the format and a last line with counts, which reveals a truncated file.

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
export const Footer = Type.Object({ type: Type.Literal('end'), accounts: Count, keys: Count, websites: Count }, closed);
/** A line of an account, a key or a website. */
export const ItemLine = Type.Union([AccountLine, KeyLine, WebsiteLine]);
