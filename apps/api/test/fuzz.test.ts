import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Api, type Sent, startApiForTest, type WebsiteJson } from './support/api.ts';

// Whatever is sent, the service answers, and every answer holds the contract; `send` checks that. The seed is printed, so
// that a failure can be run again: FUZZ_SEED=… in front of the command.

const REQUESTS = 20_000;
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

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

const formFields = fc.record(
  {
    url,
    privacy: integer,
    password: loose(fc.string({ minLength: 1, maxLength: 20 })),
    email: integer,
    exclude_bots: integer,
    exclude_params: lines,
    exclude_ips: lines,
  },
  { requiredKeys: [] },
);
const number = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.double(), fc.jsonValue());
const jsonFields = fc.record(
  {
    url: fc.oneof(url, fc.jsonValue()),
    privacy: number,
    password: fc.oneof(hostile, fc.constant(null), fc.jsonValue()),
    email: number,
    exclude_bots: number,
    exclude_params: fc.oneof(lines, fc.constant(null)),
    exclude_ips: fc.oneof(lines, fc.constant(null), fc.jsonValue()),
    extra: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

const validFields = fc.record(
  {
    url: fc.nat(5000).map((index) => `https://v-${index}.example/é`),
    privacy: fc.constantFrom(0, 1),
    password: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !text.includes('\0')),
    email: fc.constantFrom(0, 1),
    exclude_bots: fc.constantFrom(0, 1),
    exclude_params: fc.constantFrom('', 'utm_*\nref', ' é 🦊\r\n', '*'),
    exclude_ips: fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 5 }).map((list) => list.join('\r\n')),
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
const body: fc.Arbitrary<Sent> = fc.oneof(
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

function typed(type: string, raw: Buffer): Sent {
  return { headers: { 'content-type': headerText(type) }, body: raw };
}

/** What can stand in a header at all. */
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
/** `ID` stands for the id of a website that is there, `GONE` for one that was. */
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
const request = fc.record({
  operation,
  query,
  body,
  headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
  who: fc.oneof(
    { weight: 12, arbitrary: fc.constant('owner') },
    { weight: 1, arbitrary: fc.constantFrom('reader', 'other', 'nobody', 'bad') },
  ),
});

test(`${REQUESTS} generated requests: no 5xx, and every answer holds the contract (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const api = await startApiForTest({ logLevel: 'silent' });
  const keys: Readonly<Record<string, string | null>> = {
    owner: api.key,
    reader: api.readKey,
    other: api.otherKey,
    nobody: null,
    bad: 'hto_x',
  };
  const statuses = new Map<number, number>();
  let kept = await api.stored();
  let etag = '';

  await fc.assert(
    fc.asyncProperty(request, async (generated) => {
      const [method = '', path = ''] = generated.operation.split(' ');
      const filled = `${path}${generated.query}`
        .replace('ID', kept.id)
        .replace('GONE', '01997c3e-0000-7000-8000-00000000dead');
      const sentHeaders = Object.fromEntries(
        Object.entries(generated.headers).map(([name, value]) => [name, value.replace('ETAG', etag)]),
      );
      const answer = await api.send(method, filled, {
        ...generated.body,
        headers: { ...sentHeaders, ...generated.body.headers },
        key: keys[generated.who] ?? null,
      });

      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status, answer.text).toBeLessThan(500);
      etag = answer.header('etag') ?? etag;
      if (answer.status === 201 && generated.who === 'owner') kept = await checked(api, answer.website());
      if (answer.status === 204 && method === 'DELETE') kept = await api.stored();
    }),
    { numRuns: REQUESTS, seed, endOnFailure: true, skipAllAfterTimeLimit: 100_000 },
  );

  const spread = Object.fromEntries([...statuses].sort(([a], [b]) => a - b));
  console.log(`fuzz: seed ${seed}, answers by status ${JSON.stringify(spread)}`);
  for (const status of [200, 201, 204, 304, 400, 401, 403, 404, 405, 412, 415, 422]) {
    expect(spread, `no answer was ${status}`).toHaveProperty(String(status));
  }
});

/** What was stored reads the same when it is shown and when it is sent back. */
async function checked(api: Api, website: WebsiteJson): Promise<WebsiteJson> {
  const path = `/api/v1/websites/${website.id}`;
  const { id: _, has_password: _p, created_at: _c, updated_at: _u, ...fields } = website;
  const shown = await api.send('GET', path);
  const sentBack = await api.send('PUT', path, { json: fields });

  if (shown.status === 200) expect(shown.website()).toEqual(website);
  expect(sentBack.website()).toEqual(website);
  return website;
}
