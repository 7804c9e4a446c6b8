import type { WebsiteInput } from '@hitherto/domain';
import { measureLoad } from '../load/measure.ts';
import type { RunningVariant } from '../variants.ts';
import { createHits, type HitWebsite, hitRequest } from './hits.ts';
import type { StatisticsPlan } from './plan.ts';
import { CONNECTIONS } from './rates.ts';

/** Hits a second by round, for a website with 1,000 excluded parameters and 1,000 excluded addresses, and for one without. */
export interface ExclusionsResult {
  readonly with: readonly number[];
  readonly without: readonly number[];
}

const ENTRIES = 1_000;

/** Parameters and networks that no hit has; a tenth of the networks are IPv6, and they have several lengths. */
export const MANY_EXCLUSIONS: WebsiteInput = {
  excludedParams: Array.from({ length: ENTRIES }, (_, n) => (n % 10 === 0 ? `prefix-${n}*` : `parameter-${n}`)),
  excludedIps: Array.from({ length: ENTRIES }, (_, n) => {
    if (n % 10 === 0) return `2001:db8:${n.toString(16)}::/48`;
    const address = `223.${n % 250}.${Math.floor(n / 250)}`;
    return n % 3 === 0 ? `${address}.0/24` : `${address}.7`;
  }),
};

/** Compares two websites of the same server in turns. */
export async function measureExclusions(
  server: RunningVariant,
  websites: { readonly with: HitWebsite; readonly without: HitWebsite },
  plan: StatisticsPlan,
): Promise<ExclusionsResult> {
  const result = { with: [] as number[], without: [] as number[] };
  const hits = { with: createHits([websites.with], 3), without: createHits([websites.without], 4) };
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const kind of ['without', 'with'] as const) {
      const load = { url: server.url, connections: CONNECTIONS, next: () => hitRequest(hits[kind]()) };
      const { perSecond } = await measureLoad(load, plan.seconds);
      result[kind].push(perSecond);
      plan.progress(`exclusions: round ${round} of ${plan.rounds}, ${kind}: ${perSecond.toFixed()}/s`);
    }
  }
  return result;
}
