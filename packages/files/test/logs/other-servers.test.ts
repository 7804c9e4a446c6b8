import { type LogRequest, NO_REQUEST } from '@hitherto/domain/imports';
import { describe, expect, test } from 'vitest';
import { findLogFormat, logFormat } from '../../src/logs/index.ts';
import { FIREFOX } from './samples.ts';

const IP = '198.51.100.7';
const TIME = new Date('2026-11-20T10:00:00Z');
const GET = { method: 'GET', status: 200, ip: IP, time: TIME, userAgent: FIREFOX };

function lastOf(lines: readonly string[], format?: string): LogRequest | undefined {
  const found = format === undefined ? findLogFormat(lines) : logFormat(format, lines);
  const request = lines.map((line) => found?.read(line)).at(-1);
  return request === NO_REQUEST ? undefined : request;
}

describe('a log of', () => {
  test.each([
    [
      'Amazon S3',
      `79a5 www.example.com [20/Nov/2026:10:00:00 +0000] ${IP} - 3E57 WEBSITE.GET.OBJECT a "GET /a HTTP/1.1" 200 - 113 113 7 6 "-" "${FIREFOX}" -`,
      { ...GET, host: 'www.example.com', target: '/a' },
    ],
    [
      'an application load balancer of AWS',
      `h2 2026-11-20T10:00:00.000000Z app/lb/50d 198.51.100.7:2817 10.0.0.1:80 0.001 0.002 0.000 200 200 34 366 "GET https://www.example.com:443/a?b=1 HTTP/2.0" "${FIREFOX}" ECDHE TLSv1.2 arn "Root=1-5" "www.example.com" "arn" 0`,
      { ...GET, target: 'https://www.example.com:443/a?b=1', host: 'www.example.com:443' },
    ],
    [
      'a classic load balancer of AWS',
      `2026-11-20T10:00:00.000000Z lb 198.51.100.7:2817 10.0.0.1:80 0.1 0.2 0.3 200 200 0 57 "GET https://example.com:443/a HTTP/1.1" "${FIREFOX}" DHE TLSv1.2`,
      { ...GET, target: 'https://example.com:443/a', host: 'example.com:443' },
    ],
    [
      'HAProxy',
      'Nov 20 10:00:00 lb haproxy[14389]: 198.51.100.7:33317 [20/Nov/2026:10:00:00.000] in~ out/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"',
      { ...GET, userAgent: undefined, target: '/a' },
    ],
    [
      'Bunny',
      `HIT|200|1795168800000|412|7|${IP}|https://other.example/|https://example.com/a?b=1|DE|${FIREFOX}|322b|DE|99|bytes=0-9`,
      { ...GET, referrer: 'https://other.example/', target: 'https://example.com/a?b=1', host: 'example.com' },
    ],
    [
      'Gandi',
      `www.example.com ${IP} - - [20/Nov/2026:10:00:00 +0000] (0 s) "GET /a HTTP/1.1" 200 12 "-" "${FIREFOX}"`,
      { ...GET, host: 'www.example.com', target: '/a' },
    ],
    [
      'nginx in JSON',
      JSON.stringify({
        msec: '1795168800.000',
        remote_addr: IP,
        request: 'GET /a HTTP/1.1',
        status: 200,
        host: 'example.com',
        http_user_agent: FIREFOX,
        http_referer: '',
      }),
      { ...GET, host: 'example.com', target: '/a' },
    ],
    [
      'nginx in JSON, with the names that Matomo proposes',
      ` {"ip":"${IP}","host":"example.com","path":"/a","status":"200","referrer":"-","user_agent":"${FIREFOX}","length":1,"generation_time_milli":0.008,"date":"2026-11-20T11:00:00+01:00"}`,
      { ...GET, host: 'example.com', target: '/a' },
    ],
  ])('%s is recognized', (_, line, request) => {
    expect(lastOf([line, line])).toEqual({ ...request });
  });

  test('applications in JSON is not recognized', () => {
    expect(findLogFormat(['{"time":"2026-11-20T10:00:00Z","path":"/a","msg":"started"}'])).toBeUndefined();
  });
});

