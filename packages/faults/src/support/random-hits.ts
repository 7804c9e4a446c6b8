import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import type { Repositories } from '@hitherto/domain/repositories';
import { aCountedHit } from '@hitherto/testing/fixtures';
import type { Random } from '@hitherto/testing/random';

const BATCH = 1_000;

interface RandomHits {
  readonly websites: readonly [string, ...string[]];
  readonly count: number;
  readonly from: Date;
  readonly to: Date;
  /** How many visitors and pages there are. */
  readonly visitors: number;
  readonly pages: number;
}

/** Hits at any time from `from` on, and before `to`; a fifth of them are events. */
export function randomHits(random: Random, { websites, count, from, to, visitors, pages }: RandomHits): CountedHit[] {
  return Array.from({ length: count }, () =>
    aCountedHit({
      websiteId: random.pick(websites),
      time: new Date(from.getTime() + random.below(to.getTime() - from.getTime())),
      visitor: BigInt(random.below(visitors)),
      page: `/${random.below(pages)}`,
      name: random.below(5) === 0 ? 'Signup' : null,
      source: random.pick(['é', 'Google', null]),
      country: random.pick(['DE', 'FR', null]),
    }),
  );
}

/** Adds random hits in batches, and does the background work that is due at their end. */
export async function addRandomHits(
  { hits, maintenance }: Pick<Repositories & StatisticsEngine, 'hits' | 'maintenance'>,
  random: Random,
  options: RandomHits,
): Promise<void> {
  const all = randomHits(random, options);
  for (let start = 0; start < all.length; start += BATCH) await hits.add(all.slice(start, start + BATCH));
  await maintenance.settle(options.to);
}
