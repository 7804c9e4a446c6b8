import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { inWords } from '../base/errors.ts';
import { readIpAddress } from '../base/ip-address.ts';
import type { Line } from './lines.ts';

const BAD_LINE: Line = { fault: { code: 'invalid_ip', ...inWords(({ faults }) => faults.lines.ip) } };
const WHOLE_NETWORK: Line = { fault: { code: 'invalid_ip', ...inWords(({ faults }) => faults.lines.everybody) } };
const MAPPED_PREFIX_LENGTH = 96;
const MAX_NAME_LENGTH = 255;

/**
 * A name of URL parameters that statistics exclude (api.md, "Fields", `exclude_params`). A `*` at the end makes a
 * prefix; just `*` or `&` means all. It is stored as sent.
 */
export function readExcludedParam(name: string): Line {
  if ([...name].length > MAX_NAME_LENGTH) {
    return { fault: { code: 'too_long', ...inWords(({ faults }) => faults.lines.long(MAX_NAME_LENGTH)) } };
  }
  if (/[\p{Cc}\p{Cs}=#]/u.test(name)) {
    return { fault: { code: 'invalid_name', ...inWords(({ faults }) => faults.lines.parameter) } };
  }
  return { entry: name };
}

/**
 * An address or network that statistics exclude, in normal form (api.md, "Fields", `exclude_ips`): host bits cleared,
 * full-length prefixes dropped, IPv6 as in RFC 5952, IPv4-mapped IPv6 as IPv4, IPv4 wildcards as prefixes.
 */
export function readExcludedIp(line: string): Line {
  const wildcard = readWildcard(line);
  if (wildcard !== undefined) return network(ipaddr.IPv4.parse(wildcard.address), wildcard.prefixLength);

  const slash = line.indexOf('/');
  const text = slash === -1 ? line : line.slice(0, slash);
  const address = readIpAddress(text);
  if (address === undefined) return BAD_LINE;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = slash === -1 ? bits : readPrefixLength(line.slice(slash + 1), bits);
  if (prefixLength === undefined) return BAD_LINE;

  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefixLength >= MAPPED_PREFIX_LENGTH) {
    return network(address.toIPv4Address(), prefixLength - MAPPED_PREFIX_LENGTH);
  }
  return network(address, prefixLength);
}

/** `203.0.113.*`: four parts, at least one number, wildcards only at the end. */
function readWildcard(line: string): { address: string; prefixLength: number } | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){0,2}(?:\.\*){1,3}$/.test(line)) return undefined;
  const address = line.replaceAll('*', '0');
  const prefixLength = 8 * line.split('.').filter((part) => part !== '*').length;
  return isIPv4(address) ? { address, prefixLength } : undefined;
}

function readPrefixLength(text: string, bits: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const length = Number(text);
  return length <= bits ? length : undefined;
}

function network(address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number): Line {
  if (prefixLength === 0) return WHOLE_NETWORK;
  const bytes = address.toByteArray().map((byte, index) => byte & mask(prefixLength - 8 * index));
  const masked = ipaddr.fromByteArray(bytes);
  const text = masked instanceof ipaddr.IPv6 ? masked.toRFC5952String() : masked.toString();
  return { entry: prefixLength === 8 * bytes.length ? text : `${text}/${prefixLength}` };
}

/** The byte that masks the first `length` bits. */
function mask(length: number): number {
  if (length >= 8) return 0xff;
  return length <= 0 ? 0 : 0xff & (0xff << (8 - length));
}
