import { describe, expect, test } from 'vitest';
import { listen } from './support/sockets.ts';

// api.md, "Order of checks" and "Errors", on real sockets: malformed HTTP.

const LIST = '/api/v1/websites';
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const HOST = 'Host: a.example';
const chunkedHead = (key: string, type: string) =>
  head(
    `POST ${LIST} HTTP/1.1`,
    HOST,
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    'Transfer-Encoding: chunked',
  );

describe('application/problem+json for malformed HTTP', () => {
  const malformed: [string, string | Buffer][] = [
    ['a line of nonsense', 'nonsense\r\n\r\n'],
    ['an invented method', head(`FOO ${LIST} HTTP/1.1`, HOST)],
    ['a method in lower case', head(`get ${LIST} HTTP/1.1`, HOST)],
    ['another protocol', head(`GET ${LIST} FTP/1.1`, HOST)],
    ['another version', head(`GET ${LIST} HTTP/3.0`, HOST)],
    ['no path', head('GET  HTTP/1.1', HOST)],
    ['a header without a name', head(`GET ${LIST} HTTP/1.1`, HOST, ': x')],
    ['a header without a colon', head(`GET ${LIST} HTTP/1.1`, HOST, 'nonsense')],
    ['a blank before the colon', head(`GET ${LIST} HTTP/1.1`, HOST, 'X : y')],
    ['a folded header', head(`GET ${LIST} HTTP/1.1`, HOST, 'X: y', ' z')],
    ['a NUL in a header', head(`GET ${LIST} HTTP/1.1`, HOST, 'X: \0')],
    ['a lone CR', `GET ${LIST} HTTP/1.1\r${HOST}\r\r`],
    ['the first bytes of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    [
      'Content-Length and Transfer-Encoding',
      `${head(`POST ${LIST} HTTP/1.1`, HOST, 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['two lengths', `${head(`POST ${LIST} HTTP/1.1`, HOST, 'Content-Length: 4', 'Content-Length: 5')}abcde`],
    ['a list of lengths', `${head(`POST ${LIST} HTTP/1.1`, HOST, 'Content-Length: 4, 4')}abcd`],
    ['a negative length', head(`POST ${LIST} HTTP/1.1`, HOST, 'Content-Length: -1')],
    ['a signed length', `${head(`POST ${LIST} HTTP/1.1`, HOST, 'Content-Length: +4')}abcd`],
    ['an unknown transfer coding', `${head(`POST ${LIST} HTTP/1.1`, HOST, 'Transfer-Encoding: xchunked')}0\r\n\r\n`],
    ['chunked not last', `${head(`POST ${LIST} HTTP/1.1`, HOST, 'Transfer-Encoding: chunked, gzip')}0\r\n\r\n`],
  ];

  test.each(malformed)('%s is 400, and the connection is closed', async (_name, bytes) => {
    const { exchange } = await listen();

    const { responses, closed } = await exchange(bytes);

    expect(responses.map(({ status }) => status)).toEqual([400]);
    expect(responses[0]?.problem().code).toBe('bad_request');
    expect(closed).toBe(true);
  });

  test.each([
    ['a path above it', '../x'],
    ['an escaped path above it', '..%2fx'],
    ['a name that is too long for a file', 'x'.repeat(5_000)],
    ['a NUL', '%00'],
  ])('%s below /docs/static is 404', async (_name, path) => {
    const { exchange } = await listen();

    const { responses } = await exchange(head(`GET /docs/static/${path} HTTP/1.1`, HOST, 'Connection: close'));

    expect(responses.map((response) => response.problem().code)).toEqual(['not_found']);
  });

  test('a missing, repeated or malformed Host is 400, before route and key are checked', async () => {
    const { exchange } = await listen();

    for (const lines of [
      [],
      [HOST, HOST],
      ['Host: a', 'Host: b'],
      ['Host: a b'],
      ['Host: a/b'],
      ['Host: a, b'],
      ['Host: u@a'],
      ['Host: a:x'],
    ]) {
      for (const path of [LIST, '/livez', '/nowhere']) {
        const { responses } = await exchange(head(`GET ${path} HTTP/1.1`, ...lines), 1);
        expect([lines, responses[0]?.problem().code]).toEqual([lines, 'bad_request']);
      }
    }
  });

  test('a valid Host is accepted, and HTTP/1.0 needs none', async () => {
    const { exchange } = await listen();

    for (const host of [
      'a.example',
      'a.example:80',
      '127.0.0.1:3000',
      '[::1]:3000',
      'xn--bcher-kva.example',
      'a_b',
      '',
    ]) {
      const { responses } = await exchange(head('GET /livez HTTP/1.1', `Host: ${host}`), 1);
      expect([host, responses[0]?.status]).toEqual([host, 200]);
    }
    const old = await exchange(head('GET /livez HTTP/1.0'));
    expect([old.responses[0]?.status, old.closed]).toEqual([200, true]);
  });

  test('a target in absolute form works like its path (RFC 9112, section 3.2.2)', async () => {
    const { api, exchange } = await listen();

    const good = await exchange(
      head(`GET http://b.example${LIST} HTTP/1.1`, HOST, `Authorization: Bearer ${api.key}`),
      1,
    );
    const wrong = await exchange(head(`PUT http://b.example${LIST} HTTP/1.1`, HOST), 1);

    expect([good.responses[0]?.status, wrong.responses[0]?.status]).toEqual([200, 405]);
  });

  test('a malformed chunk is 400, and nothing is stored', async () => {
    const { api, exchange } = await listen();
    const start = chunkedHead(api.key, 'application/x-www-form-urlencoded');

    const { responses, closed } = await exchange(`${start}zz\r\nurl=https://chunk.example\r\n0\r\n\r\n`);

    expect([responses.length, responses[0]?.status, closed]).toEqual([1, 400, true]);
    expect((await api.send('GET', LIST)).list().data).toEqual([]);
  });

  test('a chunked body is read, even in chunks of one byte', async () => {
    const { api, exchange } = await listen();
    const start = chunkedHead(api.key, 'application/x-www-form-urlencoded');
    const body = Buffer.from('url=https://chunk.example/é🦊');
    const chunks = Array.from(body, (_, at) =>
      Buffer.concat([Buffer.from('1\r\n'), body.subarray(at, at + 1), Buffer.from('\r\n')]),
    );

    const { responses } = await exchange([start, ...chunks, '0\r\n\r\n'], 1);

    expect(responses[0]?.website().url).toBe('https://chunk.example/%C3%A9%F0%9F%A6%8A');
  });

  test('a chunked body of more than 1 MiB is 413', async () => {
    const { api, exchange } = await listen();
    const start = chunkedHead(api.key, 'application/json');
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;

    const { responses } = await exchange([start, ...Array.from({ length: 17 }, () => chunk), '0\r\n\r\n'], 1);

    expect(responses[0]?.problem().code).toBe('payload_too_large');
  });

  test.each(['utf8', 'latin1'] as const)('raw %s in a request line is 400', async (encoding) => {
    const { api, exchange } = await listen();
    const line = Buffer.from(`GET ${LIST}?search=café HTTP/1.1\r\n`, encoding);

    const { responses } = await exchange([line, head(HOST, `Authorization: Bearer ${api.key}`)], 1);

    expect(responses[0]?.problem().code).toBe('bad_request');
  });
});

