import { DomainError, MAX_FAULTS } from '../base/errors.ts';
import { untilAvailable } from '../base/outage.ts';
import { dayOf } from '../calendar/time-zone.ts';
import { hashIdempotencyKey } from '../changes/idempotency-record.ts';
import { type CountingSettings, countHit, isMeasurable, isPageOf } from './count-hit.ts';
import type { CrawlerHits, CrawlerRepository } from './crawlers.ts';
import { bareDetails, type CountedHit, type DropReason, type Hit, type HitLookups, type Measure } from './hit.ts';
import {
  type CollectedHits,
  type HitBatchRecord,
  type HitBatchRepository,
  makeBatchRecord,
  type RepeatableBatch,
  replayBatch,
} from './hit-batch.ts';
import type { DroppedHits, HitRepository, WriteDeadline } from './hit-repository.ts';
import type { HitNotes } from './noted-hits.ts';
import { hostOf, readPageUrl } from './page-url.ts';
import type { Visitors } from './visitors.ts';

/** The dependencies of collecting. */
export interface CollectDependencies {
  readonly hits: HitRepository;
  readonly crawlers: Pick<CrawlerRepository, 'add'>;
  readonly visitors: Pick<Visitors, 'of'>;
  readonly lookups: HitLookups;
  readonly notes: HitNotes;
}

/** A hit and its website: by its name as it was sent, or the settings found by that. */
export interface AddressedHit<Website = string> {
  readonly website: Website;
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
 * Finds the settings of the websites of a batch, each once.
 *
 * @param deadline how long to wait for the database, on the monotonic clock in milliseconds
 * @throws UnknownWebsites
 */
export async function findSettings(
  find: FindSettings,
  sent: readonly AddressedHit[],
  deadline: number,
): Promise<readonly AddressedHit<CountingSettings>[]> {
  const known = new Map<string, CountingSettings | undefined>();
  const found: AddressedHit<CountingSettings>[] = [];
  const unknown: number[] = [];
  for (const [index, { website, hit }] of sent.entries()) {
    if (!known.has(website)) known.set(website, await untilAvailable(() => find(website), deadline));
    const settings = known.get(website);
    if (settings !== undefined) found.push({ website: settings, hit });
    else if (unknown.push(index) >= MAX_FAULTS) break;
  }
  if (unknown.length > 0) throw new UnknownWebsites(unknown);
  return found;
}

/**
 * Collects a hit from any sender (tracker.md and counting.md): counts or drops it, and resolves once a hit that counts is
 * committed.
 *
 * @param until how long it waits for the database
 * @returns why it was dropped, if it was
 * @throws DomainError `unavailable`, see {@link HitRepository.add}
 */
export async function collectHit(
  deps: CollectDependencies,
  hit: AddressedHit<CountingSettings>,
  until: WriteDeadline,
): Promise<DropReason | undefined> {
  const { counted, dropped, crawled } = await decide(deps, hit, until.deadline);
  if (counted !== undefined) await deps.hits.add([counted], [], until);
  // Nothing waits for a commit.
  else deps.hits.addDropped(dropped);
  if (crawled !== undefined) deps.crawlers.add(crawled);
  return dropped?.reason;
}

/** As {@link collectHit}, for a batch, whose counted hits are committed all or none. */
export async function collectHits(
  deps: CollectDependencies,
  hits: readonly AddressedHit<CountingSettings>[],
  until: WriteDeadline,
): Promise<CollectedHits> {
  const { counted, dropped, crawled, collected } = await decideAll(deps, hits, until.deadline);
  if (counted.length > 0) await deps.hits.add(counted, dropped, until);
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
  readSent: () => readonly AddressedHit[],
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

  const hits = await findSettings(find, readSent(), deadline);
  const { counted, dropped, crawled, collected } = await decideAll(deps, hits, deadline);
  const now = deps.now();
  const record = makeBatchRecord(accountId, repeatable, collected, now);
  const earlier = await untilAvailable(() => deps.batches.add(record, counted, dropped, now), deadline);
  if (earlier !== undefined) return replay(earlier);
  for (const one of crawled) deps.crawlers.add(one);
  return { collected, replayed: false };
}

type DecideDependencies = Pick<CollectDependencies, 'visitors' | 'lookups' | 'notes'>;

/** What is to be written of a hit. */
type Decision = { readonly crawled: CrawlerHits | undefined } & (
  | { readonly counted: CountedHit; readonly dropped: undefined }
  | { readonly counted: undefined; readonly dropped: DroppedHits }
);

/** Decides whether a hit counts, without writing. */
async function decide(
  deps: DecideDependencies,
  { website, hit }: AddressedHit<CountingSettings>,
  deadline: number,
): Promise<Decision> {
  const { visitors, lookups, notes } = deps;
  const { websiteId, zone } = website;
  const { time, measure } = hit;
  if (measure !== undefined) return decideIncrement(deps, website, hit, measure, deadline);
  const day = dayOf(zone, time);
  const verdict = countHit(website, hit, lookups);
  const crawled = verdict.crawled && { websiteId, day, ...verdict.crawled, hits: 1, hits4xx: 0 };
  if (verdict.drop !== undefined) {
    if (verdict.drop.reason === 'foreign_host') notes.dropped({ websiteId, day }, hostOf(hit.url));
    return { counted: undefined, dropped: { websiteId, day, reason: verdict.drop.reason, hits: 1 }, crawled };
  }
  const visitor = await untilAvailable(() => visitors.of(day, websiteId, hit), deadline);
  // Copying its many fields takes twenty times as long as adding to it.
  const view = website.engagement && hit.name === undefined ? hit.view : undefined;
  const counted = Object.assign(verdict.details, { websiteId, time, day, visitor, view, measure: undefined });
  notes.counted(counted, hit);
  return { counted, dropped: undefined, crawled };
}

/** As {@link decide}, of what tells how a page was looked at. */
async function decideIncrement(
  { visitors, lookups }: DecideDependencies,
  website: CountingSettings,
  hit: Hit,
  measure: Measure,
  deadline: number,
): Promise<Decision> {
  const { websiteId, zone, excludedParameters } = website;
  const { time } = hit;
  const day = dayOf(zone, time);
  if (!isMeasurable(website, hit, lookups) || !isPageOf(website, hit.url)) {
    return { counted: undefined, dropped: { websiteId, day, reason: 'no_pageview', hits: 1 }, crawled: undefined };
  }
  const { page } = readPageUrl(hit.url, excludedParameters);
  const visitor = await untilAvailable(() => visitors.of(day, websiteId, hit), deadline);
  const counted = { ...bareDetails('', page), websiteId, time, day, visitor, measure };
  return { counted, dropped: undefined, crawled: undefined };
}

async function decideAll(deps: DecideDependencies, hits: readonly AddressedHit<CountingSettings>[], deadline: number) {
  const counted: CountedHit[] = [];
  const dropped: DroppedHits[] = [];
  const crawled: CrawlerHits[] = [];
  const drops: { index: number; reason: DropReason }[] = [];
  for (const [index, sent] of hits.entries()) {
    const decision = await decide(deps, sent, deadline);
    if (decision.crawled !== undefined) crawled.push(decision.crawled);
    if (decision.counted !== undefined) counted.push(decision.counted);
    else {
      // Trackers of Plausible send increments to every website: these would hide other drops of one that does not measure.
      if (sent.hit.measure === undefined || sent.website.engagement) dropped.push(decision.dropped);
      drops.push({ index, reason: decision.dropped.reason });
    }
  }
  const collected: CollectedHits = { counted: counted.length, dropped: drops };
  return { counted, dropped, crawled, collected };
}
