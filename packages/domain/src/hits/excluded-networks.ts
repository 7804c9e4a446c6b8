import ipaddr from 'ipaddr.js';
import { readClientAddress } from '../base/ip-address.ts';

/** The first entry that an address is in, whichever way the address is written; any other string is in none. */
export type FindExcludedIp = (ip: string) => ExcludedEntry | undefined;

/** For each prefix length in use the networks, as numbers without their host bits, with the line that names each first. */
type NetworksByLength = Map<number, Map<bigint, ExcludedEntry>>;

/** An entry of `exclude_ips`; `line` counts the stored setting's lines from 1. */
export interface ExcludedEntry {
  readonly line: number;
  readonly entry: string;
}

/**
 * Compiles the normal form of `exclude_ips` (api.md, "Fields"), so that a lookup costs the same for one line as for
 * 1,000; `undefined` for an empty list.
 */
export function compileExcludedNetworks(entries: readonly string[]): FindExcludedIp | undefined {
  const networks = { ipv4: new Map(), ipv6: new Map() } satisfies Record<string, NetworksByLength>;
  for (const [index, entry] of entries.entries()) {
    const [text = '', prefix] = entry.split('/');
    const address = readClientAddress(text);
    if (address === undefined) continue;
    const { family, bits, number } = numberOf(address);
    const length = prefix === undefined ? bits : Number(prefix);
    const ofLength = networks[family].get(length) ?? new Map<bigint, ExcludedEntry>();
    networks[family].set(length, ofLength);
    const network = number >> BigInt(bits - length);
    if (!ofLength.has(network)) ofLength.set(network, { line: index + 1, entry });
  }
  if (networks.ipv4.size === 0 && networks.ipv6.size === 0) return undefined;

  return (ip) => {
    const address = readClientAddress(ip);
    if (address === undefined) return undefined;
    const { family, bits, number } = numberOf(address);
    let first: ExcludedEntry | undefined;
    for (const [length, ofLength] of networks[family]) {
      const found = ofLength.get(number >> BigInt(bits - length));
      if (found !== undefined && (first === undefined || found.line < first.line)) first = found;
    }
    return first;
  };
}

function numberOf(address: ipaddr.IPv4 | ipaddr.IPv6) {
  const number = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`);
  return address instanceof ipaddr.IPv6
    ? ({ family: 'ipv6', bits: 128, number } as const)
    : ({ family: 'ipv4', bits: 32, number } as const);
}
