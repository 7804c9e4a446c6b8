import { dayOf } from '../calendar/time-zone.ts';
import type { CountingSettings } from '../hits/count-hit.ts';
import type { Explanation } from '../hits/explain-hit.ts';
import { hiddenHits } from '../visits/hidden-hits.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { type Cleanup, isInEffect } from './cleanup.ts';
import type { CleanupRepository } from './cleanup-repository.ts';

/** The first cleanup in effect that would hide a visit of this hit alone. Other hits can change what a visit is. */
export async function findHiding(
  { cleanups }: { readonly cleanups: Pick<CleanupRepository, 'list'> },
  website: WebsiteKey,
  { details }: Pick<Explanation, 'details'>,
  { zone }: Pick<CountingSettings, 'zone'>,
  time: Date,
): Promise<Cleanup | undefined> {
  if (details === undefined) return undefined;
  const hit = { ...details, websiteId: website.websiteId, time, day: dayOf(zone, time), visitor: 0n };
  const all = (await cleanups.list(website)) ?? [];
  return all.find((cleanup) => isInEffect(cleanup) && hiddenHits([hit], [cleanup]).length > 0);
}
