import { type LogRequest, NO_REQUEST } from '@hitherto/domain/imports';
import { describe, expect, test } from 'vitest';
import { findLogFormat, logFormat } from '../../src/logs/index.ts';
import { FIREFOX, SAMPLES } from './samples.ts';

const CRAWLER = 'Googlebot/2.1 (+http://www.google.com/bot.html)';
const commonOf = (ip: string, path = '/a') => `${ip} - - [20/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 4`;
const combinedOf = (ip: string, agent = FIREFOX) => `${commonOf(ip)} "-" "${agent}"`;

/** The requests of the lines of a log whose format is recognized; `undefined` for a line that cannot be read. */
function readAll(lines: readonly string[]): (LogRequest | undefined)[] {
  const found = findLogFormat(lines);
  if (found === undefined) throw new Error('The format is not recognized.');
  return lines.map((line) => {
    const request = found.read(line);
    return request === NO_REQUEST ? undefined : request;
  });
}

const addressesOf = (lines: readonly string[]) => readAll(lines).map((request) => request?.ip);

describe('a log with one odd line among the first hundred', () => {
  const crawlers = Array.from({ length: 99 }, (_, index) => combinedOf(`198.51.100.${index + 1}`, CRAWLER));
  const line = combinedOf('203.0.113.9');

  test.each([
    ['that ends after its size', line.slice(0, line.indexOf(' "-"'))],
    ['that ends within its referrer', line.slice(0, line.indexOf('-" "M'))],
    ['that ends within its agent', line.slice(0, -9)],
    ['with a quote in its agent that is not escaped', line.replace('X11', '"')],
  ])('%s has the agents of all other lines', (_, odd) => {
    const requests = readAll([odd, ...crawlers]);

    expect(requests.slice(1).map((request) => request?.userAgent)).toEqual(Array(99).fill(CRAWLER));
    expect(requests[0]?.userAgent).toBeUndefined();
  });

  test('may have only one other line', () => {
    expect(readAll([combinedOf('198.51.100.1', CRAWLER), commonOf('198.51.100.2')])).toMatchObject([
      { userAgent: CRAWLER },
      { ip: '198.51.100.2' },
    ]);
  });

  test('has the hosts and addresses of all other lines', () => {
    const lines = [1, 2, 3, 4].map((n) => `example.com:443 ${combinedOf(`198.51.100.${n}`)}`);

    expect(readAll([...lines, `example.com:443 ${commonOf('198.51.100.5').slice(0, -20)}`])).toMatchObject([
      { host: 'example.com', ip: '198.51.100.1' },
      { host: 'example.com', ip: '198.51.100.2' },
      { host: 'example.com', ip: '198.51.100.3' },
      { host: 'example.com', ip: '198.51.100.4' },
      undefined,
    ] as object[]);
  });

  test('may change to a format with more fields', () => {
    const agents = readAll([commonOf('198.51.100.1'), combinedOf('198.51.100.2')]).map((request) => request?.userAgent);

    expect(agents).toEqual([undefined, FIREFOX]);
  });
});

describe('a virtual host before the address', () => {
  test.each([
    ['without a port', 'www.example.com '],
    ['with one', 'www.example.com:8080 '],
  ])('%s is the host', (_, host) => {
    for (const line of [combinedOf('198.51.100.7'), commonOf('198.51.100.7'), `${commonOf('198.51.100.7')} 0.004`]) {
      expect(readAll([host + line])).toMatchObject([{ host: 'www.example.com', ip: '198.51.100.7' }]);
    }
  });

  test('may have a port in some lines only', () => {
    const requests = readAll([`example.com ${combinedOf('198.51.100.7')}`, `example.com:80 ${combinedOf('::1')}`]);

    expect(requests).toMatchObject([
      { host: 'example.com', ip: '198.51.100.7' },
      { host: 'example.com', ip: '::1' },
    ]);
  });

  test('is no address in a format without it', () => {
    for (const format of ['combined', 'common']) {
      expect(logFormat(format, []).read(`www.example.com ${combinedOf('198.51.100.7')}`)).toBeUndefined();
    }
  });

  test('is not seen in a user with a space', () => {
    const line = combinedOf('198.51.100.7').replace('- - [', '- john doe [');

    expect(readAll([line])).toMatchObject([{ ip: '198.51.100.7' }]);
    expect(readAll([line])[0]?.host).toBeUndefined();
  });
});

