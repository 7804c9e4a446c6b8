import { COUNT_LIMIT, DEFAULT_SETTINGS, SETTING_NAMES } from '@hitherto/domain/websites';
import { type FieldValue, SETTING_FIELDS, writeSettings } from '@hitherto/wire';
import { type TSchema, Type } from '@sinclair/typebox';
import { Links, PER_PAGE, pagingParameters } from '../requests/paging.ts';

// Error responses append these descriptions, so they list the accepted values. The page under /docs fills its forms with the
// examples, so the example of privacy is not the first value, public.

const closed = { additionalProperties: false };
const MAX_STRING = 1_048_576;

const text = (maxLength: number, description: string, examples: FieldValue[] = []) =>
  Type.String({ maxLength, description, examples });

const nullableText = (maxLength: number, description: string, examples: FieldValue[] = []) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description, examples });

const PASSWORD =
  'The password of the statistics page, 1 to 256 characters; it takes effect only while privacy is 2. Empty removes it.';
const URL_DESCRIPTION =
  'The address of the website: an absolute http or https URL without query, fragment or user info, at most 2,048 bytes.';

type Fields = Record<string, TSchema>;

/** The fields of the settings; in forms, their integers are strings in plain decimal (see input.ts). */
const fieldsOf = (textOf: (description: string, example: FieldValue) => TSchema): Fields =>
  Object.fromEntries(
    SETTING_NAMES.map((setting) => {
      const { name, numbers, description, example } = SETTING_FIELDS[setting];
      if (numbers === undefined) return [name, textOf(description, example)];
      const accepted = Array.from({ length: numbers }, (_, number) => number);
      return [name, Type.Unsafe({ type: 'integer', enum: accepted, description, examples: [example] })];
    }),
  );

/** The fields with one more after the privacy. */
const withPassword = <T, Password extends object>({ privacy, ...others }: Record<string, T>, password: Password) => ({
  ...(privacy !== undefined && { privacy }),
  ...password,
  ...others,
});

const optional = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));

/** All settings of a website; JSON clears a string with `null`, a form with an empty string. */
const settings = (textOf: typeof text | typeof nullableText): Fields => {
  const fields = fieldsOf((description, example) => textOf(MAX_STRING, description, [example]));
  return optional(withPassword(fields, { password: textOf(256, PASSWORD) }));
};

const jsonSettings = settings(nullableText);
const formSettings = settings(text);

const url = text(2048, URL_DESCRIPTION, ['https://example.com']);

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
export interface WebsiteBody {
  readonly url?: string;
  readonly password?: string | null;
  readonly [setting: string]: FieldValue | undefined;
}

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

/** A website in responses; the other fields are its settings. */
export interface WebsiteResource {
  readonly id: string;
  readonly url: string;
  readonly has_password?: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [setting: string]: FieldValue | boolean | undefined;
}

const EXAMPLE: WebsiteResource = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10',
  url: 'https://example.com',
  ...withPassword(writeSettings(DEFAULT_SETTINGS), { has_password: false }),
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
};

// Responses are open: fields may be added within v1 (api.md, "Changes of this API").

const { time_zone, ...hidden } = withPassword(
  fieldsOf((description) => Type.Unsafe({ type: ['string', 'null'], description })),
  { has_password: Type.Boolean({ description: 'Whether a password is set; it is never returned.' }) },
);

const Website = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    url: Type.String({ description: 'In normal form.' }),
    ...optional(hidden),
    ...(time_zone && { time_zone }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
  },
  { $id: 'Website', description: 'Keys of viewers get no settings but the time zone.', examples: [EXAMPLE] },
);

const WebsiteRef = Type.Unsafe<WebsiteResource>({ $ref: 'Website#' });

export const WebsiteResponse = Type.Object(
  { data: WebsiteRef },
  { $id: 'WebsiteResponse', examples: [{ data: EXAMPLE }] },
);

export const ListResponse = Type.Object(
  {
    data: Type.Array(WebsiteRef, { maxItems: PER_PAGE.max }),
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
