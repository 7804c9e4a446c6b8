import type { HitLookups } from '@hitherto/domain';
import { linesOf } from './lists.ts';

/** Knows referrer spammers: a host is one if it, or a domain above it, is on the list. */
export async function loadSpammers(): Promise<HitLookups['isSpamReferrer']> {
  const spammers = new Set((await linesOf('referrer-spammers.txt')).map((host) => host.toLowerCase()));

  return (host) => {
    let domain = host.toLowerCase();
    while (!spammers.has(domain)) {
      const dot = domain.indexOf('.');
      if (dot === -1) return false;
      domain = domain.slice(dot + 1);
    }
    return true;
  };
}
