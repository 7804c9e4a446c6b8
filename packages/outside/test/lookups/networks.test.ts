import type { HitLookups } from '@hitherto/domain/hits';
import { beforeAll, describe, expect, test } from 'vitest';
import { linesOfList } from '../../src/lookups/lists.ts';
import { loadNetworks, networksIn } from '../../src/lookups/networks.ts';

describe('the network of an address', () => {
  let networkOf: HitLookups['networkOf'];
  beforeAll(async () => {
    networkOf = await loadNetworks();
  });

  test.each([
    ['a cloud', '52.95.110.1', 'hosting'],
    ['a company that rents out servers', '88.198.4.4', 'hosting'],
    ['its IPv6 address', '2a01:4f8:c0c:1::1', 'hosting'],
    ['its address within IPv6', '::ffff:88.198.4.4', 'hosting'],
    ['an access provider', '79.192.0.1', null],
    ['an access provider by IPv6', '2003:e5::1', null],
    ['a loopback address', '127.0.0.1', null],
    ['the last address', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
    ['an address with a port', '88.198.4.4:443', null],
    ['no text', '', null],
  ])('%s: %s', (_kind, ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });

  test('is that of its range, from the first address to the last', async () => {
    const ranges = (await linesOfList('hosting-ranges.txt')).filter((range) => range.indexOf(' ') === 8);
    const at = (digits: string, offset: number) => {
      const number = Buffer.alloc(4);
      number.writeUInt32BE(Number.parseInt(digits, 16) + offset);
      return networkOf(number.join('.'));
    };

    for (const [first = '', last = ''] of ranges
      .filter((_, index) => index % 500 === 0)
      .map((range) => range.split(' '))) {
      expect([at(first, -1), at(first, 0), at(last, 0), at(last, 1)]).toEqual([null, 'hosting', 'hosting', null]);
    }
  });
});

test('the ranges are in order, and none touches the next', async () => {
  for (const digits of [8, 16]) {
    const ends = (await linesOfList('hosting-ranges.txt'))
      .map((range) => range.split(' '))
      .filter(([first]) => first?.length === digits)
      .flatMap(([first, last]) => [BigInt(`0x${first}`), BigInt(`0x${last}`) + 1n]);

    expect(ends.length).toBeGreaterThan(1_000);
    expect(ends.findIndex((end, index) => index > 0 && end <= (ends[index - 1] ?? 0n))).toBe(-1);
  }
});

describe('with files of autonomous systems, the network', () => {
  test.each([
    ['as MaxMind writes it', { autonomous_system_number: 24940 }, 'hosting'],
    ['as a string', { asn: 'AS24940', country: 'Germany' }, 'hosting'],
    ['of an access provider', { autonomous_system_number: 3320 }, null],
    ['of a file of countries', { country: { iso_code: 'DE' } }, null],
    ['of another kind', { asn: { number: 24940 } }, null],
    ['that is missing', null, null],
  ])('is read from a record %s', async (_kind, record, network) => {
    expect((await networksIn([() => record]))('192.0.2.1')).toBe(network);
  });

  test('is that of any file', async () => {
    const networkOf = await networksIn([() => ({ country: 'DE' }), () => ({ autonomous_system_number: 24940 })]);

    expect(networkOf('192.0.2.1')).toBe('hosting');
  });
});
