import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExcludedNetworks } from '../../src/hits/excluded-networks.ts';
import { readSetting } from '../../src/websites/settings.ts';

const lineOf = (entries: readonly string[], ip: string) => compileExcludedNetworks(entries)?.(ip)?.line;

describe('excluded networks', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.7', '::FFFF:CB00:7107'],
    ['203.0.113.7', '0:0:0:0:0:ffff:203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.255'],
    ['203.0.113.128/25', '::ffff:203.0.113.128'],
    ['2001:db8::1', '2001:DB8:0:0::1'],
    ['2001:db8::/32', '2001:db8:ffff::203.0.113.7'],
  ])('%s excludes %s', (entry, ip) => {
    expect(lineOf([entry], ip)).toBe(1);
  });

  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['203.0.113.128/25', '203.0.113.127'],
    ['2001:db8::1', '2001:db8::2'],
    ['2001:db8::/32', '2001:db9::'],
    ['::1', '0.0.0.1'],
    ['0.0.0.1', '::1'],
    ['203.0.113.7', 'nonsense'],
    ['203.0.113.7', ''],
  ])('%s does not exclude %s', (entry, ip) => {
    expect(lineOf([entry], ip)).toBeUndefined();
  });

  test('the first of several matching lines is returned as stored', () => {
    const find = compileExcludedNetworks(['2001:db8::/32', '203.0.113.0/24', '203.0.113.9', '203.0.0.0/16']);

    expect(find?.('203.0.113.9')).toEqual({ line: 2, entry: '203.0.113.0/24' });
  });

  test('agrees with the block list of Node', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const textOf = (family: 'ipv4' | 'ipv6', address: Uint8Array) =>
      family === 'ipv4'
        ? address.slice(0, 4).join('.')
        : `2${Buffer.from(address).toString('hex').slice(1)}`.replace(/(.{4})(?!$)/g, '$1:');
    const cases = fc.record({
      family: fc.constantFrom('ipv4' as const, 'ipv6' as const),
      networks: fc.array(fc.record({ address: bytes, length: fc.integer({ min: 1, max: 32 }) }), { maxLength: 5 }),
      ip: bytes,
    });

    fc.assert(
      fc.property(cases, ({ family, networks, ip }) => {
        const list = new BlockList();
        for (const { address, length } of networks) list.addSubnet(textOf(family, address), length, family);
        const lines = networks.map(({ address, length }) => `${textOf(family, address)}/${length}`);

        const line = lineOf(readSetting('excludedIps', lines).value, textOf(family, ip));

        expect(line !== undefined).toBe(list.check(textOf(family, ip), family));
      }),
    );
  });

  test('a lookup among 1,000 networks takes less than 0.1 ms', () => {
    const lines = Array.from(
      { length: 1000 },
      (_, index) => `10.${index >> 4}.${(index & 15) << 4}.0/${20 + (index % 9)}`,
    );
    const find = compileExcludedNetworks(lines);
    const start = process.cpuUsage();

    for (let round = 0; round < 10_000; round += 1) find?.('203.0.113.7');

    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1000);
  });
});
