import { createHmac } from 'node:crypto';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readClientAddress } from '../base/ip-address.ts';
import { remembered } from '../base/remembered.ts';
import type { Day } from '../calendar/days.ts';
import type { Hit } from './hit.ts';
import type { SaltRepository } from './salts.ts';

/** Identifies the visitors of hits. Remembers the days' salts. */
export interface Visitors {
  /** The visitor of a hit on this day, see {@link visitorOf}. Rejects with `unavailable`. */
  of(day: Day, websiteId: string, hit: Identified): bigint | Promise<bigint>;
  /** Forgets the salts of the days before `day`. */
  forgetBefore(day: Day): void;
}

/** How a hit identifies its visitor. */
type Identified = Pick<Hit, 'ip' | 'userAgent' | 'visitor'>;

const SALT_BYTES = 32;
/** Three days are today's somewhere on earth; hits from servers may be a day old, or some minutes ahead. */
const MAX_DAYS = 6;

/**
 * Identifies visitors under the salts of the repository.
 *
 * @param randomBytes makes the requested number of random bytes
 */
export function createVisitors(salts: SaltRepository, randomBytes: (size: number) => Uint8Array): Visitors {
  const known = new Map<Day, Uint8Array>();
  const underWay = new Map<Day, Promise<Uint8Array>>();

  async function ask(day: Day): Promise<Uint8Array> {
    const asking = salts.saltOf(day, randomBytes(SALT_BYTES));
    underWay.set(day, asking);
    try {
      const salt = await asking;
      known.set(day, salt);
      for (const old of [...known.keys()].sort().slice(0, -MAX_DAYS)) known.delete(old);
      return salt;
    } finally {
      underWay.delete(day);
    }
  }

  return {
    of(day, websiteId, hit) {
      const salt = known.get(day);
      if (salt !== undefined) return visitorOf(salt, websiteId, hit);
      return (underWay.get(day) ?? ask(day)).then((asked) => visitorOf(asked, websiteId, hit));
    },

    forgetBefore(day) {
      for (const old of [...known.keys()]) if (old < day) known.delete(old);
    },
  };
}

/** How many visitors of a day are remembered: rows of a visitor are near each other. */
const MAX_KNOWN = 20_000;

/**
 * Identifies visitors under a secret, with a salt of its own for each day, so that nobody can be followed over several days. The
 * visitors of the last day are remembered.
 */
export function visitorsUnder(secret: Uint8Array, websiteId: string): (day: Day, hit: Identified) => bigint {
  let last: { readonly day: Day; readonly salt: Uint8Array; readonly visitors: Map<string, bigint> } | undefined;
  return (day, hit) => {
    if (last?.day !== day) {
      last = { day, salt: createHmac('sha256', secret).update(day).digest(), visitors: new Map() };
    }
    const { salt, visitors } = last;
    const key = hit.visitor === undefined ? `${hit.ip} ${hit.userAgent}` : `=${hit.visitor}`;
    return remembered(visitors, key, MAX_KNOWN, () => visitorOf(salt, websiteId, hit));
  };
}

/**
 * Identifies a device on one day: HMAC-SHA256 over website, client address and user agent, or over the identifier that a
 * server sends, keyed by the day's salt and truncated to 64 bits (counting.md, "Words"). It cannot be computed again once
 * the salt is deleted.
 */
export function visitorOf(salt: Uint8Array, websiteId: string, hit: Identified): bigint {
  const identity =
    hit.visitor === undefined ? ['device', networkOf(hit.ip ?? ''), hit.userAgent ?? ''] : ['server', hit.visitor];
  const text = JSON.stringify([websiteId, ...identity]);
  // Text is quicker to get out of the crypto module than a buffer.
  return BigInt(`0x${createHmac('sha256', salt).update(text).digest('hex').slice(0, 16)}`);
}

/** An IPv4 address unchanged, or the /64 of an IPv6 address, whose other half a device changes at will. */
function networkOf(ip: string): string {
  // Parsing an address costs as much as all the rest. Most are IPv4, and a visitor has several hits.
  return isIPv4(ip) ? ip : remembered(knownNetworks, ip, MAX_NETWORKS, () => parseNetwork(ip));
}

const MAX_NETWORKS = 10_000;
const knownNetworks = new Map<string, string>();

function parseNetwork(ip: string): string {
  const address = readClientAddress(ip);
  if (address === undefined) return ip;
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
