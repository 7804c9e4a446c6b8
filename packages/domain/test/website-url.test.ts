import { describe, expect, test } from 'vitest';
import { addressOf, readWebsiteUrl } from '../src/websites/website-url.ts';

const LONGEST_LABEL = 'a'.repeat(63);
const LONGEST_HOST = `${LONGEST_LABEL}.${LONGEST_LABEL}.${LONGEST_LABEL}.${'b'.repeat(61)}`;

/** What is accepted, and its normal form. */
const ACCEPTED: Record<string, [sent: string, normal: string][]> = {
  'an absolute http or https URL': [
    ['https://example.com', 'https://example.com'],
    ['http://example.com', 'http://example.com'],
    ['https://example.com/shop/a', 'https://example.com/shop/a'],
  ],
  'host: labels of letters, digits, "_" or inner "-"': [
    ['https://a', 'https://a'],
    ['https://1a.2b.c3', 'https://1a.2b.c3'],
    ['https://_dmarc.a_b_.example', 'https://_dmarc.a_b_.example'],
    ['https://a-b--c.example', 'https://a-b--c.example'],
    [`https://${LONGEST_LABEL}.example`, `https://${LONGEST_LABEL}.example`],
    [`https://${LONGEST_HOST}`, `https://${LONGEST_HOST}`],
    [`https://${LONGEST_HOST}.`, `https://${LONGEST_HOST}`],
  ],
  'host: international names in either form': [
    ['https://café.example', 'https://xn--caf-dma.example'],
    ['https://cafe\u0301.example', 'https://xn--caf-dma.example'],
    ['https://CAFÉ.EXAMPLE', 'https://xn--caf-dma.example'],
    ['https://xn--caf-dma.example', 'https://xn--caf-dma.example'],
    ['https://XN--CAF-DMA.example', 'https://xn--caf-dma.example'],
    ['https://faß.example', 'https://xn--fa-hia.example'],
    ['https://FAẞ.example/ẞ', 'https://xn--fa-hia.example/%E1%BA%9E'],
    ['https://例え。テスト', 'https://xn--r8jz45g.xn--zckzah'],
    ['https://🦊.example', 'https://xn--9s9h.example'],
    ['https://❤️.example', 'https://xn--qei.example'],
    ['https://1️⃣.example', 'https://xn--1-2sn.example'],
    ['https://क्\u200dष.example', 'https://xn--11b2ezcw70k.example'],
    ['https://ⅷ.example', 'https://viii.example'],
  ],
  'host: a dotted-decimal IPv4': [
    ['http://203.0.113.7', 'http://203.0.113.7'],
    ['http://0.0.0.0:8080', 'http://0.0.0.0:8080'],
    ['http://255.255.255.255/a', 'http://255.255.255.255/a'],
  ],
  'host: a bracketed IPv6': [
    ['http://[2001:DB8:0:0::1]', 'http://[2001:db8::1]'],
    ['http://[::]:8080/a', 'http://[::]:8080/a'],
    ['http://[::ffff:203.0.113.7]', 'http://[::ffff:cb00:7107]'],
    ['http://[1:2:3:4:5:6:7:8]:80', 'http://[1:2:3:4:5:6:7:8]'],
  ],
  'port 1 to 65535, and no default port in the normal form': [
    ['https://example.com:1', 'https://example.com:1'],
    ['https://example.com:65535', 'https://example.com:65535'],
    ['https://example.com:443', 'https://example.com'],
    ['http://example.com:80/', 'http://example.com'],
    ['http://example.com:443', 'http://example.com:443'],
    ['https://example.com:80', 'https://example.com:80'],
  ],
  'private hosts, localhost and ports are fine': [
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://[::1]', 'http://[::1]'],
    ['http://10.0.0.1:8080/a', 'http://10.0.0.1:8080/a'],
    ['http://intranet', 'http://intranet'],
  ],
  'lower-case scheme and host; the path keeps its case': [
    ['HTTPS://EXAMPLE.com/Path', 'https://example.com/Path'],
    ['hTTp://LocalHost', 'http://localhost'],
  ],
  'no trailing dot, no trailing slashes': [
    ['https://example.com.', 'https://example.com'],
    ['https://example.com./', 'https://example.com'],
    ['https://example.com.:443/', 'https://example.com'],
    ['https://example.com////', 'https://example.com'],
    ['https://example.com/a//', 'https://example.com/a'],
    ['https://example.com//a//b//', 'https://example.com//a//b'],
  ],
  'in the path dot segments are resolved': [
    ['https://example.com/a/./b/../c', 'https://example.com/a/c'],
    ['https://example.com/../../a', 'https://example.com/a'],
    ['https://example.com/a/%2E%2e/b/%2e', 'https://example.com/b'],
    ['https://example.com/a/..//', 'https://example.com'],
    ['https://example.com//.a/.', 'https://example.com//.a'],
    ['https://example.com/.a//.b/./', 'https://example.com/.a//.b'],
    ['https://example.com//.a/b/..', 'https://example.com//.a'],
    ['https://example.com//.^/%2E', 'https://example.com//.%5E'],
    ['https://example.com/.../..a/b..', 'https://example.com/.../..a/b..'],
  ],
  'in the path non-ASCII is percent-encoded, existing escapes are kept': [
    ['https://example.com/é/🦊', 'https://example.com/%C3%A9/%F0%9F%A6%8A'],
    ['https://example.com/e\u0301', 'https://example.com/e%CC%81'],
    ['https://example.com/%c3%a9%20%41%2F', 'https://example.com/%c3%a9%20%41%2F'],
    ['https://example.com/100%/%zz/%4', 'https://example.com/100%/%zz/%4'],
    ["https://example.com/a;b=c,d!$&()*+:@'~|[]", "https://example.com/a;b=c,d!$&()*+:@'~|[]"],
    ['https://example.com/"<>`{}^', 'https://example.com/%22%3C%3E%60%7B%7D%5E'],
    ['https://example.com/user@host:80', 'https://example.com/user@host:80'],
  ],
  'at most 2,048 bytes': [[`https://example.com/${'a'.repeat(2028)}`, `https://example.com/${'a'.repeat(2028)}`]],
};

const read = (sent: string) => {
  const result = readWebsiteUrl(sent);
  return 'url' in result ? result.url : result.fault.code;
};

describe.each(Object.entries(ACCEPTED))('readWebsiteUrl accepts %s', (_, cases) => {
  test.each(cases)('%j becomes %j', (sent, normal) => {
    expect(read(sent)).toBe(normal);
  });

  test.each(cases)('the normal form of %j is its own normal form', (sent) => {
    const once = read(sent);

    expect(read(once)).toBe(once);
  });
});

describe('addressOf', () => {
  test.each([
    ['https://example.com/a', 'example.com/a'],
    ['http://[2001:db8::1]:8080', '[2001:db8::1]:8080'],
    ['https://example.com/a://b', 'example.com/a://b'],
  ])('the address of %s is %s, without the scheme', (url, address) => {
    expect(addressOf(url)).toBe(address);
  });
});
