import fc from 'fast-check';

/** The body of a generated request, in the form that the tests' clients accept. */
interface GeneratedBody {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: string;
  readonly json?: unknown;
  readonly body?: Buffer;
}

interface GeneratedRequest {
  /** Method and path; `ID` stands for the id of an existing website, `GONE` for the id of a deleted one. */
  readonly operation: string;
  readonly query: string;
  readonly body: GeneratedBody;
  /** `ETAG` in a value stands for the entity tag of an earlier response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly who: 'owner' | 'reader' | 'other' | 'nobody' | 'bad';
}

/** The statuses that thousands of requests must produce, otherwise they do not cover everything. */
export const EXPECTED_STATUSES = [200, 201, 204, 304, 400, 401, 403, 404, 405, 412, 415, 422] as const;

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\u{fffd}',
    '\u{feff}',
    '%',
    '%zz',
    '%00',
    '\\',
    "' or 1=1 --",
    '../..',
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '-0',
    '1e400',
    '🦊'.repeat(300),
    'x'.repeat(3000),
    '\r\n\r\n',
    '<script>',
    '{{x}}',
    '*',
    '&',
    '#',
    '=',
  ),
);
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: false, withFragments: false, validSchemes: ['http', 'https'] }),
  fc.nat(200).map((index) => `https://site-${index}.example`),
  fc.tuple(fc.constantFrom('https://', 'http:', '', 'ftp://'), hostile).map((parts) => parts.join('')),
  hostile,
);
const lines = fc.oneof(
  fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), hostile), { maxLength: 8 }).map((list) => list.join('\n')),
  hostile,
);
const integer = fc.oneof(fc.constantFrom('0', '1', '2', ' 1', '01', '1.0', ''), hostile);
const loose = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: hostile });

/** Passwords are rare, because a real hash takes longer than the rest of a request. Their prefix identifies them in output. */
const password = fc.oneof(
  { weight: 19, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(), fc.string({ unit: 'grapheme', maxLength: 20 }))
      .map(([number, text]) => `canary-${number.toString(16)}${text.replaceAll('\0', '')}`),
  },
);
const zone = fc.oneof(fc.constantFrom('', 'Europe/Berlin', 'asia/kolkata', '+01:00', 'Etc/GMT+12'), hostile);
const aliases = fc.oneof(fc.constantFrom('', 'matomo:3', 'a\n\nb', 'pa-x '.repeat(60)), hostile);
const formFields = fc.record(
  {
    url,
    privacy: integer,
    password: loose(password),
    email: integer,
    exclude_bots: integer,
    exclude_params: lines,
    exclude_ips: lines,
    time_zone: zone,
    aliases,
  },
  { requiredKeys: [] },
);
const number = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.double(), fc.jsonValue());
/** Values that cannot be converted to a string, and their like. */
const odd = fc.constantFrom<unknown>(
  { toString: 1 },
  { valueOf: 1, toString: null },
  JSON.parse('{"__proto__":{"toString":1}}'),
  [[{ toString: 1 }]],
);
const anything = fc.oneof({ weight: 3, arbitrary: fc.jsonValue() }, { weight: 1, arbitrary: odd });
const jsonFields = fc.record(
  {
    url: fc.oneof(url, anything),
    privacy: number,
    password: fc.oneof(hostile, fc.constant(null), anything),
    email: number,
    exclude_bots: number,
    exclude_params: fc.oneof(lines, fc.constant(null)),
    page_rules: fc.oneof(lines, fc.constant(null), anything),
    exclude_ips: fc.oneof(lines, fc.constant(null), anything),
    time_zone: fc.oneof(zone, fc.constant(null), anything),
    aliases: fc.oneof(aliases, fc.constant(null), anything),
    embed_origins: fc.oneof(url, lines, fc.constant(null), anything),
    label: fc.oneof(hostile, fc.constant(null), anything),
    language: fc.oneof(fc.constantFrom('de', 'DE ', 'xx'), fc.constant(null), anything),
    engagement: fc.oneof(fc.constantFrom(0, 1, '1'), anything),
    extra: anything,
  },
  { requiredKeys: [] },
);

const validFields = fc.record(
  {
    url: fc.nat(5000).map((index) => `https://v-${index}.example/é`),
    privacy: fc.constantFrom(0, 1),
    password,
    email: fc.constantFrom(0, 1),
    exclude_bots: fc.constantFrom(0, 1),
    exclude_params: fc.constantFrom('', 'utm_*\nref', ' é 🦊\r\n', '*'),
    page_rules: fc.constantFrom('', '/u/* => /u/:id', '?é&f*\r\n/é/* => /:a'),
    exclude_ips: fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 5 }).map((list) => list.join('\r\n')),
    embed_origins: fc.constantFrom('', '*', 'https://a.example\nhttp://b.example:8080'),
    time_zone: fc.constantFrom('', 'UTC', 'Asia/Kolkata', 'Pacific/Kiritimati'),
    label: fc.constantFrom('', 'é 🦊', ' Clients '),
    language: fc.constantFrom('', 'de', ' FR '),
    engagement: fc.constantFrom(0, 1),
  },
  { requiredKeys: ['url'] },
);

