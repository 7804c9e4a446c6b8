import { describe, expect, test } from 'vitest';
import { readSetting } from '../src/websites/settings.ts';
import { named } from './faults.ts';

const readExcludedIps = (lines: readonly string[]) => readSetting('excludedIps', lines);

const NORMAL_FORMS: Record<string, [sent: string, normal: string][]> = {
  'IPv4 and IPv6': [
    ['203.0.113.7', '203.0.113.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:db8::1', '2001:db8::1'],
    ['::', '::'],
    ['::1', '::1'],
  ],
  'either with a /prefix, host bits cleared': [
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['203.0.113.255/25', '203.0.113.128/25'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['10.255.0.0/9', '10.128.0.0/9'],
    ['2001:db8:1:2:3:4:5:6/64', '2001:db8:1:2::/64'],
    ['ffff::/1', '8000::/1'],
    ['2001:db8::ffff/127', '2001:db8::fffe/127'],
  ],
  'full-length prefixes dropped': [
    ['203.0.113.7/32', '203.0.113.7'],
    ['2001:db8::1/128', '2001:db8::1'],
  ],
  'IPv4 with trailing wildcards, as prefixes': [
    ['203.0.113.*', '203.0.113.0/24'],
    ['203.0.*.*', '203.0.0.0/16'],
    ['203.*.*.*', '203.0.0.0/8'],
    ['0.*.*.*', '0.0.0.0/8'],
  ],
  'IPv6 as in RFC 5952': [
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:ff00:0042:8329', '2001:db8::ff00:42:8329'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
    ['::203.0.113.7', '::cb00:7107'],
  ],
  '::ffff:a.b.c.d as IPv4': [
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7/128', '203.0.113.7'],
  ],
  'networks inside ::ffff:0:0/96 as IPv4 networks': [
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
    ['::ffff:203.0.113.7/97', '128.0.0.0/1'],
    ['::ffff:203.0.113.7/95', '::fffe:0:0/95'],
  ],
  trimmed: [
    ['  203.0.113.7\t', '203.0.113.7'],
    ['\u00a0::1\u3000', '::1'],
  ],
};

const REFUSED: Record<string, string[]> = {
  'leading zeros': ['203.0.113.07', '01.2.3.4', '10.0.0.0/08', '01.*.*.*', '::1/064', '00.0.0.0'],
  ports: ['203.0.113.7:80', '203.0.113.*:80', '[::1]:80'],
  brackets: ['[::1]', '[2001:db8::]/32', '[203.0.113.7]'],
  'zone ids': ['fe80::1%eth0', 'fe80::1%25eth0', 'fe80::1%eth0/64', '::1%'],
  ranges: ['203.0.113.1-203.0.113.9', '203.0.113.1-9', '203.0.113.1 203.0.113.2', '203.0.113.1,203.0.113.2'],
  names: ['localhost', 'example.com', 'é', '🦊', 'a', 'office'],
  '/0': ['0.0.0.0/0', '::/0', '203.0.113.7/0', '::ffff:0:0/96', '::ffff:203.0.113.7/96'],
  'bad prefixes': [
    '203.0.113.7/33',
    '::1/129',
    '203.0.113.7/',
    '203.0.113.7/+8',
    '203.0.113.7/8/8',
    '203.0.113.7/ 8',
    '203.0.113.7 /8',
    '203.0.113.7/255.255.255.0',
    '203.0.113.7/-1',
    '203.0.113.7/8.0',
    '203.0.113.7/٨',
    '/24',
    '::1/1e1',
  ],
  'bad wildcards': [
    '*',
    '*.*.*.*',
    '203.*',
    '203.0.*',
    '203.0.113.*.*',
    '203.*.113.*',
    '*.0.113.7',
    '203.0.113.1*',
    '203.0.113.*/24',
    '256.*.*.*',
    '2001:db8::*',
    '203.0.113.**',
    '203..*.*',
  ],
  'bad addresses': [
    '203.0.113',
    '203.0.113.256',
    '203.0.113.7.1',
    '0x7f.0.0.1',
    '2130706433',
    '１.2.3.4',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::g',
    '::1.2.3',
    '1.2.3.4::',
    '203.0.113.7\0',
    '-1.0.0.0',
    '203.0.113.7\ud800',
  ],
};

describe.each(Object.entries(NORMAL_FORMS))('readExcludedIps: %s', (_, cases) => {
  test.each(cases)('%j becomes %j, which is its own normal form', (sent, normal) => {
    expect(readExcludedIps([sent])).toEqual({ value: [normal], faults: [] });
    expect(readExcludedIps([normal])).toEqual({ value: [normal], faults: [] });
  });
});

describe.each(Object.entries(REFUSED))('readExcludedIps rejects %s', (_, cases) => {
  test.each(cases)('%j', (sent) => {
    const { value, faults } = readExcludedIps([sent]);

    expect(value).toEqual([]);
    expect(named(faults)).toEqual(['excludedIps:1 invalid_ip']);
  });
});

describe('readExcludedIps', () => {
  test('an empty list stays empty', () => {
    expect(readExcludedIps([])).toEqual({ value: [], faults: [] });
    expect(readExcludedIps([''])).toEqual({ value: [], faults: [] });
  });

  test('blank lines and duplicates are dropped, the order is kept', () => {
    const { value } = readExcludedIps([
      '::2',
      '',
      '203.0.113.9',
      ' \t',
      '203.0.113.9/32',
      '::1',
      '0::2',
      '::ffff:203.0.113.9',
    ]);

    expect(value).toEqual(['::2', '203.0.113.9', '::1']);
  });

  test('each bad line is an error of its own; its line counts from 1 in the text as sent', () => {
    const { faults } = readExcludedIps(['', '203.0.113.9', 'née', '203.0.113.9', ' ', '::1%0', 'née']);

    expect(named(faults)).toEqual(['excludedIps:3 invalid_ip', 'excludedIps:6 invalid_ip', 'excludedIps:7 invalid_ip']);
    expect(faults[0]?.detail).toBe('Line 3 is not an IP address or CIDR range.');
  });

  test('a /0 has another message than text that is not a network', () => {
    const { faults } = readExcludedIps(['::/0', 'née']);

    expect(faults[0]?.detail).not.toBe(faults[1]?.detail.replace('Line 2', 'Line 1'));
  });

  test('at most 1,000 are accepted, counted after blank lines and duplicates are dropped', () => {
    const thousand = Array.from({ length: 1000 }, (_, index) => `198.51.${index >> 8}.${index & 255}`);
    const padded = thousand.flatMap((address) => [address, '', `${address}/32`]);

    expect(readExcludedIps(padded)).toEqual({ value: thousand, faults: [] });
    expect(named(readExcludedIps([...thousand, '203.0.113.1']).faults)).toEqual(['excludedIps too_many']);
  });

  test('too many lines and bad lines are reported together', () => {
    const tooMany = Array.from({ length: 1001 }, (_, index) => `2001:db8::${index.toString(16)}`);

    expect(named(readExcludedIps(['née', ...tooMany, '203']).faults)).toEqual([
      'excludedIps too_many',
      'excludedIps:1 invalid_ip',
      'excludedIps:1003 invalid_ip',
    ]);
  });
});
