import type { LogRequest } from '@hitherto/domain/imports';
import { NO_REQUEST } from '@hitherto/domain/imports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLogFormat, logFormat } from '../../src/logs/index.ts';
import { CLOUDFRONT_HEADER, FIREFOX, SAMPLES } from './samples.ts';

const sample = (name: string) => SAMPLES[name] ?? '';
const read = (format: string, line: string) => logFormat(format, [line]).read(line);
/** The request of a line that has one. */
function requestOf(format: string, line: string): LogRequest {
  const request = read(format, line);
  if (request === undefined || request === NO_REQUEST) throw new Error(`No request: ${line}`);
  return request;
}
const REQUEST = { method: 'GET', target: '/prices?page=2', status: 200, ip: '198.51.100.7' };
const FROM = { ...REQUEST, userAgent: FIREFOX, referrer: 'https://other.example/a' };
const NOON = new Date('2026-11-20T11:59:30.000Z');

describe('a line of', () => {
  test.each([
    ['common', { ...REQUEST, time: NOON }],
    ['combined', { ...FROM, time: NOON }],
    ['vhost_combined', { ...FROM, time: NOON, host: 'example.com' }],
    ['traefik', { ...FROM, time: NOON }],
    [
      'caddy',
      {
        ...FROM,
        time: new Date('2026-11-20T11:59:30.250Z'),
        host: 'example.com',
        language: 'de-DE,de;q=0.9',
        contentType: 'text/html; charset=utf-8',
      },
    ],
    [
      'traefik JSON',
      { ...FROM, time: new Date('2026-11-20T11:59:30.250Z'), host: 'example.com', contentType: 'text/html' },
    ],
    ['cloudfront', { ...FROM, time: NOON, host: 'example.com' }],
  ])('%s has its request', (name, request) => {
    expect(read(name.split(' ')[0] ?? '', sample(name))).toEqual(request);
  });
});

describe('Apache and nginx', () => {
  const line = (request: string, more = '') =>
    `2001:db8::7 - - [20/Nov/2026:11:59:30 +0000] "${request}" 200 12 "-" "-"${more}`;

  test('may have further fields behind', () => {
    expect(requestOf('combined', line('GET /a HTTP/1.1', ' 0.004 "upstream" ctx=1')).target).toBe('/a');
    expect(requestOf('common', sample('combined')).userAgent).toBeUndefined();
  });

  test('have IPv6 addresses, and a hyphen for nothing', () => {
    const request = requestOf('combined', line('GET /a HTTP/1.1'));

    expect([request.ip, request.referrer, request.userAgent]).toEqual(['2001:db8::7', undefined, undefined]);
    expect(findLogFormat([line('GET /a HTTP/1.1')])?.format).toBe('combined');
  });

  test('escape bytes and quotes', () => {
    const agent = String.raw`a\x22b\"c\\d \xC3\xA9\x09\t`;
    const text = `192.0.2.1 - - [20/Nov/2026:11:59:30 +0000] "GET /\\xC3\\xBCber HTTP/1.1" 200 1 "-" "${agent}"`;

    const { target, userAgent } = requestOf('combined', text);

    expect([target, userAgent]).toEqual(['/über', 'a"b"c\\d é\t\t']);
  });

  test.each([
    ['-'],
    [''],
    [String.raw`\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03`],
    [String.raw`\x00\x9B"`.replace('"', '\\"')],
    ['t3 12.2.1'],
  ])('have odd requests, which are read and are not a GET: %s', (request) => {
    expect(requestOf('combined', line(request)).method).not.toBe('GET');
  });

  test('have whole addresses, spaces in paths, and requests without a version', () => {
    expect(requestOf('combined', line('GET http://example.com/a HTTP/1.1')).target).toBe('http://example.com/a');
    expect(requestOf('combined', line('GET /a b HTTP/1.1')).target).toBe('/a b');
    expect(requestOf('combined', line('GET /a')).target).toBe('/a');
  });

  test('have user names with spaces', () => {
    const text = '192.0.2.1 - john doe [20/Nov/2026:11:59:30 +0000] "GET /a HTTP/1.1" 200 1 "-" "x"';

    expect(requestOf('combined', text)).toMatchObject({ ip: '192.0.2.1', target: '/a' });
  });

  test.each([
    ['20/Nov/2026:12:59:30 +0100', '2026-11-20T11:59:30.000Z'],
    ['20/Nov/2026:06:29:30 -0530', '2026-11-20T11:59:30.000Z'],
    ['29/Feb/2028:00:00:00 +0000', '2028-02-29T00:00:00.000Z'],
  ])('have times with an offset: %s', (time, expected) => {
    const { time: found } = requestOf('common', `192.0.2.1 - - [${time}] "GET / HTTP/1.1" 200 1`);

    expect(found.toISOString()).toBe(expected);
  });

  test.each([
    '192.0.2.1 - - [20/Foo/2026:12:59:30 +0100] "GET / HTTP/1.1" 200 1',
    '192.0.2.1 - - [] "GET / HTTP/1.1" 200 1',
    '192.0.2.1 - - [20/Nov/2026:12:59:30 +0100] "GET / HTTP/1.1" abc 1',
    '192.0.2.1 - - [20/Nov/2026:12:59:30 +0100] "GET / HT',
    'completely different',
    '{"a":1}',
  ])('cannot be read if faulty: %s', (line) => {
    expect(read('common', line)).toBeUndefined();
  });

  test('name the host and its port, also in brackets', () => {
    const host = (name: string) =>
      requestOf('vhost_combined', sample('vhost_combined').replace('example.com', name)).host;

    expect([host('xn--bcher-kva.example'), host('[2001:db8::1]')]).toEqual(['xn--bcher-kva.example', '[2001:db8::1]']);
  });
});

