import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type Sent, startApi } from './support/api.ts';

// api.md, "Bodies".

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const FORM = 'application/x-www-form-urlencoded';
const WEBSITES = '/api/v1/websites';
const typed = (type: string, body: string | Buffer, more: Record<string, string> = {}): Sent => ({
  headers: { 'content-type': type, ...more },
  body,
});
let count = 0;
const newUrl = () => {
  count += 1;
  return `https://body-${count}.example`;
};

describe('Bodies are application/x-www-form-urlencoded or application/json, with the same fields; anything else, and any Content-Encoding, is 415', () => {
  const formBody = () => `url=${newUrl()}&privacy=0`;
  const jsonBody = () => JSON.stringify({ url: newUrl(), privacy: 0 });

  test.each([
    [FORM, formBody],
    [`${FORM};charset=utf-8`, formBody],
    [`${FORM}; charset=UTF-8`, formBody],
    [`${FORM};\tcharset="utf-8"`, formBody],
    ['Application/X-WWW-Form-Urlencoded', formBody],
    ['application/json', jsonBody],
    ['application/json; charset=utf-8', jsonBody],
    ['application/json ;Charset="UTF-8"', jsonBody],
    ['APPLICATION/JSON', jsonBody],
  ])('%s is read and validated', async (type, body) => {
    const good = await api.send('POST', WEBSITES, typed(type, body()));
    const bad = await api.send('POST', WEBSITES, typed(type, body().replace('privacy', 'privaci')));

    expect(good.website().privacy).toBe(0);
    expect(bad.faults()).toEqual(['privaci unknown']);
  });

  test.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    'application/json, text/plain',
    'application/jsonx',
    'json',
    '*/*',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    `${FORM}; charset=iso-8859-1`,
    `${FORM}; charset=us-ascii`,
    `${FORM}; charset=`,
  ])('%s is 415', async (type) => {
    const created = await api.send('POST', WEBSITES, typed(type, 'url=https://type.example'));
    const updated = await api.send('PATCH', `${WEBSITES}/x`, typed(type, '{}'));

    expect([created.problem().code, updated.status]).toEqual(['unsupported_media_type', 415]);
  });

  test('a body without a Content-Type is 415', async () => {
    const response = await api.send('POST', WEBSITES, { body: 'url=https://type.example' });

    expect(response.status).toBe(415);
  });

  test.each(['gzip', 'identity', 'br', ''])('Content-Encoding "%s" is 415', async (coding) => {
    const response = await api.send('POST', WEBSITES, typed(FORM, formBody(), { 'content-encoding': coding }));

    expect(response.status).toBe(415);
  });
});

describe('At most 1 MiB, else 413', () => {
  const padded = (size: number) => `exclude_params=${'\n'.repeat(9)}`.padEnd(size, '+');

  test.each([FORM, 'application/json'])('%s of 1,048,576 bytes is read, one more is 413', async (type) => {
    const json = (size: number) => `{"email":1${' '.repeat(size - 11)}}`;
    const body = type === FORM ? padded : json;

    const whole = await api.send('PATCH', `${WEBSITES}/x`, typed(type, body(1_048_576)));
    const over = await api.send('PATCH', `${WEBSITES}/x`, typed(type, body(1_048_577)));

    expect(whole.status).toBe(404);
    expect(over.problem().code).toBe('payload_too_large');
  });
});

describe('At most 64 name–value pairs, repeated ones included, else 400', () => {
  const pairs = (length: number, name = (index: number) => `f${index}`) =>
    Array.from({ length }, (_, index) => `${name(index)}=1`).join('&');

  test('64 pairs are accepted, 65 are 400', async () => {
    const most = await api.send('POST', WEBSITES, { form: pairs(64) });
    const more = await api.send('POST', WEBSITES, { form: pairs(65) });

    expect(most.problem().errors).toHaveLength(65);
    expect(more.problem().code).toBe('bad_request');
  });

  test('repeated names count', async () => {
    const most = await api.send('POST', WEBSITES, { form: pairs(64, () => 'url') });
    const more = await api.send('POST', WEBSITES, { form: pairs(65, () => 'url') });

    expect(most.faults()).toEqual(['url repeated']);
    expect(more.status).toBe(400);
  });

  test('fields of a JSON object count too, repeated ones included, but not what is nested or quoted', async () => {
    const fields = (length: number, name: (index: number) => string) =>
      typed('application/json', `{${Array.from({ length }, (_, i) => `"${name(i)}":"a,\\",{["`).join(' ,')}}`);

    const most = await api.send(
      'POST',
      WEBSITES,
      fields(64, (index) => `f${index}`),
    );
    const more = await api.send(
      'POST',
      WEBSITES,
      fields(65, (index) => `f${index}`),
    );
    const sameMost = await api.send(
      'POST',
      WEBSITES,
      fields(64, () => 'f'),
    );
    const sameMore = await api.send(
      'POST',
      WEBSITES,
      fields(65, () => 'f'),
    );
    const nested = await api.send('POST', WEBSITES, {
      json: { url: Array.from({ length: 99 }, () => ({ a: 1, b: [] })) },
    });

    expect([most.status, more.status, sameMost.status, sameMore.status]).toEqual([422, 400, 422, 400]);
    expect(sameMost.faults().sort()).toEqual(['f unknown', 'url required']);
    expect(nested.status).toBe(422);
  });

  test('the limit holds for a query too', async () => {
    const more = await api.send('GET', `${WEBSITES}?${pairs(65)}`);

    expect(more.status).toBe(400);
  });
});

describe('GET, HEAD and DELETE ignore body and content type', () => {
  test.each([
    ['nonsense', typed('nonsense', 'url=%zz')],
    ['broken JSON', typed('application/json', '{')],
    ['a compressed body', typed(FORM, 'privacy=9', { 'content-encoding': 'gzip' })],
    ['a body in another charset', typed(`${FORM}; charset=latin1`, 'privacy=9')],
    ['a body without a type', { body: 'x' }],
    ['a huge body', typed('application/json', 'x'.repeat(1_100_000))],
    ['a type without a body', { headers: { 'content-type': 'application/json' } }],
  ])('with %s', async (_name, sent) => {
    const { id } = await api.createWebsite();

    const list = await api.send('GET', WEBSITES, sent);
    const show = await api.send('GET', `${WEBSITES}/${id}`, sent);
    const head = await api.send('HEAD', `${WEBSITES}/${id}`, sent);
    const live = await api.send('GET', '/livez', sent);
    const destroy = await api.send('DELETE', `/websites/${id}/destroy`, sent);
    const alias = await api.send('DELETE', `${WEBSITES}/${(await api.createWebsite()).id}`, sent);

    const statuses = [list, show, head, live, destroy, alias].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 204, 204]);
  });
});

describe('An update without a body changes nothing; a create without one is 422', () => {
  test.each([
    ['no body', {}],
    ['an empty form', { form: '' }],
    ['only separators', { form: '&&&' }],
    ['an empty JSON object', { json: {} }],
    ['an empty body of JSON', typed('application/json', '')],
  ])('%s', async (_name, sent: Sent) => {
    const before = await api.createWebsite({ privacy: 0, email: 1, exclude_bots: 0, exclude_ips: '192.0.2.1' });
    api.clock.advance(5);

    const put = await api.send('PUT', `${WEBSITES}/${before.id}`, sent);
    const patched = await api.send('PATCH', `${WEBSITES}/${before.id}`, sent);
    const created = await api.send('POST', WEBSITES, sent);

    expect([put.website(), patched.website()]).toEqual([before, before]);
    expect(created.faults()).toEqual(['url required']);
  });
});
