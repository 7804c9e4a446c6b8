import { describe, expect, test } from 'vitest';
import { readWebsiteUrl } from '../src/websites/website-url.ts';

const LONGEST_LABEL = 'a'.repeat(63);
const LONGEST_HOST = `${LONGEST_LABEL}.${LONGEST_LABEL}.${LONGEST_LABEL}.${'b'.repeat(61)}`;

/** What is rejected with `invalid_url`. */
const REFUSED: Record<string, string[]> = {
  'a missing scheme': ['example.com', '//example.com', 'example.com:80', '/a', 'x', 'www.example.com/https://a.b'],
  'another scheme': [
    'ftp://example.com',
    'javascript:alert(1)',
    'data:text/html,a',
    'ws://a.b',
    'httpſ://a.b',
    'https+x://a',
  ],
  'a url that is not absolute': [
    'https:example.com',
    'https:/example.com',
    'https://',
    'https:///example.com',
    'https://:80',
  ],
  'user info': [
    'https://me@example.com',
    'https://me:secret@example.com',
    'https://@example.com',
    'https://:@a.b',
    'https://a:80@b.c',
    'https://me@[::1]',
  ],
  'a query or fragment even when empty': [
    'https://a.b/?c=d',
    'https://a.b?',
    'https://a.b/?',
    'https://a.b/#c',
    'https://a.b#',
    'https://a.b/c?#',
  ],
  backslashes: ['https://a.b\\c', 'https:\\\\a.b', 'https://a.b/c\\d'],
  blanks: [
    ' https://a.b',
    'https://a.b ',
    'https://a.b/c d',
    'https://a b.c',
    'https://a.b/\u00a0',
    'https://a\u3000b',
    '\ufeffhttps://a.b',
    'https://a.b/\u2028',
  ],
  'control characters': [
    'https://a.b/\0',
    'https://a\tb.c',
    'https://a.b\n',
    '\rhttps://a.b',
    'https://a.b/\u007f',
    'https://a.b/\u0085',
    '\u0001https://a.b',
  ],
  'lone surrogates': ['https://a.b/\ud800', 'https://a.b/\udc00\ud800', 'https://a\ud83eb'],
  'percent-encoded hosts': [
    'https://%65xample.com',
    'https://a%2eb',
    'https://caf%C3%A9.example',
    'https://a%00b',
    'https://[::1%25eth0]',
    'https://a%',
  ],
  'other spellings of IPv4': [
    'http://127.1',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://0177.0.0.1',
    'http://01.02.03.04',
    'http://1.2.3',
    'http://1.2.3.4.',
    'http://１２７.０.０.１',
    'http://1。2。3。4',
    'http://0x7f000001',
    'http://1.2.3.4.5',
    'http://256.1.1.1',
    'http://a.1',
    'http://1.2.3.0x4',
    'http://0',
  ],
  'a bad IPv6': [
    'http://[::1',
    'http://::1',
    'http://[]',
    'http://[1::2::3]',
    'http://[::12345]',
    'http://[::1%eth0]',
    'http://[::1]a',
    'http://[::1].',
    'http://[v1.a]',
    'http://[1.2.3.4]',
    'http://[::256.1.1.1]',
    'http://a[::1]',
  ],
  'a bad host name': [
    'https://a..b',
    'https://.a',
    'https://a..',
    'https://.',
    'https://-a.b',
    'https://a-.b',
    'https://a!b',
    'https://a*b',
    'https://a,b',
    'https://$a',
    "https://a'b",
    'https://(a)',
    'https://a<b',
    'https://a|b',
    'https://a^b',
    'https://\u0301a.b',
    'https://xn--.b',
    `https://${'a'.repeat(64)}`,
    `https://${LONGEST_HOST}c`,
    `https://${'é'.repeat(60)}.${'例'.repeat(60)}`,
  ],
  'characters that would vanish from the host': [
    'https://a\u00adb',
    'https://a\u200bb',
    'https://a\u2060b',
    'https://a\u180eb',
    'https://\u00ad',
    'https://a\u200db',
    'https://a\u{e0100}b',
    'https://a\ufe0f.b',
    'https://\ufe0f.b',
    'https://1\ufe0f.b',
    'https://❤\ufe0f\ufe0f.b',
  ],
  'a bad port': [
    'https://a:0',
    'https://a:65536',
    'https://a:',
    'https://a:/b',
    'https://a:080',
    'https://a:+80',
    'https://a:8e1',
    'https://a:80:81',
    'https://a:b',
    'https://a:-1',
    'https://a:１',
    'https://[::1]:',
    'https://a:99999999999999999999',
  ],
};

const read = (sent: string) => {
  const result = readWebsiteUrl(sent);
  return 'url' in result ? result.url : result.fault.code;
};

describe.each(Object.entries(REFUSED))('readWebsiteUrl rejects %s', (_, cases) => {
  test.each(cases)('%j', (sent) => {
    expect(read(sent)).toBe('invalid_url');
  });
});

describe('readWebsiteUrl', () => {
  test('rejects an empty url, which cannot be cleared', () => {
    expect(read('')).toBe('required');
  });

  test('rejects more than 2,048 bytes as sent', () => {
    expect(read(`https://example.com/${'a'.repeat(2029)}`)).toBe('too_long');
    expect(read(`https://example.com/${'é'.repeat(1015)}`)).toBe('too_long');
    expect(read(`https://example.com${'/'.repeat(2030)}`)).toBe('too_long');
  });

  test('rejects more than 2,048 bytes in normal form', () => {
    const shortAsSent = `https://example.com/${'é'.repeat(400)}`;

    expect(read(shortAsSent)).toBe('too_long');
  });

  test('gives a hint if the scheme is missing', () => {
    const result = readWebsiteUrl('example.com');

    expect(result).toMatchObject({ fault: { code: 'invalid_url', detail: expect.stringContaining('https://') } });
  });

  test('never repeats the offending value', () => {
    for (const sent of Object.values(REFUSED).flat()) {
      const result = readWebsiteUrl(`${sent}/hush-hush`);

      expect(JSON.stringify(result)).not.toContain('hush');
    }
  });
});
