import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type Sent, startApi } from './support/api.ts';

// api.md, "Bodies": what cannot be decoded is 400; what is decoded but cannot be kept is 422.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';
const formBytes = (body: string | Buffer): Sent => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
});
const jsonBytes = (body: string | Buffer): Sent => ({ headers: { 'content-type': 'application/json' }, body });
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

describe('Malformed % escapes, invalid UTF-8, JSON that does not parse or is not an object: 400', () => {
  test.each(['%', '%z', '%zz', '%4', '%%', '%u0041', 'a%', '%C3', '%ED%A0%80', '%C0%AF', '%FF', '%F5%80%80%80'])(
    'the escape %s in a name, a value or a query',
    async (malformed) => {
      const value = await api.send('POST', WEBSITES, { form: `url=https://a.example&exclude_params=${malformed}` });
      const name = await api.send('POST', WEBSITES, { form: `url=https://a.example&${malformed}=1` });
      const query = await api.send('GET', `${WEBSITES}?search=${malformed}`);
      const other = await api.send('DELETE', `/websites/x/destroy?${malformed}`);

      const codes = [value, name, query, other].map((response) => response.problem().code);
      expect(codes).toEqual(['bad_request', 'bad_request', 'bad_request', 'bad_request']);
    },
  );

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xc3]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['latin1', [0x63, 0x61, 0x66, 0xe9]],
  ])('%s as raw bytes', async (_name, raw) => {
    const form = await api.send('POST', WEBSITES, formBytes(bytes('url=https://a.example&password=', raw)));
    const json = await api.send(
      'POST',
      WEBSITES,
      jsonBytes(bytes('{"url":"https://a.example","password":"', raw, '"}')),
    );

    expect([form.problem().code, json.problem().code]).toEqual(['bad_request', 'bad_request']);
  });

  test('a form with an unescaped U+FFFD is rejected: once decoded, malformed UTF-8 looks the same', async () => {
    const response = await api.send('POST', WEBSITES, formBytes('url=https://a.example&exclude_params=\u{fffd}'));

    expect(response.problem()).toMatchObject({ code: 'bad_request', detail: expect.stringContaining('%EF%BF%BD') });
  });

  test('valid UTF-8 is kept as sent, including U+FFFD in an escape or in JSON', async () => {
    const name = 'é🦊\u{fffd}';
    const raw = await api.send('POST', WEBSITES, formBytes('url=https://raw.example&exclude_params=é🦊%EF%BF%BD'));
    const escaped = await api.send('POST', WEBSITES, {
      form: { url: 'https://escaped.example', exclude_params: name },
    });
    const json = await api.send('POST', WEBSITES, { json: { url: 'https://json.example', exclude_params: name } });

    expect([raw, escaped, json].map((response) => response.website().exclude_params)).toEqual([name, name, name]);
  });

  test.each([
    '{"url":"https://a.example","password":"hush"}',
    ' \n{"url":"https://a.example","password":"hush&hush=%zz"}',
    '[{"password":"hush"}]',
    encodeURIComponent('{"password":"hush"}'),
  ])('JSON sent as a form is 400; the detail names the Content-Type to send and repeats nothing: %s', async (body) => {
    const response = await api.send('POST', WEBSITES, { form: body });

    expect(response.problem()).toMatchObject({
      code: 'bad_request',
      detail: expect.stringContaining('application/json'),
    });
    expect(response.text).not.toContain('hush');
  });

  test('in a form, + is a space, the first = ends the name, and empty pairs are ignored', async () => {
    const response = await api.send('POST', WEBSITES, {
      form: '&url=https://grammar.example&&exclude_params=a+b%2Bc%0Ad&password=a=b=&',
    });

    expect(response.website()).toMatchObject({ exclude_params: 'a b+c\nd', has_password: true });
  });

  test.each([
    '{',
    '{"url":}',
    "{'url':'x'}",
    '{"url":"https://a.example",}',
    '{"url":NaN}',
    '{} {}',
    'url=https://a.example',
    '\u{feff}{}',
    'null',
    'true',
    '1',
    '"text"',
    '[]',
    '[{"url":"https://a.example"}]',
    ' ',
  ])('the JSON %j', async (body) => {
    const response = await api.send('POST', WEBSITES, jsonBytes(body));

    expect(response.problem().code).toBe('bad_request');
  });

  test('JSON nested more than 64 levels deep is rejected', async () => {
    const send = (levels: number) => {
      const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
      return api.send('POST', WEBSITES, jsonBytes(`{"url":"https://a.example","privacy":${deep}}`));
    };

    const [allowed, deep, deepest] = [await send(63), await send(64), await send(10_000)];

    expect([allowed.status, deep.status, deepest.status]).toEqual([422, 400, 400]);
    expect(deep.problem().detail).toBe('A JSON body may be nested at most 64 levels deep.');
  });

  test('a JSON array is the wrong type for a field', async () => {
    const response = await api.send('POST', WEBSITES, {
      json: { url: ['https://a.example'], privacy: [1], password: [] },
    });

    expect(response.faults().sort()).toEqual(['password invalid_type', 'privacy invalid_type', 'url invalid_type']);
  });

  test('when a member is repeated in JSON, the last one counts', async () => {
    const response = await api.send(
      'POST',
      WEBSITES,
      jsonBytes('{"url":"nonsense","privacy":9,"url":"https://last.example","privacy":0}'),
    );

    expect(response.website()).toMatchObject({ url: 'https://last.example', privacy: 0 });
  });
});

