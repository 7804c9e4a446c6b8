import { COUNT_LIMIT } from '@hitherto/domain';
import { type Static, type TSchema, Type } from '@sinclair/typebox';

// The descriptions are told in answers too, after what is wrong: they say what is accepted. The page under /docs fills its
// forms with the examples: the privacy there is not the first value, Public.

const closed = { additionalProperties: false };
const MAX_TEXT = 1_048_576;
/** No NUL and no lone surrogate: neither can be stored. */
const WELL_FORMED = '^[^\\u0000\\p{Cs}]*$';

const text = (maxLength: number, description: string, examples: string[] = []) =>
  Type.String({ maxLength, pattern: WELL_FORMED, description, examples });

const nullableText = (maxLength: number, description: string, examples: string[] = []) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, pattern: WELL_FORMED, description, examples });

const integer = <const N extends number>(values: readonly N[], description: string, example: N) =>
  Type.Unsafe<N>({ type: 'integer', enum: values, description, examples: [example] });

const digits = <const N extends number>(values: readonly N[], description: string, example: N) =>
  Type.Unsafe<`${N}`>({ type: 'string', enum: values.map(String), description, examples: [String(example)] });

const URL_TEXT =
  'The address of the website: an absolute http or https URL without query, fragment and user info, at most 2,048 bytes.';
const PRIVACY =
  'Who may see the statistics page: 0 = public, 1 = private (in a new website, unless said otherwise), 2 = password.';
const PASSWORD =
  'The password of the statistics page, 1 to 256 characters; it takes effect only while privacy is 2. Empty removes it.';
const EMAIL = 'Periodic e-mail reports: 0 = disabled (in a new website, unless said otherwise), 1 = enabled.';
const BOTS = 'Leave common bots out: 0 = disabled, 1 = enabled (in a new website, unless said otherwise).';
const PARAMS =
  'URL parameters to leave out, one name a line, at most 1,000 of at most 255 characters; "utm_*" is a prefix, "*" or "&" alone means all.';
const IPS =
  'Addresses to leave out, one a line, at most 1,000: IPv4, IPv6, either with /prefix, or IPv4 with wildcards such as 203.0.113.*.';

const jsonSettings = {
  privacy: Type.Optional(integer([0, 1, 2], PRIVACY, 1)),
  password: Type.Optional(nullableText(256, PASSWORD)),
  email: Type.Optional(integer([0, 1], EMAIL, 0)),
  exclude_bots: Type.Optional(integer([0, 1], BOTS, 1)),
  exclude_params: Type.Optional(nullableText(MAX_TEXT, PARAMS, ['utm_*\nref'])),
  exclude_ips: Type.Optional(nullableText(MAX_TEXT, IPS, ['203.0.113.7\n2001:db8::/32'])),
};

const formSettings = {
  privacy: Type.Optional(digits([0, 1, 2], PRIVACY, 1)),
  password: Type.Optional(text(256, PASSWORD)),
  email: Type.Optional(digits([0, 1], EMAIL, 0)),
  exclude_bots: Type.Optional(digits([0, 1], BOTS, 1)),
  exclude_params: Type.Optional(text(MAX_TEXT, PARAMS, ['utm_*\nref'])),
  exclude_ips: Type.Optional(text(MAX_TEXT, IPS, ['203.0.113.7\n2001:db8::/32'])),
};

const url = text(2048, URL_TEXT, ['https://example.com']);

export const StoreJson = Type.Object({ url, ...jsonSettings }, { ...closed, $id: 'StoreWebsiteJson' });
export const StoreForm = Type.Object({ url, ...formSettings }, { ...closed, $id: 'StoreWebsiteForm' });
export const UpdateJson = Type.Object(
  { url: Type.Optional(url), ...jsonSettings },
  { ...closed, $id: 'UpdateWebsiteJson' },
);
export const UpdateForm = Type.Object(
  { url: Type.Optional(url), ...formSettings },
  { ...closed, $id: 'UpdateWebsiteForm' },
);

/** A body of any of the four schemas, decoded but not converted: JSON has numbers and nulls where a form has texts. */
export type WebsiteBody = Static<typeof UpdateJson> | Static<typeof UpdateForm>;

export const WebsiteParams = Type.Object({
  id: Type.String({ description: 'The id of the website; letter case does not matter.' }),
});

export const NoQuery = Type.Object({}, closed);

export const PER_PAGE = { default: 10, min: 10, max: 100 } as const;

const perPageValues = Array.from({ length: PER_PAGE.max - PER_PAGE.min + 1 }, (_, index) => PER_PAGE.min + index);

export const ListQuery = Type.Object(
  {
    search: Type.Optional(
      text(
        255,
        'Plain text that occurs in the url, whatever the letter case, at most 255 characters; empty means all websites.',
      ),
    ),
    sort: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({
        type: 'string',
        enum: ['asc', 'desc'],
        description: 'By address: asc = A-Z, desc = Z-A; left out, the newest come first.',
      }),
    ),
    per_page: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: perPageValues.map(String),
        default: String(PER_PAGE.default),
        description: `Websites a page: a whole number from ${PER_PAGE.min} to ${PER_PAGE.max}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        description: 'Where the page begins: take it from "links"; it is good for the same search and sort only.',
      }),
    ),
  },
  closed,
);

const Website = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    url: Type.String({ description: 'In normal form.' }),
    privacy: integer([0, 1, 2], PRIVACY, 1),
    has_password: Type.Boolean({ description: 'Whether a password is set; it is never returned.' }),
    email: integer([0, 1], EMAIL, 0),
    exclude_bots: integer([0, 1], BOTS, 1),
    exclude_params: Type.Unsafe<string | null>({ type: ['string', 'null'], description: PARAMS }),
    exclude_ips: Type.Unsafe<string | null>({ type: ['string', 'null'], description: IPS }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { ...closed, $id: 'Website' },
);

export type WebsiteResource = Static<typeof Website>;

const ref = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

export const WebsiteAnswer = Type.Object({ data: ref(Website) }, { ...closed, $id: 'WebsiteAnswer' });

const link = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

export const ListAnswer = Type.Object(
  {
    data: Type.Array(ref(Website), { maxItems: PER_PAGE.max }),
    links: Type.Object(
      { next: link('A relative reference to the next page.'), prev: link('A relative reference to the page before.') },
      closed,
    ),
    meta: Type.Object(
      {
        per_page: Type.Integer({ minimum: PER_PAGE.min, maximum: PER_PAGE.max }),
        total: Type.Integer({
          minimum: 0,
          maximum: COUNT_LIMIT,
          description: 'How many websites match, counted up to 10,000.',
        }),
        total_is_exact: Type.Boolean({ description: 'false where there are more than 10,000.' }),
      },
      closed,
    ),
  },
  { ...closed, $id: 'WebsiteList' },
);

/** The schemas that others refer to by name. */
export const NAMED_SCHEMAS = [Website, WebsiteAnswer, ListAnswer, StoreJson, StoreForm, UpdateJson, UpdateForm];