describe('what a collector writes before each line', () => {
  test.each([
    ['syslog', 'Nov 20 10:00:01 web01 nginx: '],
    ['syslog with a priority and a process', '<190>Nov  2 10:00:01 web01 nginx[7]: '],
    ['syslog with long times', '2026-11-20T10:00:01.123456+00:00 web01.example.com nginx: '],
    ['syslog of RFC 5424', '<190>1 2026-11-20T10:00:01Z web01 nginx 7 - - '],
    ['Docker Compose', 'web_1  | '],
    ['Docker Compose 2', 'web-1  | '],
    ['Kubernetes', '2026-11-20T10:00:01.123456789Z stdout F '],
  ])('is taken off: %s', (_, prefix) => {
    const plain = [commonOf('198.51.100.7'), combinedOf('198.51.100.8'), SAMPLES.caddy ?? ''];
    for (const line of plain) {
      const lines = [prefix + line, prefix + line];

      expect(readAll(lines)).toEqual(readAll([line, line]));
    }
    expect(logFormat('combined', [prefix + plain[1]]).read(prefix + plain[1])).toMatchObject({ ip: '198.51.100.8' });
  });

  test('may be missing in some lines', () => {
    const lines = [`web-1  | ${combinedOf('198.51.100.7')}`, `web-1  | ${commonOf('::1')}`, commonOf('198.51.100.9')];

    expect(addressesOf(lines)).toEqual(['198.51.100.7', '::1', '198.51.100.9']);
  });

  test('is part of the pattern where one is given', () => {
    const line = `web-1 | ${commonOf('198.51.100.7')}`;

    expect(logFormat('%{name}x | %h %l %u %t "%r" %>s %b', [line]).read(line)).toMatchObject({ ip: '198.51.100.7' });
  });
});

describe('a first field', () => {
  test.each([
    'Nov',
    'web_1',
    'web01',
    '"198.51.100.7',
    'www.example.com:443',
    '1.2.3',
    '198.51.100.300',
    'nginx[7]:',
    '10:00:00',
    'x'.repeat(300),
  ])('that is no address and no host name makes the line faulty: %s', (field) => {
    for (const line of [commonOf(field), combinedOf(field)]) {
      expect(findLogFormat([line])).toBeUndefined();
      expect(logFormat('combined', []).read(line)).toBeUndefined();
    }
  });

  test.each(['web01.example.com nginx: ', 'Nov 20 10:00:00 web01 nginx - '])(
    'before an address makes the line faulty: %s',
    (prefix) => {
      expect(logFormat('combined', []).read(prefix + combinedOf('198.51.100.7'))).toBeUndefined();
    },
  );

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:41342', '198.51.100.7'],
    ['[2001:db8::7]:41342', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['host-7.isp.example', 'host-7.isp.example'],
    ['localhost', 'localhost'],
    ['198.51.100.xxx', '198.51.100.xxx'],
    ['-', undefined],
    ['unix:', undefined],
  ])('may be %s', (field, ip) => {
    expect(readAll([combinedOf(field)])[0]).toMatchObject({ ip });
  });

  test('of quoted lines is no address', () => {
    expect(findLogFormat([`"${combinedOf('198.51.100.7')}"`])).toBeUndefined();
  });
});

test('a user may be empty', () => {
  expect(readAll([combinedOf('198.51.100.7').replace('- - [', '- "" [')])).toMatchObject([{ ip: '198.51.100.7' }]);
});
