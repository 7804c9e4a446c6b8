import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { BROWSER, ID, serveCollector, URL_OF_PAGE } from './support/collector.ts';

const HIT = { website: ID, url: URL_OF_PAGE };

describe('POST /hits', () => {
  test('responds 202 without a body once the hit is stored', async () => {
    const { send, hits } = await serveCollector();

    const { status, text, headers } = await send({
      ...HIT,
      name: 'Buy',
      props: { plan: 'é' },
      referrer: 'https://a.example/x',
    });

    expect([status, text, headers['hitherto-dropped']]).toEqual([202, '', undefined]);
    expect(hits.stored).toMatchObject([
      {
        websiteId: ID,
        page: '/page',
        referrer: 'a.example/x',
        name: 'Buy',
        props: { plan: 'é' },
        country: 'DE',
        language: 'de',
        browser: 'Firefox',
      },
    ]);
  });

  test.each(['text/plain', 'text/plain;charset=UTF-8', 'application/json', 'application/json; charset="utf-8"'])(
    'accepts %s',
    async (type) => {
      const { send, hits } = await serveCollector();

      const { status } = await send(HIT, { 'content-type': type });

      expect([status, hits.stored.length]).toEqual([202, 1]);
    },
  );

  test('finds the website whatever the letter case of its id', async () => {
    const { send } = await serveCollector();

    const { status } = await send({ ...HIT, website: ID.toUpperCase() });

    expect(status).toBe(202);
  });

  test.each<[string, number, string | object, Record<string, string>]>([
    ['another type', 415, HIT, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no type', 415, HIT, { 'content-type': '' }],
    ['another charset', 415, HIT, { 'content-type': 'text/plain; charset=latin1' }],
    ['a content encoding', 415, HIT, { 'content-encoding': 'gzip' }],
    ['more than 8 KiB', 413, { ...HIT, referrer: 'x'.repeat(8_192) }, {}],
    ['no JSON', 400, '{', {}],
    ['no object', 400, '[]', {}],
    ['an unknown website', 404, { ...HIT, website: ID.replace(/1$/, '2') }, {}],
    ['a malformed website', 404, { ...HIT, website: "x'; --" }, {}],
  ])('rejects %s with %i', async (_, expected, body, headers) => {
    const { send, hits } = await serveCollector();

    const response = await send(body, headers);

    expect(response.status).toBe(expected);
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(hits.stored).toEqual([]);
  });

  const TYPES = 'Send text/plain or application/json, in UTF-8';
  test.each<[string, string, object, Record<string, string>]>([
    ['another type', TYPES, HIT, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a content encoding', TYPES, HIT, { 'content-encoding': 'gzip' }],
    ['more than 8 KiB', 'at most 8,192 bytes', { ...HIT, referrer: 'x'.repeat(8_192) }, {}],
  ])('tells the sender of %s what it takes: %s', async (_, detail, body, headers) => {
    const { send } = await serveCollector();

    const { text } = await send(body, headers);

    expect(JSON.parse(text).detail).toContain(detail);
  });

  test('mentions no API key in the response for an unknown website', async () => {
    const { send } = await serveCollector();

    const { text } = await send({ ...HIT, website: 'x' });

    expect(JSON.parse(text).detail).toMatch(/^There is no such website\./);
    expect(text).not.toMatch(/\bkey\b/);
  });

  test('rejects bytes that are not UTF-8', async () => {
    const { ask } = await serveCollector();
    const payload = Buffer.concat([
      Buffer.from(`{"website":"${ID}","url":"${URL_OF_PAGE}`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);

    const { status } = await ask({ method: 'POST', url: '/hits', payload, headers: { 'content-type': 'text/plain' } });

    expect(status).toBe(400);
  });

  test('reports all errors at once', async () => {
    const { send } = await serveCollector();

    const { status, text } = await send({ url: '/x', name: '', extra: 1, ip: '203.0.113.1' });

    const { code, errors } = JSON.parse(text);
    expect([status, code]).toEqual([422, 'validation']);
    expect(errors.map((fault: { field: string }) => fault.field).sort()).toEqual([
      'extra',
      'ip',
      'name',
      'url',
      'website',
    ]);
  });

  test('without a body is 422', async () => {
    const { send } = await serveCollector();

    expect((await send('')).status).toBe(422);
  });
});

describe('a dropped hit', () => {
  const excluding = aWebsite({ url: 'https://ex.com', excludedIps: ['203.0.113.0/24'] });

  test.each<[string, object, Record<string, string>, string]>([
    ['prefetch', HIT, { 'sec-purpose': 'prefetch;anonymous-client-ip' }, '198.51.100.7'],
    ['prefetch', HIT, { 'sec-purpose': 'prefetch;prerender' }, '198.51.100.7'],
    ['prefetch', HIT, { purpose: 'prefetch' }, '198.51.100.7'],
    ['prefetch', HIT, { 'x-moz': 'prefetch' }, '198.51.100.7'],
    ['foreign_host', { ...HIT, url: 'https://other.example/' }, {}, '198.51.100.7'],
    ['same_page', { ...HIT, referrer: `${HIT.url}?ref=x`, same_document: true }, {}, '198.51.100.7'],
    ['excluded_ip', HIT, {}, '203.0.113.9'],
    ['excluded_ip', HIT, {}, '::ffff:203.0.113.9'],
    ['bot', HIT, { 'user-agent': 'a bot' }, '198.51.100.7'],
    ['bot', { ...HIT, automated: true }, {}, '198.51.100.7'],
    ['spam_referrer', { ...HIT, referrer: 'https://spam.example/' }, {}, '198.51.100.7'],
  ])('is 202 with the reason %s', async (reason, body, headers, remoteAddress) => {
    const { send, hits, app } = await serveCollector({ websites: [excluding] });

    const response = await send(body, headers, { remoteAddress });
    await app.close();

    expect([response.status, response.headers['hitherto-dropped']]).toEqual([202, reason]);
    expect(hits.stored).toEqual([]);
    expect(hits.dropped).toEqual([{ websiteId: ID, day: '2026-11-20', reason, hits: 1 }]);
  });

  test('other values of Purpose and X-Moz do not drop a hit', async () => {
    const { send, hits } = await serveCollector();

    await send(HIT, { purpose: 'preview', 'x-moz': 'x' });

    expect(hits.stored).toHaveLength(1);
  });
});

describe('the client', () => {
  test('is the address of the connection; X-Forwarded-For is ignored', async () => {
    const { send, hits } = await serveCollector({
      websites: [aWebsite({ url: 'https://ex.com', excludedIps: ['10.1.2.3'] })],
    });

    await send(HIT, { 'x-forwarded-for': '10.1.2.3' });

    expect(hits.stored).toHaveLength(1);
  });

  test.each(['10.1.2.3', '10.1.2.3:4711', '[::ffff:10.1.2.3]:4711', '192.0.2.1, 10.1.2.3', '10.1.2.3, 127.0.0.9:80'])(
    'is named by a trusted proxy: %s',
    async (forwarded) => {
      const { send } = await serveCollector({
        websites: [aWebsite({ url: 'https://ex.com', excludedIps: ['10.1.2.3'] })],
        trustedProxies: ['127.0.0.0/8'],
      });

      const { headers } = await send(HIT, { 'x-forwarded-for': forwarded }, { remoteAddress: '127.0.0.1' });

      expect(headers['hitherto-dropped']).toBe('excluded_ip');
    },
  );
});

test('a hit whose client has reset its connection counts, and nothing is logged', async () => {
  for (const trustedProxies of [[], ['127.0.0.0/8']]) {
    const { app, hits, lines } = await serveCollector({ isLimited: true, trustedProxies });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    lines.length = 0;
    // As after a reset, which cannot be timed.
    app.server.prependListener('request', ({ socket }) => {
      Object.defineProperty(socket, 'remoteAddress', { value: undefined });
    });

    const { status } = await fetch(`${address}/hits`, {
      method: 'POST',
      body: JSON.stringify(HIT),
      headers: { ...BROWSER, 'x-forwarded-for': '10.1.2.3' },
    });

    expect([status, hits.stored.length, lines]).toEqual([202, 1, []]);
  }
});