describe('a pattern', () => {
  test('takes the directives of Apache', () => {
    const pattern = '%V %{X-Forwarded-For}i %{%Y-%m-%dT%H:%M:%S%z}t %m %U%q %>s %Dus "%{Content-Type}o" 100%%';
    const line =
      'example.com 198.51.100.7,10.0.0.1 2026-11-20T12:59:30+0100 GET /prices?page=2 200 81us "text/html" 100%';

    expect(read(pattern, line)).toEqual({
      ...REQUEST,
      time: NOON,
      host: 'example.com',
      contentType: 'text/html',
    });
  });

  test('takes times in seconds, milliseconds and microseconds', () => {
    for (const [unit, text] of [
      ['sec', '1795175970'],
      ['msec', '1795175970000'],
      ['usec', '1795175970000000'],
    ]) {
      expect(requestOf(`%{${unit}}t "%r"`, `${text} "GET / HTTP/1.1"`).time).toEqual(NOON);
    }
  });

  test('needs a time and a request', () => {
    expect(() => logFormat('%h "%r"', [])).toThrow(new RangeError('The pattern has no time (%t).'));
    expect(() => logFormat('%h %t', [])).toThrow(/no request/);
  });
});

describe('JSON', () => {
  test('has members by name and by path; GET and 200 are the defaults', () => {
    const line = JSON.stringify({
      http: { 'url.path': '/a' },
      '@timestamp': '2026-11-20T11:59:30Z',
      from: '192.0.2.1',
    });

    expect(requestOf('json:path=http.url.path,time=@timestamp,ip=from', line)).toMatchObject({
      method: 'GET',
      target: '/a',
      status: 200,
      ip: '192.0.2.1',
      time: NOON,
    });
  });

  test.each([
    [1795175970, NOON],
    ['1795175970', NOON],
    [1795175970.25, new Date(NOON.getTime() + 250)],
    [1795175970000, NOON],
    [1795175970000000, NOON],
    [1795175970000000000, NOON],
    ['2026-11-20T12:59:30.25+01:00', new Date(NOON.getTime() + 250)],
    ['2026/11/20 11:59:30', NOON],
    ['20/Nov/2026:11:59:30 +0000', NOON],
    ['20/Nov/2026 11:59:30 +0000', NOON],
  ])('has times as %j', (time, expected) => {
    expect(requestOf('json:path=p,time=t', JSON.stringify({ p: '/', t: time })).time).toEqual(expected);
  });

  test('of other programs and messages are not requests', () => {
    expect(read('caddy', '{"level":"info","ts":1,"msg":"serving initial configuration"}')).toBe(NO_REQUEST);
    expect(read('caddy', '')).toBe(NO_REQUEST);
    expect(read('caddy', '{"level":')).toBeUndefined();
    expect(read('caddy', '[1]')).toBeUndefined();
    expect(read('caddy', '{"request":{"uri":"/"},"ts":"never"}')).toBeUndefined();
  });

  test('of old versions of Caddy names the client with its port', () => {
    const old = { ts: 1795175970, status: 200, request: { uri: '/', remote_addr: '[2001:db8::7]:41342' } };

    expect(requestOf('caddy', JSON.stringify(old)).ip).toBe('2001:db8::7');
  });

  test('names faults of the notation', () => {
    expect(() => logFormat('json:path=p', [])).toThrow(new RangeError('The format lacks time=FIELD.'));
    expect(() => logFormat('json:path=p,tim=t', [])).toThrow(/"tim=t" is none of time=FIELD, path=FIELD/);
  });
});

