import {
  addDays,
  type CountedHit,
  compileSettings,
  countHit,
  type DroppedHits,
  dayOf,
  type HitLookups,
  type HitRepository,
  type StatisticsEngine,
  type TimeZone,
  type Website,
} from '@hitherto/domain';
import { seededRandom } from './random.ts';
import { DEMO_DAYS, hitsOfDay } from './visits.ts';

export interface DemoDependencies {
  readonly hits: HitRepository;
  readonly maintenance: Pick<StatisticsEngine['maintenance'], 'settle'>;
  readonly lookups: HitLookups;
  readonly zone: TimeZone;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The same for every demo, so that all look alike. */
const SEED = 20_261_121;
const SALT_BYTES = 32;

/**
 * Gives a website 90 days of made-up visits, counted and stored like real ones, and brings its statistics up to date.
 * Returns how many hits it stored. They are one batch with the website's id: all are stored or none, and only those of one of
 * two demos that run at once.
 */
export async function fillDemo(deps: DemoDependencies, website: Website): Promise<number> {
  const { hits, maintenance, zone } = deps;
  const now = deps.now();
  const today = dayOf(zone, now);
  const first = addDays(today, 1 - DEMO_DAYS);
  const { counted, dropped } = countDemoHits(deps, website, first, now);
  await hits.add(website.id, counted, dropped);
  await maintenance.settle(now);
  return counted.length;
}

function countDemoHits(
  { lookups, zone, randomBytes }: DemoDependencies,
  website: Website,
  first: string,
  now: Date,
): { readonly counted: CountedHit[]; readonly dropped: DroppedHits[] } {
  const settings = compileSettings(website);
  const random = seededRandom(SEED);
  const counted: CountedHit[] = [];
  const dropped = new Map<string, DroppedHits>();
  for (let index = 0; index < DEMO_DAYS; index += 1) {
    const day = addDays(first, index);
    // Of days past no salt is kept, and nobody can return to them.
    const salt = randomBytes(SALT_BYTES);
    for (const hit of hitsOfDay(random, zone, day, index, now)) {
      const judged = countHit(settings, hit, lookups, day, salt);
      if (judged.drop === undefined) {
        counted.push(judged.counted);
        continue;
      }
      const { reason } = judged.drop;
      const earlier = dropped.get(`${day} ${reason}`)?.hits ?? 0;
      dropped.set(`${day} ${reason}`, { websiteId: website.id, day, reason, hits: earlier + 1 });
    }
  }
  return { counted, dropped: [...dropped.values()] };
}
