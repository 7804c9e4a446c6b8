import { createHmac } from 'node:crypto';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readClientAddress } from '../../ip-address.ts';
import type { Hit } from '../hit.ts';

/**
 * Identifies a device on one day: HMAC-SHA256 over website, client address and user agent, or over what a server
 * identifies its visitor by, keyed by the day's salt and truncated to 64 bits (statistics.md, section 1). It cannot be
 * computed again once the salt is deleted.
 */
export function visitorOf(salt: Uint8Array, websiteId: string, hit: Pick<Hit, 'ip' | 'userAgent' | 'visitor'>): bigint {
  const identity =
    hit.visitor === undefined ? ['device', networkOf(hit.ip ?? ''), hit.userAgent ?? ''] : ['server', hit.visitor];
  const text = JSON.stringify([websiteId, ...identity]);
  // Text is quicker to get out of the crypto module than a buffer.
  return BigInt(`0x${createHmac('sha256', salt).update(text).digest('hex').slice(0, 16)}`);
}

/** An IPv4 address unchanged, or the /64 of an IPv6 address, whose other half a device changes at will. */
function networkOf(ip: string): string {
  // Most addresses are IPv4, and parsing them would cost as much as all the rest.
  if (isIPv4(ip)) return ip;
  const address = readClientAddress(ip);
  if (address === undefined) return ip;
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
