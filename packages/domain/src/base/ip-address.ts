import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Reads an IPv4 or IPv6 address, or returns `undefined`. Node's own checks are as strict as needed (no leading zeros, no
 * ports or brackets) except for zone ids, which are rejected.
 */
export function readIpAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  if (isIPv6(text) && !text.includes('%')) return ipaddr.IPv6.parse(inHex(text));
  return undefined;
}

/** As {@link readIpAddress}; an IPv4-mapped IPv6 address is read as the IPv4 address that it stands for. */
export function readClientAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = readIpAddress(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Writes an address in normal form: IPv4-mapped IPv6 as IPv4, other IPv6 as in RFC 5952 and without zone id, which is
 * meaningful only on the sender's machine. `undefined` for anything else.
 */
export function normalizeClientAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const address = readClientAddress(text.replace(/%.*$/, ''));
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address?.toString();
}

const LOCAL: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/** Whether an address is of a private network, so that no visitor from the Internet has it. */
export function isLocalAddress(text: string): boolean {
  return LOCAL.has(readClientAddress(text)?.range() ?? '');
}

/** An IPv4 address at the end in two groups of hex; ipaddr.js reads `::192.0.2.1` as `::ffff:192.0.2.1`. */
function inHex(text: string): string {
  const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
  return text.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a: string, b: string, c: string, d: string) => `${group(a, b)}:${group(c, d)}`,
  );
}
