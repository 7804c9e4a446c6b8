import type { HitLookups } from '@hitherto/domain';
import { linesOf } from './lists.ts';

/** Recognizes referrer spammers: hosts that are on the list, or below a domain on it. */
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
