import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Normalizes an address as connections and proxies write it: with or without port, brackets and zone id. IPv4-mapped IPv6
 * becomes IPv4, and IPv6 is written as in RFC 5952. `undefined` for anything else.
 */
export function readAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(trimmed)?.[1];
  const address = (bracketed ?? trimmed.replace(/^(\d+(?:\.\d+){3}):\d*$/, '$1')).replace(/%.*$/, '');
  if (isIP(address) === 0) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

/**
 * Decides which entries of `X-Forwarded-For` are trusted proxies, for Fastify's `trustProxy`.
 *
 * @param proxies addresses or CIDRs
 */
export function trustProxies(proxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (text) => {
    const address = readAddress(text);
    return address !== undefined && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  };
}
