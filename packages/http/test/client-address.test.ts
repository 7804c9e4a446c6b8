import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientNetwork, readAddress, trustProxies } from '../src/limits/client-address.ts';

describe('an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7'],
    ['[203.0.113.7]:80', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::FFFF:cb00:7107]:443', '203.0.113.7'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
  ])('%j is %s', (text, address) => {
    expect(readAddress(text)).toBe(address);
  });

  test.each(['', 'unknown', '_hidden', '203.0.113', '203.0.113.7:x', '203.0.113.07', '[2001:db8::1', 'localhost:80'])(
    '%j is not an address',
    (text) => {
      expect(readAddress(text)).toBeUndefined();
    },
  );

  test('is not known once the client has reset its connection', () => {
    expect(readAddress(undefined)).toBeUndefined();
    expect(clientNetwork(undefined)).toBe('');
    expect(trustProxies(['127.0.0.0/8'])(undefined)).toBe(false);
  });

  test('that was read reads as itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = readAddress(text);
        expect(address).toBeDefined();
        expect(readAddress(address ?? '')).toBe(address);
        expect(readAddress(`[${text}]:1`)).toBe(address);
      }),
    );
  });
});

describe('the network of a client', () => {
  test.each([
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.7', '203.0.113.7:80'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::'],
    ['2001:db8:1:2::1', '[2001:db8:1:2::9]:80'],
  ])('of %s is that of %s', (one, other) => {
    expect(clientNetwork(one)).toBe(clientNetwork(other));
  });

  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ])('of %s is not that of %s', (one, other) => {
    expect(clientNetwork(one)).not.toBe(clientNetwork(other));
  });
});

describe('proxies', () => {
  const isTrusted = trustProxies(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', '::ffff:192.0.2.0/120']);

  test.each([
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '10.1.2.3:5555',
    '[2001:db8::1]:80',
    '192.0.2.9',
    '2001:DB8:FFFF::%eth0',
  ])('%s is trusted', (address) => {
    expect(isTrusted(address)).toBe(true);
  });

  test.each(['127.0.0.2', '11.0.0.1', '2001:db9::1', '192.0.3.9', 'unknown', ''])('%j is not trusted', (address) => {
    expect(isTrusted(address)).toBe(false);
  });
});
