import { readReferrer } from '../../src/hits/attribution.ts';
import type { Hit } from '../../src/hits/hit.ts';

/** The fields of a hit, with addresses as strings. */
export type HitFields = Partial<Omit<Hit, 'url' | 'referrer'>> & { readonly url?: string; readonly referrer?: string };

export function aHit({ url = 'https://ex.com/a', referrer, ...fields }: HitFields = {}): Hit {
  return {
    url: new URL(url),
    referrer: referrer === undefined ? undefined : readReferrer(referrer),
    ip: '192.0.2.1',
    time: new Date('2026-11-20T23:30:00.000Z'),
    sender: 'server',
    ...fields,
  };
}
