import ipaddr from 'ipaddr.js';
import { readClientAddress, readIpAddress } from '../base/ip-address.ts';

/** Global unicast IPv6 (RFC 4291, section 2.4); all else is special, IPv4 within IPv6 included. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Special networks that ipaddr.js counts as unicast, or as unicast in some versions, and 168.63.129.16, where Azure's platform
 * answers its virtual machines.
 */
const SPECIAL = [
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '2001::/23',
  '2002::/16',
  '3fff::/20',
].map((network) => ipaddr.parseCIDR(network));
/** A machine has all addresses of such a network, or shares it with its neighbours. */
const OWN_IPV6_BITS = 64;

/**
 * Whether an address must not be reached by requests to URLs that others choose: loopback, private, shared, link-local,
 * multicast, documentation, benchmark and other special ranges, IPv4 within IPv6, and the machine's own addresses with their
 * IPv6 networks; unless one of the allowed networks contains it, such as `10.0.0.0/8`. Any other string counts as private.
 *
 * @param own the addresses of the machine's network interfaces
 */
export function isPrivateAddress(text: string, allowed: readonly string[], own: readonly string[]): boolean {
  const address = readIpAddress(text);
  if (address === undefined) return true;
  if (allowed.some((network) => isIn(address, networkOf(network)))) return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return true;
  if (address.range() !== 'unicast' || SPECIAL.some((network) => isIn(address, network))) return true;
  return own.some((each) => isIn(address, ownNetworkOf(each)));
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function networkOf(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Interfaces may have zone ids, and IPv4 addresses in the mapped form. */
function ownNetworkOf(text: string): [Address, number] | undefined {
  const address = readClientAddress(text.replace(/%.*$/, ''));
  return address && [address, address.kind() === 'ipv4' ? 32 : OWN_IPV6_BITS];
}

function isIn(address: Address, network: [Address, number] | undefined): boolean {
  return network !== undefined && address.kind() === network[0].kind() && address.match(network);
}
