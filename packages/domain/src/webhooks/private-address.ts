import ipaddr from 'ipaddr.js';
import { readIpAddress } from '../ip-address.ts';

/** Global unicast IPv6 (RFC 4291, section 2.4); all else is special, IPv4 within IPv6 included. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Special networks that ipaddr.js counts as unicast, or as unicast in some versions. */
const SPECIAL = ['192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '2001::/23', '2002::/16', '3fff::/20'].map(
  (network) => ipaddr.parseCIDR(network),
);

/**
 * Whether an address must not be reached by requests to URLs that others choose: loopback, private, shared, link-local,
 * multicast, documentation, benchmark and other special ranges, and IPv4 within IPv6; unless one of the networks contains it,
 * such as `10.0.0.0/8`. Any other string counts as private.
 */
export function isPrivateAddress(text: string, allowed: readonly string[]): boolean {
  const address = readIpAddress(text);
  if (address === undefined) return true;
  if (allowed.some((network) => isIn(address, networkOf(network)))) return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return true;
  return address.range() !== 'unicast' || SPECIAL.some((network) => isIn(address, network));
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function networkOf(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isIn(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match([network, bits]);
}