describe('A repeated name in a form or query, an unknown field or query parameter, a NUL, a lone surrogate, JSON null for an integer: 422 naming the field', () => {
  test.each(['url', 'privacy', 'password', 'email', 'exclude_bots', 'exclude_params', 'exclude_ips'])(
    '%s twice in a form, even with the same value',
    async (name) => {
      const base = name === 'url' ? '' : 'url=https://a.example&';
      const response = await api.send('POST', WEBSITES, { form: `${base}${name}=1&${name}=1` });

      expect(response.faults()).toEqual([`${name} repeated`]);
    },
  );

  test.each(['search=a&search=a', 'sort=asc&sort=asc', 'per_page=10&per_page=10', 'cursor=a&cursor=a'])(
    'the query %s',
    async (query) => {
      const response = await api.send('GET', `${WEBSITES}?${query}`);

      expect(response.faults()).toEqual([`${query.split('=')[0]} repeated`]);
    },
  );

  test.each([
    'id',
    'account_id',
    'has_password',
    'password_hash',
    'created_at',
    'updated_at',
    'version',
    'Url',
    'url[]',
    ' url',
    'exclude_bot',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '',
    'é🦊',
  ])('the field %j', async (name) => {
    const { id } = await api.createWebsite();
    const query = new URLSearchParams([[name, '1']]);
    const json = jsonBytes(`{"url":"https://unknown.example",${JSON.stringify(name)}:1}`);
    const form = { form: `url=https%3A%2F%2Funknown.example&${query}` };

    for (const sent of [json, form]) {
      for (const [method, path] of [
        ['POST', WEBSITES],
        ['PUT', `${WEBSITES}/${id}`],
      ] as const) {
        const response = await api.send(method, path, sent);
        expect(response.faults()).toEqual([`${name.replaceAll(/[^\w-]/gu, '_')} unknown`]);
      }
    }
    expect('polluted' in {}).toBe(false);
  });

  test('a query parameter on any route that takes none', async () => {
    const { id } = await api.createWebsite();
    for (const [method, path] of [
      ['GET', `${WEBSITES}?verbose=1`],
      ['GET', `${WEBSITES}/${id}?verbose=1`],
      ['POST', `${WEBSITES}?verbose=1`],
      ['PUT', `${WEBSITES}/${id}?verbose=1`],
      ['PATCH', `${WEBSITES}/${id}?verbose`],
      ['DELETE', `${WEBSITES}/${id}?verbose=1`],
      ['DELETE', `/websites/${id}/destroy?verbose=1`],
    ] as const) {
      const response = await api.send(
        method,
        path,
        method === 'POST' ? { json: { url: 'https://verbose.example' } } : {},
      );
      expect(response.faults()).toEqual(['verbose unknown']);
    }
  });

  test.each(['url', 'password', 'exclude_params', 'exclude_ips'])('a NUL or a lone surrogate in %s', async (name) => {
    const text = name === 'url' ? 'https://a.example/' : 'a';
    const base = name === 'url' ? {} : { url: 'https://nul.example' };

    const inForm = await api.send('POST', WEBSITES, { form: { ...base, [name]: `${text}\0` } });
    const inJson = await api.send('POST', WEBSITES, { json: { ...base, [name]: `${text}\0` } });
    const high = await api.send('POST', WEBSITES, { json: { ...base, [name]: `${text}\ud83e` } });
    const low = await api.send('POST', WEBSITES, { json: { ...base, [name]: `\udd8a${text}` } });

    for (const response of [inForm, inJson, high, low]) {
      expect(response.problem().errors?.map(({ field }) => field)).toEqual([name]);
    }
  });

  test.each(['verbose', ' url', 'é🦊', 'a\0'])('the field %j with a NUL in its value, once', async (name) => {
    const cleaned = name.replaceAll(/[^\w-]/gu, '_');
    const { id } = await api.createWebsite();
    const form = new URLSearchParams([[name, 'a\0']]).toString();

    const inForm = await api.send('PATCH', `${WEBSITES}/${id}`, { form });
    const inJson = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { [name]: 'a\ud83e' } });
    const inQuery = await api.send('GET', `${WEBSITES}?${form}`);

    for (const response of [inForm, inJson, inQuery]) expect(response.faults()).toEqual([`${cleaned} unknown`]);
  });

  test('a NUL in a search, a name or an id', async () => {
    const search = await api.send('GET', `${WEBSITES}?search=%00`);
    const cursor = await api.send('GET', `${WEBSITES}?cursor=%00`);
    const name = await api.send('PATCH', `${WEBSITES}/x`, { form: 'a%00=1' });
    const id = await api.send('GET', `${WEBSITES}/%00`);

    expect(search.faults()).toEqual(['search not_allowed']);
    expect(cursor.faults()).toEqual(['cursor invalid_cursor']);
    expect(name.faults()).toEqual(['a_ unknown']);
    expect(id.status).toBe(404);
  });

  test.each(['privacy', 'email', 'exclude_bots'])('JSON null for %s', async (name) => {
    const response = await api.send('PATCH', `${WEBSITES}/x`, { json: { [name]: null } });

    expect(response.faults()).toEqual([`${name} invalid_type`]);
  });
});
