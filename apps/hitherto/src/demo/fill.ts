import { addDays, type Day, dayOf, daysOf, type TimeZone } from '@hitherto/domain/calendar';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import {
  type CrawlerRepository,
  collectHitsOnce,
  compileSettings,
  createHitNotes,
  createVisitors,
  type HitBatchRepository,
  type HitLookups,
  type NotedHitsRepository,
} from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { seededRandom } from './random.ts';
import { DEMO_DAYS, hitsOfDay } from './visits.ts';

interface DemoDependencies {
  readonly batches: HitBatchRepository;
  readonly crawlers: Pick<CrawlerRepository, 'add'>;
  readonly maintenance: Pick<StatisticsEngine['maintenance'], 'settle' | 'keptFrom'>;
  readonly notedHits: Pick<NotedHitsRepository, 'add'>;
  readonly lookups: HitLookups;
  readonly zone: TimeZone;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The same for every demo, so that all look alike. */
const SEED = 20_261_121;
/** How long storing the visits may take on a slow machine. */
const FILL_TIMEOUT_MS = 600_000;

/**
 * Gives a website made-up visits of 90 days, or of fewer if hits of these days are deleted, and brings its statistics up to
 * date. They are counted and stored like real ones. Returns the number of hits that count. They are one batch, once per
 * website: all are stored or none, and if two demos run at the same time, only one stores hits.
 */
export async function fillDemo(deps: DemoDependencies, website: Website): Promise<number> {
  const { maintenance, zone, randomBytes } = deps;
  const now = deps.now();
  const first = addDays(dayOf(zone, now), 1 - DEMO_DAYS);
  const keptFrom = await maintenance.keptFrom();
  const settings = compileSettings(website, zone);
  // No salt is kept: nobody can return to these days.
  const visitors = createVisitors({ saltOf: async (_day, fresh) => fresh, deleteBefore: async () => 0 }, randomBytes);
  const { collected } = await collectHitsOnce(
    { ...deps, visitors, notes: createHitNotes(deps.notedHits) },
    () => settings,
    'demo',
    () => madeUpHits(website, zone, first, keptFrom, now),
    { idempotencyKey: website.id, fields: 'demo' },
    performance.now() + FILL_TIMEOUT_MS,
  );
  await maintenance.settle(now);
  return collected.counted;
}

function madeUpHits(website: Website, zone: TimeZone, first: Day, keptFrom: Day, now: Date) {
  const random = seededRandom(SEED);
  return daysOf(first, addDays(first, DEMO_DAYS - 1)).flatMap((day, index) =>
    day < keptFrom ? [] : hitsOfDay(random, zone, day, index, now).map((hit) => ({ website: website.id, hit })),
  );
}