const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, '\u{fffd}');
const escaped = (text: string) => encodeURIComponent(wellFormed(text));
const pairs = (fields: object) =>
  Object.entries(fields)
    .map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`)
    .join('&');
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const FORM = 'application/x-www-form-urlencoded';
const types = fc.oneof(
  fc.constantFrom(
    FORM,
    'application/json',
    `${FORM}; charset=utf-8`,
    'text/plain',
    'application/json; charset=x',
    '',
    ';',
    'a/b/c',
  ),
  fc.string({ maxLength: 20 }),
);
const body: fc.Arbitrary<GeneratedBody> = fc.oneof(
  { weight: 4, arbitrary: validFields.map((fields) => ({ form: pairs(fields) })) },
  { weight: 4, arbitrary: validFields.map((json) => ({ json })) },
  { weight: 3, arbitrary: formFields.map((fields) => ({ form: pairs(fields) })) },
  { weight: 3, arbitrary: jsonFields.map((json) => ({ json })) },
  { weight: 1, arbitrary: fc.dictionary(hostile, hostile, { maxKeys: 70 }).map((fields) => ({ form: pairs(fields) })) },
  { weight: 1, arbitrary: hostile.map((form) => ({ form: wellFormed(form) })) },
  { weight: 2, arbitrary: fc.tuple(types, bytes).map(([type, raw]) => typed(type, raw)) },
  {
    weight: 2,
    arbitrary: fc.tuple(types, jsonFields, fc.nat(), fc.nat(255)).map(([type, json, at, byte]) => {
      const raw = Buffer.from(JSON.stringify(json));
      if (raw.length > 0) raw[at % raw.length] = byte;
      return typed(type, raw);
    }),
  },
  { weight: 1, arbitrary: fc.constant({}) },
);

function typed(type: string, raw: Buffer): GeneratedBody {
  return { headers: { 'content-type': headerText(type) }, body: raw };
}

/** A text that is allowed in a header. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

const query = fc.oneof(
  { weight: 9, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .record(
        {
          search: loose(fc.constantFrom('site', 'É', '%', '_')),
          sort: fc.oneof(fc.constantFrom('asc', 'desc'), hostile),
          per_page: fc.oneof(fc.constantFrom('10', '100', '9'), hostile),
          cursor: fc.oneof(fc.base64String(), hostile),
        },
        { requiredKeys: [] },
      )
      .map((fields) => `?${pairs(fields)}`),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 30 }).map((text) => `?${text.replace(/[^!-~]/g, '')}`),
  },
);
/** `ID` stands for the id of an existing website, `GONE` for the id of a deleted one. */
const operation = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      'POST /api/v1/websites',
      'POST /api/v1/websites',
      'GET /api/v1/websites',
      'GET /api/v1/websites/ID',
      'PUT /api/v1/websites/ID',
      'PATCH /api/v1/websites/ID',
      'PATCH /api/v1/websites/GONE',
      'DELETE /websites/ID/destroy',
      'DELETE /api/v1/websites/ID',
      'HEAD /api/v1/websites/ID',
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
        fc.oneof(
          fc.constantFrom(
            '/api/v1/websites',
            '/websites/ID/destroy',
            '/livez',
            '/readyz',
            '/docs',
            '/problems/internal',
            '/',
          ),
          hostile.map((text) => `/api/v1/websites/${escaped(text)}`),
          fc.string({ unit: 'binary-ascii', maxLength: 30 }).map((text) => `/x${text.replace(/[^!-~]|[?#\\]/g, '')}`),
        ),
      )
      .map((parts) => parts.join(' ')),
  },
);
const header = fc.oneof(
  fc.constantFrom('*', '"x"', 'W/"x"', 'ETAG', '"a", ETAG', 'key-1', 'key-2', 'bytes=0-', '100-continue', 'gzip'),
  fc.string({ unit: 'binary', maxLength: 20 }).map(headerText),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'if-match',
    'if-none-match',
    'if-none-match',
    'idempotency-key',
    'accept',
    'range',
    'x-forwarded-for',
    'content-encoding',
    'origin',
    'cookie',
    'x-request-id',
  ),
  header,
  { maxKeys: 2 },
);
/** A request of any kind: sensible, partly wrong, or hostile. */
export const requests: fc.Arbitrary<GeneratedRequest> = fc.record({
  operation,
  query,
  body,
  headers: fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: headers },
    // Rare otherwise, so that 304 needed many thousands of requests.
    { weight: 1, arbitrary: fc.constantFrom({ 'if-none-match': 'ETAG' }, { 'if-none-match': '*' }) },
  ),
  who: fc.oneof(
    { weight: 12, arbitrary: fc.constant('owner' as const) },
    { weight: 1, arbitrary: fc.constantFrom('reader' as const, 'other' as const, 'nobody' as const, 'bad' as const) },
  ),
});
