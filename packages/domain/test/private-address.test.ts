import { describe, expect, it } from 'vitest';
import { isPrivateAddress } from '../src/webhooks/private-address.ts';

describe('a private address', () => {
  it.each([
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1']],
    ['shared', ['100.64.0.1', '100.127.255.255']],
    ['link-local', ['169.254.169.254', 'fe80::1']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['benchmark', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
    ['of a cloud platform', ['168.63.129.16', '169.254.169.254', '100.100.100.200', 'fd00:ec2::254', '192.0.0.192']],
    ['reserved', ['192.0.0.1', '240.0.0.1', '192.88.99.1', '2001::1', '100::1', 'fec0::1']],
    ['IPv4 within IPv6: mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:a00:1']],
    ['IPv4 within IPv6: compatible', ['::127.0.0.1', '::a00:1']],
    ['IPv4 within IPv6: translated', ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '::ffff:0:7f00:1']],
    ['IPv4 within IPv6: 6to4', ['2002:7f00:1::1', '2002:a00:1::1']],
  ])('is %s', (_, addresses) => {
    for (const address of addresses) expect([address, isPrivateAddress(address, [], [])]).toEqual([address, true]);
  });

  it.each(['example.com', '127.1', '2130706433', '0x7f.0.0.1', '017700000001', '::1%eth0', '', '1.2.3.4 '])(
    'is anything that is not a plain address: %j',
    (text) => {
      expect(isPrivateAddress(text, [], [])).toBe(true);
    },
  );

  it.each(['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
    'is not one of the public internet: %s',
    (address) => {
      expect(isPrivateAddress(address, [], [])).toBe(false);
    },
  );

  it('may be reached where a network allows it, in its own notation', () => {
    expect(isPrivateAddress('10.1.2.3', ['192.168.0.1', '10.0.0.0/8'], [])).toBe(false);
    expect(isPrivateAddress('172.16.0.1', ['192.168.0.1', '10.0.0.0/8'], [])).toBe(true);
    expect(isPrivateAddress('192.168.0.1', ['192.168.0.1'], [])).toBe(false);
    expect(isPrivateAddress('192.168.0.2', ['192.168.0.1'], [])).toBe(true);
    expect(isPrivateAddress('::ffff:10.1.2.3', ['10.0.0.0/8'], [])).toBe(true);
    expect(isPrivateAddress('::1', ['::1'], [])).toBe(false);
  });

  describe('of the machine itself', () => {
    const OWN = ['127.0.0.1', '93.184.215.14', '::ffff:93.184.215.15', '2606:4700:1:2::3', 'fe80::1%eth0'];

    it.each(['93.184.215.14', '93.184.215.15', '2606:4700:1:2::3', '2606:4700:1:2:ffff::1'])(
      'is private: %s',
      (address) => {
        expect(isPrivateAddress(address, [], OWN)).toBe(true);
        expect(isPrivateAddress(address, [], [])).toBe(false);
      },
    );

    it.each(['93.184.215.13', '93.184.215.16', '2606:4700:1:1::3', '2606:4700:1:3::3'])(
      'leaves its neighbours public: %s',
      (address) => {
        expect(isPrivateAddress(address, [], OWN)).toBe(false);
      },
    );

    it('may be reached where a network allows it', () => {
      expect(isPrivateAddress('93.184.215.14', ['93.184.215.14'], OWN)).toBe(false);
      expect(isPrivateAddress('2606:4700:1:2::9', ['2606:4700:1:2::/64'], OWN)).toBe(false);
      expect(isPrivateAddress('93.184.215.14', ['93.184.215.15'], OWN)).toBe(true);
    });
  });
});