describe('Headers of more than 16 KiB are 431', () => {
  test.each([
    ['one long header', head(`GET ${LIST} HTTP/1.1`, HOST, `X: ${'x'.repeat(17_000)}`)],
    ['many short ones', head(`GET ${LIST} HTTP/1.1`, HOST, ...Array.from({ length: 3000 }, () => 'X: y'))],
    ['a long path', head(`GET ${LIST}?search=${'x'.repeat(17_000)} HTTP/1.1`, HOST)],
  ])('%s', async (_name, bytes) => {
    const { exchange } = await listen();

    const { responses } = await exchange(bytes, 1);

    expect([responses.length, responses[0]?.problem().code]).toEqual([1, 'headers_too_large']);
  });

  test('the response to a HEAD has no body', async () => {
    const { exchange } = await listen();

    const { raw } = await exchange(head(`HEAD ${LIST} HTTP/1.1`, HOST, `X: ${'x'.repeat(17_000)}`));

    expect(raw).toMatch(/^HTTP\/1\.1 431 .*\r\n\r\n$/s);
  });

  test('15 KiB are accepted', async () => {
    const { exchange } = await listen();

    const { responses } = await exchange(head('GET /livez HTTP/1.1', HOST, `X: ${'x'.repeat(15_000)}`), 1);

    expect(responses[0]?.status).toBe(200);
  });
});

describe('A request that takes too long to arrive is 408', () => {
  test('headers that never end', async () => {
    const { api, exchange } = await listen();
    api.app.server.headersTimeout = 100;

    const { responses, closed } = await exchange(`GET ${LIST} HTTP/1.1\r\n${HOST}\r\n`);

    expect([responses.length, responses[0]?.problem().code, closed]).toEqual([1, 'request_timeout', true]);
  });

  test('a body that never ends, also on a reused connection', async () => {
    const { api, exchange } = await listen();
    api.app.server.headersTimeout = 200;
    api.app.server.requestTimeout = 200;
    const authorization = `Authorization: Bearer ${api.key}`;
    const first = head(`GET ${LIST} HTTP/1.1`, HOST, authorization);
    const slow = head(
      `POST ${LIST} HTTP/1.1`,
      HOST,
      authorization,
      'Content-Type: application/json',
      'Content-Length: 9',
    );

    const alone = exchange(`${slow}{`);
    const later = exchange(`${first}${slow}{`);

    expect((await alone).responses.map(({ status }) => status)).toEqual([408]);
    expect((await later).responses.map(({ status }) => status)).toEqual([200, 408]);
  });
});

describe('on a reused connection', () => {
  test('a malformed request is 400 too', async () => {
    const { exchange } = await listen();

    const { responses, closed } = await exchange([head('GET /livez HTTP/1.1', HOST), 'nonsense\r\n\r\n']);

    expect(responses.map(({ status }) => status)).toEqual([200, 400]);
    expect(closed).toBe(true);
  });

  test('a malformed request pipelined behind a good one does not change the response to the first', async () => {
    const { api, exchange } = await listen();
    const body = 'url=https://pipelined.example';
    const create = head(
      `POST ${LIST} HTTP/1.1`,
      HOST,
      `Authorization: Bearer ${api.key}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
    );

    const { responses } = await exchange(`${create}${body}nonsense\r\n\r\n`);

    expect(responses.map(({ status }) => status)).toEqual([201, 400]);
  });
});

test.each([
  ['headers', ['Content-Type: application/json', 'Content-Type: text/plain']],
  ['charsets', ['Content-Type: application/json; charset=utf-8; charset=latin1']],
])('Two Content-Type %s are 400', async (_, lines) => {
  const { api, exchange } = await listen();

  const request = [`POST ${LIST} HTTP/1.1`, HOST, `Authorization: Bearer ${api.key}`, ...lines, 'Content-Length: 2'];
  const { responses } = await exchange(`${head(...request)}{}`, 1);

  expect(responses.map(({ status }) => status)).toEqual([400]);
});
