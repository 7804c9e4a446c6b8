import { DomainError, MAX_FAULTS } from '../base/errors.ts';
import { untilAvailable } from '../base/outage.ts';
import { dayOf } from '../calendar/time-zone.ts';
import { hashIdempotencyKey } from '../changes/idempotency-record.ts';
import { type CountingSettings, countHit } from './count-hit.ts';
import type { CrawlerHits, CrawlerRepository } from './crawlers.ts';
import type { CountedHit, DropReason, Hit, HitLookups } from './hit.ts';
import {
  type CollectedHits,
  type HitBatchRecord,
  type HitBatchRepository,
  makeBatchRecord,
  type RepeatableBatch,
  replayBatch,
} from './hit-batch.ts';
import type { DroppedHits, HitRepository, WriteDeadline } from './hit-repository.ts';
import type { Visitors } from './visitors.ts';

/** The dependencies of collecting. */
export interface CollectDependencies {
  readonly hits: HitRepository;
  readonly crawlers: Pick<CrawlerRepository, 'add'>;
  readonly visitors: Pick<Visitors, 'of'>;
  readonly lookups: HitLookups;
}

/** A checked hit, with its website as it was sent. */
export interface SentHit {
  readonly website: string;
  readonly hit: Hit;
}

/** Finds the settings of a website, if it exists and accepts hits of this sender. May reject with `unavailable`. */
export type FindSettings = (website: string) => CountingSettings | undefined | Promise<CountingSettings | undefined>;

/** Hits were sent for unknown websites. */
export class UnknownWebsites extends DomainError {
  override readonly name = 'UnknownWebsites';
  /** Their positions in the batch, from 0; the first {@link MAX_FAULTS}. */
  readonly positions: readonly number[];

  constructor(positions: readonly number[]) {
    super('not_found', 'There is no such website.');
    this.positions = positions;
  }
}

/**
 * Collects hits from any sender (tracker.md and counting.md): finds the settings of their websites, counts or drops each,
 * and resolves once the counted hits are committed, all or none.
 *
 * @param until how long they wait for the database
 * @throws UnknownWebsites and stores no hit
 * @throws DomainError `unavailable`, see {@link HitRepository.add}
 */
export async function collectHits(
  deps: CollectDependencies,
  find: FindSettings,
  sent: readonly SentHit[],
  until: WriteDeadline,
): Promise<CollectedHits> {
  const { counted, dropped, crawled, collected } = await countAll(deps, find, sent, until.deadline);
  if (counted.length > 0) await deps.hits.add(counted, dropped, until);
  // Nothing waits for a commit.
  else for (const one of dropped) deps.hits.addDropped(one);
  for (const one of crawled) deps.crawlers.add(one);
  return collected;
}

/**
 * As {@link collectHits}, once per `Idempotency-Key` and account within 48 hours: a repeat returns the outcome of the first
 * batch, even if its hits are too old by now.
 *
 * @param readSent the hits, or a throw if they are invalid; called only for a batch that has not come before
 * @param deadline how long the hits wait for the database, on the monotonic clock in milliseconds
 * @throws DomainError `idempotency_key_reused` if the key was used for other hits
 */
export async function collectHitsOnce(
  deps: Omit<CollectDependencies, 'hits'> & { readonly batches: HitBatchRepository; readonly now: () => Date },
  find: FindSettings,
  accountId: string,
  readSent: () => readonly SentHit[],
  repeatable: RepeatableBatch,
  deadline: number,
): Promise<{ readonly collected: CollectedHits; readonly replayed: boolean }> {
  const replay = (record: HitBatchRecord) => ({
    collected: replayBatch(accountId, repeatable, record),
    replayed: true,
  });
  const keyHash = hashIdempotencyKey(accountId, repeatable.idempotencyKey);
  const known = await untilAvailable(() => deps.batches.find(keyHash, deps.now()), deadline);
  if (known !== undefined) return replay(known);

  const { counted, dropped, crawled, collected } = await countAll(deps, find, readSent(), deadline);
  const now = deps.now();
  const record = makeBatchRecord(accountId, repeatable, collected, now);
  const earlier = await untilAvailable(() => deps.batches.add(record, counted, dropped, now), deadline);
  if (earlier !== undefined) return replay(earlier);
  for (const one of crawled) deps.crawlers.add(one);
  return { collected, replayed: false };
}

/** Counts or drops each hit of a batch, without writing. */
async function countAll(
  { visitors, lookups }: Pick<CollectDependencies, 'visitors' | 'lookups'>,
  find: FindSettings,
  sent: readonly SentHit[],
  deadline: number,
) {
  const settingsOf = await findAll(find, sent, deadline);
  const counted: CountedHit[] = [];
  const dropped: DroppedHits[] = [];
  const crawled: CrawlerHits[] = [];
  const drops: { index: number; reason: DropReason }[] = [];
  for (const [index, { website, hit }] of sent.entries()) {
    const settings = settingsOf.get(website);
    if (settings === undefined) continue;
    const { websiteId, zone } = settings;
    const day = dayOf(zone, hit.time);
    const judged = countHit(settings, hit, lookups);
    if (judged.crawled !== undefined) crawled.push({ websiteId, day, ...judged.crawled, hits: 1, hits4xx: 0 });
    if (judged.drop === undefined) {
      const visitor = await untilAvailable(() => visitors.of(day, websiteId, hit), deadline);
      counted.push({ websiteId, time: hit.time, day, visitor, ...judged.details });
    } else {
      const { reason } = judged.drop;
      dropped.push({ websiteId, day, reason, hits: 1 });
      drops.push({ index, reason });
    }
  }
  const collected: CollectedHits = { counted: counted.length, dropped: drops };
  return { counted, dropped, crawled, collected };
}

/** The settings of the batch's websites, each found once. */
async function findAll(
  find: FindSettings,
  sent: readonly SentHit[],
  deadline: number,
): Promise<ReadonlyMap<string, CountingSettings | undefined>> {
  const found = new Map<string, CountingSettings | undefined>();
  const unknown: number[] = [];
  for (const [index, { website }] of sent.entries()) {
    if (!found.has(website)) found.set(website, await untilAvailable(() => find(website), deadline));
    if (found.get(website) === undefined && unknown.push(index) >= MAX_FAULTS) break;
  }
  if (unknown.length > 0) throw new UnknownWebsites(unknown);
  return found;
}
