import { COUNT_LIMIT } from '@hitherto/domain';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Links, PER_PAGE, pagingParameters } from '../paging.ts';

// Error responses append these descriptions, which say what is accepted. The page under /docs fills its forms with the
// examples, so the example of privacy is not the first value, public.

const closed = { additionalProperties: false };
const MAX_TEXT = 1_048_576;

const text = (maxLength: number, description: string, examples: string[] = []) =>
  Type.String({ maxLength, description, examples });

const nullableText = (maxLength: number, description: string, examples: string[] = []) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description, examples });

const integer = <const N extends number>(values: readonly N[], description: string, example: N) =>
  Type.Unsafe<N>({ type: 'integer', enum: values, description, examples: [example] });

const URL_TEXT =
  'The address of the website: an absolute http or https URL without query, fragment or user info, at most 2,048 bytes.';
const PRIVACY =
  'Who may see the statistics page: 0 = public, 1 = private (the default of a new website), 2 = password.';
const PASSWORD =
  'The password of the statistics page, 1 to 256 characters; it takes effect only while privacy is 2. Empty removes it.';
const EMAIL = 'Weekly reports by e-mail: 0 = disabled (the default of a new website), 1 = enabled.';
const BOTS = 'Exclude common bots: 0 = disabled, 1 = enabled (the default of a new website).';
const PARAMS =
  'Query parameters to exclude: one name per line, at most 1,000 names of at most 255 characters, and 64 KiB in all. "utm_*" is a prefix; a line with just "*" or "&" means all.';
const IPS =
  'IP addresses and networks to exclude: one per line, at most 1,000, and 64 KiB in all. IPv4 or IPv6, with or without /prefix, or IPv4 with wildcards such as 203.0.113.*.';

// In forms these are text in plain decimal: see input.ts.
const choices = {
  privacy: integer([0, 1, 2], PRIVACY, 1),
  email: integer([0, 1], EMAIL, 0),
  exclude_bots: integer([0, 1], BOTS, 1),
};

/** The settings of a website; JSON clears a text with `null`, a form with an empty text. */
const settings = <T extends TSchema>(textOf: (maxLength: number, description: string, examples?: string[]) => T) => ({
  privacy: Type.Optional(choices.privacy),
  password: Type.Optional(textOf(256, PASSWORD)),
  email: Type.Optional(choices.email),
  exclude_bots: Type.Optional(choices.exclude_bots),
  exclude_params: Type.Optional(textOf(MAX_TEXT, PARAMS, ['utm_*\nref'])),
  exclude_ips: Type.Optional(textOf(MAX_TEXT, IPS, ['203.0.113.7\n2001:db8::/32'])),
});
const jsonSettings = settings(nullableText);
const formSettings = settings(text);

const url = text(2048, URL_TEXT, ['https://example.com']);

export const CreateJson = Type.Object({ url, ...jsonSettings }, { ...closed, $id: 'CreateWebsiteJson' });
export const CreateForm = Type.Object({ url, ...formSettings }, { ...closed, $id: 'CreateWebsiteForm' });
export const UpdateJson = Type.Object(
  { url: Type.Optional(url), ...jsonSettings },
  { ...closed, $id: 'UpdateWebsiteJson' },
);
export const UpdateForm = Type.Object(
  { url: Type.Optional(url), ...formSettings },
  { ...closed, $id: 'UpdateWebsiteForm' },
);

/** A decoded body of any of the four schemas; only JSON has nulls. */
export type WebsiteBody = Static<typeof UpdateJson> | Static<typeof UpdateForm>;

export const WebsiteParams = Type.Object({
  id: Type.String({ description: 'The id of the website; letter case does not matter.' }),
});

export const NoQuery = Type.Object({}, closed);

export const ListQuery = Type.Object(
  {
    search: Type.Optional(
      text(255, 'Case-insensitive plain text to find in the url, at most 255 characters; empty means all websites.'),
    ),
    sort: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({
        type: 'string',
        enum: ['asc', 'desc'],
        description: 'By address: asc = A-Z, desc = Z-A. Default: newest first.',
      }),
    ),
    ...pagingParameters('Websites', 'search and sort'),
  },
  closed,
);

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10',
  url: 'https://example.com',
  privacy: 1,
  has_password: false,
  email: 0,
  exclude_bots: 1,
  exclude_params: null,
  exclude_ips: null,
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

// Responses are open: members may be added within v1 (decisions.md, "Not offered, and change").

const Website = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    url: Type.String({ description: 'In normal form.' }),
    privacy: choices.privacy,
    has_password: Type.Boolean({ description: 'Whether a password is set; it is never returned.' }),
    email: choices.email,
    exclude_bots: choices.exclude_bots,
    exclude_params: Type.Unsafe<string | null>({ type: ['string', 'null'], description: PARAMS }),
    exclude_ips: Type.Unsafe<string | null>({ type: ['string', 'null'], description: IPS }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { $id: 'Website', examples: [EXAMPLE] },
);

export type WebsiteResource = Static<typeof Website>;

const ref = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

export const WebsiteResponse = Type.Object(
  { data: ref(Website) },
  { $id: 'WebsiteResponse', examples: [{ data: EXAMPLE }] },
);

export const ListResponse = Type.Object(
  {
    data: Type.Array(ref(Website), { maxItems: PER_PAGE.max }),
    links: Links,
    meta: Type.Object({
      per_page: Type.Integer({ minimum: PER_PAGE.min, maximum: PER_PAGE.max }),
      total: Type.Integer({
        minimum: 0,
        maximum: COUNT_LIMIT,
        description: 'The number of matching websites, counted up to 10,000.',
      }),
      total_is_exact: Type.Boolean({ description: 'false if there are more than 10,000.' }),
    }),
  },
  {
    $id: 'WebsiteList',
    examples: [
      { data: [EXAMPLE], links: { next: null, prev: null }, meta: { per_page: 10, total: 1, total_is_exact: true } },
    ],
  },
);

/** The schemas that others refer to by name. */
export const NAMED_SCHEMAS = [Website, WebsiteResponse, ListResponse, CreateJson, CreateForm, UpdateJson, UpdateForm];
