import { groupBy, readClientAddress } from '@hitherto/domain/base';
import type { HitLookups } from '@hitherto/domain/hits';
import { type FindRecord, memberOf } from './address-file.ts';
import { linesOfList } from './lists.ts';

/** Recognizes addresses of companies that rent out servers, by the list of this package. */
export async function loadNetworks(): Promise<HitLookups['networkOf']> {
  const ranges = groupBy(await linesOfList('hosting-ranges.txt'), (range) => range.indexOf(' '));

  return (ip) => {
    const address = readClientAddress(ip);
    if (address === undefined) return null;
    const digits = Buffer.from(address.toByteArray()).toString('hex').slice(0, MAX_DIGITS);
    return isWithin(ranges.get(digits.length) ?? [], digits) ? 'hosting' : null;
  };
}

/** In hexadecimal: those of the first half of an IPv6 address, which names the network. IPv4 has fewer. */
const MAX_DIGITS = 16;

/** Whether one of these ranges has the address. They are in order, as strings and as numbers. */
function isWithin(ranges: readonly string[], address: string): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (address > (ranges[middle]?.slice(address.length + 1) ?? '')) low = middle + 1;
    else high = middle;
  }
  const first = ranges[low]?.slice(0, address.length);
  return first !== undefined && first <= address;
}

/** Recognizes such addresses by the autonomous systems that these files know. */
export async function networksIn(files: readonly FindRecord[]): Promise<HitLookups['networkOf']> {
  const hosting = new Set((await linesOfList('hosting-systems.tsv')).map((line) => Number(line.split('\t', 1)[0])));
  return (ip) => (files.some((recordOf) => hosting.has(systemIn(recordOf(ip)))) ? 'hosting' : null);
}

/** The number of the autonomous system in a record: `autonomous_system_number`, or `asn` as in `AS64496`; NaN without one. */
function systemIn(record: unknown): number {
  return Number(String(memberOf(record, 'autonomous_system_number') ?? memberOf(record, 'asn')).replace(/^AS/, ''));
}
