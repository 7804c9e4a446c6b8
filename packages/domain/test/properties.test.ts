import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidFields } from '../src/base/errors.ts';
import { readSetting } from '../src/websites/settings.ts';
import { parseNewWebsite, parseWebsiteChanges, type WebsiteInput } from '../src/websites/website.ts';
import { addressOf, foldCase, readWebsiteUrl, searchTextOf } from '../src/websites/website-url.ts';

const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 2 ** 31));
console.info(`properties: SEED=${seed} repeats this run`);
const settings = { seed, numRuns: 3000 };

const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const words = (...texts: string[]) =>
  fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...texts) }, anyText), { maxLength: 12 })
    .map((parts) => parts.join(''));

const hosts = words(
  'a',
  'B',
  '-',
  '.',
  '_',
  'xn--',
  'é',
  'ß',
  'ẞ',
  'ς',
  'İ',
  '🦊',
  '\u200d',
  '\ufe0f',
  '\u00ad',
  '。',
  'א',
  '٣',
  '1',
  '0x',
  '127',
  '256',
  '[',
  ']',
  '::',
  '%',
  '@',
  'xn--caf-dma',
  '\u0301',
);
const paths = words(
  '/',
  '//',
  '/.',
  '/..',
  '%2e',
  '%2F',
  '%',
  '%zz',
  '%C3%A9',
  '%ff',
  'é',
  '🦊',
  '\ud83e',
  '^',
  '|',
  '"',
  '\\',
  '?',
  '#',
  ' ',
  '\0',
  '\u2028',
  ';',
  '@',
  ':',
  'A',
);
const ports = fc.constantFrom('', '', '', ':', ':80', ':443', ':0', ':65535', ':65536', ':01', ':x');
const urls = fc.oneof(
  fc
    .tuple(fc.constantFrom('https://', 'HTTP://', 'http:', 'ftp://', ''), hosts, ports, paths)
    .map((parts) => parts.join('')),
  fc.tuple(fc.domain(), ports, paths).map(([host, port, path]) => `https://${host}${port}/${path}`),
  fc.tuple(fc.ipV6(), paths).map(([host, path]) => `http://[${host}]/${path}`),
  fc.webUrl({ withFragments: false }),
  anyText,
);
const ips = fc.oneof(
  fc
    .tuple(fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), fc.integer({ min: -1, max: 130 }))
    .map(([ip, length]) => `${ip}/${length}`),
  fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6()),
  fc.ipV4().map((ip) => ip.replace(/\.\d+$/, '.*')),
  words('1', '255', '.', '*', '/', ':', '::', 'ffff', '%eth0', ' ', '0', '::ffff:'),
);
const names = words('utm_', '*', '&', '=', '#', ' ', 'é', '🦊', '\ud83e', '\t', '\n', '\u2028', '\u00a0');
const list = (line: fc.Arbitrary<string>) => fc.array(line, { maxLength: 20 });
const inputs: fc.Arbitrary<WebsiteInput> = fc.record(
  {
    url: urls,
    privacy: fc.constantFrom('public' as const, 'private' as const, 'password' as const),
    password: fc.option(words('x', '🦊', '\0', '\ud83e', 'x'.repeat(200))),
    emailReports: fc.boolean(),
    excludeBots: fc.boolean(),
    excludedParams: list(names),
    excludedIps: list(ips),
  },
  { requiredKeys: [] },
);

/** What reading returns, or `undefined` if it throws `InvalidFields`. */
function readOrRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidFields && error.faults.length > 0) return undefined;
    throw error;
  }
}

describe('canon(canon(x)) = canon(x)', () => {
  test('for urls, whose normal form is printable ASCII of at most 2,048 bytes', () => {
    fc.assert(
      fc.property(urls, (sent) => {
        const read = readWebsiteUrl(sent);
        if (!('url' in read)) return;

        expect(readWebsiteUrl(read.url)).toEqual(read);
        expect(read.url).toMatch(/^https?:\/\/[!-~]{1,2041}$/);
        expect(read.url).not.toMatch(/[?#\\]|\/$/);
        expect(read.url).not.toMatch(/\/(?:\.|%2e){1,2}(?:\/|$)/i);
        expect(addressOf(read.url)).not.toMatch(/^[^/]*[A-Z@%]/);
      }),
      settings,
    );
  });

  test.each([
    ['excludedIps', ips],
    ['excludedParams', names],
  ] as const)('for %s', (name, lines) => {
    fc.assert(
      fc.property(list(lines), (sent) => {
        const { value } = readSetting(name, sent);

        expect(readSetting(name, value)).toEqual({ value, faults: [] });
        expect(readSetting(name, value.join('\n').split(/\r\n|\n|\r/))).toEqual({ value, faults: [] });
      }),
      settings,
    );
  });
});

describe('exclude_ips', () => {
  test('every IPv6 address is written as RFC 5952 says', () => {
    fc.assert(
      fc.property(
        fc.ipV6().filter((ip) => isIPv6(ip)),
        (ip) => {
          const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);

          const { value: entries } = readSetting('excludedIps', [ip]);

          if (!/^::ffff:[^:]+:[^:]+$/.test(canonical)) expect(entries).toEqual([canonical]);
        },
      ),
      settings,
    );
  });
});

describe('reading throws nothing but InvalidFields', () => {
  test.each([
    ['parseNewWebsite', parseNewWebsite],
    ['parseWebsiteChanges', parseWebsiteChanges],
  ])('%s, and what it returns is its own normal form', (_, parse) => {
    fc.assert(
      fc.property(inputs, (input) => {
        const read = readOrRefused(() => parse(input));

        if (read !== undefined) expect(parse({ ...read })).toEqual(read);
      }),
      settings,
    );
  });
});

describe('search text', () => {
  test('every normal form of a url is found by itself', () => {
    fc.assert(
      fc.property(urls, (sent) => {
        const read = readWebsiteUrl(sent);
        if (!('url' in read)) return;

        const text = searchTextOf(read.url);

        expect(text).toContain(foldCase(read.url));
        expect(text.split('\n').length).toBeLessThan(3);
        expect(text).not.toMatch(/[\0\p{Cs}]/u);
      }),
      settings,
    );
  });

  test('folding a folded text changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldCase(foldCase(text))).toBe(foldCase(text));
      }),
      settings,
    );
  });
});