describe('CloudFront', () => {
  test('names its columns in the file, in any order', () => {
    const { read: readLine } = logFormat('cloudfront', []);
    readLine('#Version: 1.0');
    readLine('#Fields: time date cs-uri-stem cs-method sc-status');

    expect(readLine('11:59:30\t2026-11-20\t/a\tGET\t304')).toMatchObject({ target: '/a', status: 304, time: NOON });
  });

  test('has 000 as status where the client went away', () => {
    expect(requestOf('cloudfront', sample('cloudfront').replace('\t200\t', '\t000\t')).status).toBe(0);
  });

  test('also comes as JSON', () => {
    const line = JSON.stringify({
      date: '2026-11-20',
      time: '11:59:30',
      'c-ip': '198.51.100.7',
      'cs-method': 'GET',
      'cs-uri-stem': '/prices',
      'cs-uri-query': 'page=2',
      'sc-status': '200',
      'x-host-header': 'example.com',
      'cs(User-Agent)': encodeURIComponent(encodeURIComponent(FIREFOX)),
      'cs(Referer)': '-',
    });

    expect(requestOf('cloudfront', line)).toMatchObject({ ...REQUEST, time: NOON, userAgent: FIREFOX });
  });
});

describe('the format of a log', () => {
  test.each(Object.entries(SAMPLES))('is found: %s', (name, line) => {
    const lines = name === 'cloudfront' ? [...CLOUDFRONT_HEADER, line] : [line];

    expect(findLogFormat(lines)?.read(line)).toEqual(read(name.split(' ')[0] ?? '', line));
  });

  test('is found among odd lines and messages', () => {
    const odd = ['', 'nginx: message', '198.51.100.7 - - [20/Nov/2026:12:59:30 +0100] "-" 400 0 "-" "-"'];

    expect(findLogFormat([...odd, sample('combined'), sample('combined')])?.format).toBe('combined');
  });

  test('is that of most lines', () => {
    expect(findLogFormat([sample('common'), sample('caddy'), sample('caddy')])?.format).toBe('caddy');
  });

  test('is not found in other texts', () => {
    for (const lines of [[], [''], ['# comment'], ['a,b,c', '1,2,3'], ['{"a":1}'], ['\u0016\u0003\u0001']]) {
      expect(findLogFormat(lines)).toBeUndefined();
    }
  });

  test('has to be known', () => {
    expect(() => logFormat('combind', [])).toThrow(
      /There is no format "combind"\. Formats are cloudfront, caddy.* json:path=FIELD,time=FIELD/,
    );
  });
});

describe('whatever a client sends', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => !/[\n\r]/.test(text));
  const escaped = (text: string) =>
    Array.from(Buffer.from(text), (byte) =>
      byte < 32 || byte > 126 || byte === 34 || byte === 92
        ? `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte),
    ).join('');
  const stored = (text: string) => (text === '' || text === '-' ? undefined : Buffer.from(text).toString());

  test('the escapes of a line give it back', () => {
    fc.assert(
      fc.property(texts, texts, (agent, referrer) => {
        const line = `192.0.2.1 - - [20/Nov/2026:11:59:30 +0000] "GET /a HTTP/1.1" 200 1 "${escaped(referrer)}" "${escaped(agent)}"`;

        const request = requestOf('combined', line);

        expect([request.userAgent, request.referrer]).toEqual([stored(agent), stored(referrer)]);
      }),
    );
  });

  test('no line ends a reader, whatever its format', () => {
    const formats = ['combined', 'common', 'vhost_combined', 'caddy', 'traefik', 'cloudfront', 'json:path=a,time=b'];
    const mutated = fc
      .tuple(fc.constantFrom(...Object.values(SAMPLES)), fc.nat(300), texts, fc.nat(10))
      .map(([line, at, text, cut]) => line.slice(0, at) + text + line.slice(at + cut));
    fc.assert(
      fc.property(fc.oneof(texts, mutated), fc.constantFrom(...formats), (line, format) => {
        const request = read(format, line);

        if (request !== undefined && request !== NO_REQUEST) expect(request.time.getTime()).not.toBeNaN();
      }),
      { numRuns: 1_000 },
    );
  });

  test('long lines take time in proportion to their length', () => {
    const start = process.cpuUsage();
    for (const text of [
      '"'.repeat(50_000),
      '\\'.repeat(50_001),
      ' '.repeat(50_000),
      '[ '.repeat(25_000),
      '- '.repeat(25_000),
    ]) {
      const line = `192.0.2.1 - - [20/Nov/2026:11:59:30 +0000] "GET ${text}`;
      for (const format of ['combined', 'vhost_combined', 'traefik', 'common']) read(format, line);
      findLogFormat([text]);
    }

    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
  });
});
