import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { Author } from '@hitherto/domain/changes';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A longer string is never remembered, so that hostile ones cannot fill the memory. */
const MAX_ADDRESS = 64;

/**
 * Normalizes an address as connections and proxies write it: with or without port, brackets and zone id. IPv4-mapped IPv6
 * becomes IPv4, and IPv6 is written as in RFC 5952. `undefined` for anything else.
 *
 * @param text `undefined` if the client has reset its connection: then the socket no longer knows the address
 */
export function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIPv4(text)) return text;
  return clientOf(text).address;
}

/**
 * The network that a single client controls: an IPv4 address, or the /64 of an IPv6 address. Any other string is itself, and
 * an unknown address (see {@link readAddress}) is the empty string.
 */
export function clientNetwork(text: string | undefined): string {
  if (text === undefined) return '';
  if (isIPv4(text)) return text;
  return clientOf(text).network;
}

/** The clients that are remembered: a client sends several hits, and parsing IPv6 is slow. */
const clients = new LRUCache<string, Client>({ max: 10_000 });

interface Client {
  readonly address: string | undefined;
  readonly network: string;
}

function clientOf(text: string): Client {
  const known = clients.get(text);
  if (known !== undefined) return known;
  const address = parseAddress(text);
  const client =
    address instanceof ipaddr.IPv6
      ? { address: address.toRFC5952String(), network: address.parts.slice(0, 4).join(':') }
      : { address: address?.toString(), network: address?.toString() ?? text };
  if (text.length <= MAX_ADDRESS) clients.set(text, client);
  return client;
}

/** The network that an address is in, for records that must not name one client: the /24 of IPv4, the /48 of IPv6. */
function wideNetwork(text: string | undefined): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  if (address instanceof ipaddr.IPv4) return `${address.octets.slice(0, 3).join('.')}.0/24`;
  const start = new ipaddr.IPv6([...address.parts.slice(0, 3), 0, 0, 0, 0, 0]);
  return `${start.toRFC5952String()}/48`;
}

/** The request and its network, for the audit trail. */
export function auditOrigin({ id, ip }: Pick<FastifyRequest, 'id' | 'ip'>): Pick<Author, 'requestId' | 'network'> {
  return { requestId: id, network: wideNetwork(ip) ?? null };
}

/** Whether an address is a trusted proxy's. */
type TrustProxy = (address: string | undefined) => boolean;

/** The addresses of proxies that are remembered. */
const MAX_PROXIES = 1_000;

/**
 * Decides which entries of `X-Forwarded-For` are trusted proxies, for Fastify's `trustProxy`.
 *
 * @param proxies addresses or CIDRs
 */
export function trustProxies(proxies: readonly string[]): TrustProxy {
  const networks = proxies.map(readNetwork);
  const known = new LRUCache<string, boolean>({ max: MAX_PROXIES });

  function isTrusted(text: string): boolean {
    const address = parseAddress(text);
    if (address === undefined) return false;
    const mapped = inIPv6(address);
    return networks.some(({ start, bits }) => mapped.match(start, bits));
  }

  return (text) => {
    if (text === undefined) return false;
    if (text.length > MAX_ADDRESS) return isTrusted(text);
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const trusted = isTrusted(text);
    known.set(text, trusted);
    return trusted;
  };
}

/** The client's address of a request; `undefined` if the client has reset its connection. */
export type AddressOf = (request: IncomingMessage) => string | undefined;

/** Finds the addresses of clients as Fastify does. */
export function createAddressOf(trustProxy: TrustProxy | false): AddressOf {
  if (trustProxy === false) return ({ socket }) => socket.remoteAddress;
  return (request) => proxyAddr(request, trustProxy);
}

/** A network of IPv6, in which IPv4 is `::ffff:0:0/96`. */
function readNetwork(proxy: string): { readonly start: ipaddr.IPv6; readonly bits: number } {
  const [text = '', prefix] = proxy.split('/');
  const address = ipaddr.parse(text);
  const bits = prefix === undefined ? undefined : Number(prefix);
  return { start: inIPv6(address), bits: bits === undefined ? 128 : address instanceof ipaddr.IPv6 ? bits : bits + 96 };
}

/** The bytes before the embedded IPv4 address. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] as const;

function inIPv6(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv6 {
  // `toIPv4MappedAddress` would format the address and parse it again.
  return address instanceof ipaddr.IPv6 ? address : new ipaddr.IPv6([...MAPPED, ...address.octets]);
}

function parseAddress(text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (text === undefined) return undefined;
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(trimmed)?.[1];
  const address = (bracketed ?? trimmed.replace(/^(\d+(?:\.\d+){3}):\d*$/, '$1')).replace(/%.*$/, '');
  if (isIPv4(address)) return ipaddr.IPv4.parse(address);
  if (!isIPv6(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}