describe('the W3C extended format', () => {
  const AGENT = FIREFOX.replaceAll(' ', '+');
  const IIS = [
    '#Software: Microsoft Internet Information Services 10.0',
    '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus',
  ];
  const line = `2026-11-20 10:00:00 10.0.0.1 GET /a id=7&utm_source=nl 443 - ${IP} ${AGENT} https://other.example/ example.com 200 0`;

  test('of IIS has the path with its query, and agents with spaces', () => {
    expect(lastOf([...IIS, line])).toEqual({
      ...GET,
      target: '/a?id=7&utm_source=nl',
      host: 'example.com',
      referrer: 'https://other.example/',
    });
  });

  test('may have values in quotes, and local times', () => {
    const fields = '#Fields:  date-local time-local c-ip cs-method cs-uri-stem cs(User-Agent) cs(Host) sc-status ';
    const quoted = `2026-11-20 10:00:00.000 "${IP}" GET /a "${FIREFOX}" "example.com" 200`;

    expect(lastOf([fields, quoted])).toEqual({ ...GET, target: '/a', host: 'example.com' });
  });

  test('may have whole addresses, and no status of a request that was blocked', () => {
    const fields = '#Fields: date time c-ip cs(User-Agent) cs-uri cs-method cs-uri-query sc-status';
    const blocked = `"2026-11-20" "10:00:00" "${IP}" "${FIREFOX}" "www.example.com/a" "GET" "b=1" ""`;

    expect(lastOf([fields, blocked])).toMatchObject({ target: 'http://www.example.com/a?b=1', status: 0 });
  });

  test('is not recognized without its header, nor read without a status', () => {
    expect(findLogFormat([line])).toBeUndefined();
    expect(
      lastOf(['#Fields: date time c-ip cs-method cs-uri-stem', `2026-11-20 10:00:00 ${IP} GET /a`]),
    ).toBeUndefined();
  });
});

describe('a pattern', () => {
  test('has a query without a question mark', () => {
    const pattern = '%{%d/%b/%Y:%H:%M:%S %z}t %h %m %U %q %>s';
    const targetOf = (fields: string) =>
      lastOf([`20/Nov/2026:10:00:00 +0000 ${IP} GET ${fields} 200`], pattern)?.target;

    expect(targetOf('/b id=7&utm_source=nl')).toBe('/b?id=7&utm_source=nl');
    expect(targetOf('/b ?id=7')).toBe('/b?id=7');
    expect(targetOf('/default.aspx -')).toBe('/default.aspx');
  });

  test('has the first of a list of addresses outside quotes', () => {
    const pattern = '%t [client %{X-Forwarded-For}i] "%r" %>s %b';
    const addressOf = (list: string) =>
      lastOf([`[20/Nov/2026:10:00:00 +0000] [client ${list}] "GET /a HTTP/1.1" 200 4`], pattern)?.ip;

    expect(['203.0.113.9', '203.0.113.9, 10.0.0.2', '203.0.113.9,10.0.0.2'].map(addressOf)).toEqual(
      Array(3).fill('203.0.113.9'),
    );
    expect(addressOf('2001:db8::7, 10.0.0.2, 10.0.0.3')).toBe('2001:db8::7');
  });

  test('has the address of the connection where a header has none', () => {
    const pattern = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" "%{X-Forwarded-For}i"';
    const addressOf = (header: string) =>
      lastOf([`${IP} - - [20/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 4 "-" "x" "${header}"`], pattern)?.ip;

    expect(['-', 'unknown', '<script>', '203.0.113.9, 10.0.0.2'].map(addressOf)).toEqual([IP, IP, IP, '203.0.113.9']);
  });
});

describe('JSON with a whole request line', () => {
  const read = (request: string) =>
    lastOf([JSON.stringify({ t: '2026-11-20T10:00:00Z', request })], 'json:path=request,time=t');

  test('has its method and its path', () => {
    expect(read('POST /a HTTP/1.1')).toMatchObject({ method: 'POST', target: '/a' });
    expect(read('GET /a b HTTP/1.1')).toMatchObject({ method: 'GET', target: '/a b' });
    expect(read('/a b')).toMatchObject({ method: 'GET', target: '/a b' });
  });
});
