import { type Fault, InvalidFields, MAX_FAULTS } from '../../errors.ts';
import { hashIdempotencyKey } from '../../idempotency/idempotency-record.ts';
import type { Website } from '../../website/website.ts';
import type { WebsiteRepository } from '../../website/website-repository.ts';
import { dayOf, type TimeZone } from '../calendar/time-zone.ts';
import type { CountedHit, DropReason, Hit, HitLookups } from '../hit.ts';
import {
  type CollectedHits,
  type HitBatchRecord,
  type HitBatchRepository,
  makeBatchRecord,
  type RepeatableBatch,
  replayBatch,
} from '../journal/hit-batch.ts';
import type { DroppedHits, HitRepository } from '../journal/hit-repository.ts';
import type { Salts } from '../journal/salts.ts';
import { type CountingSettings, compileSettings, countHit } from './count-hit.ts';
import { untilAvailable, untilCertain } from './outage.ts';

/** What collecting a server's hits needs from outside. */
export interface ServerHitsDependencies {
  readonly websites: Pick<WebsiteRepository, 'find'>;
  readonly hits: HitRepository;
  readonly batches: HitBatchRepository;
  readonly salts: Pick<Salts, 'of'>;
  readonly lookups: HitLookups;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly newId: () => string;
  readonly now: () => Date;
}

/** A hit, checked, with the id of its website as it was sent. */
export interface ServerHit {
  readonly website: string;
  readonly hit: Hit;
}

/**
 * Counts a batch of hits that a server sends and resolves once they are committed, all or none (statistics.md, section 2).
 *
 * @param deadline how long the hits wait for the database, on the monotonic clock in milliseconds
 * @throws InvalidFields `unknown_website` for each hit whose website is not one of the account's
 * @throws DomainError `unavailable` after the deadline: then the batch may be stored, wholly or not at all
 */
export async function collectServerHits(
  deps: ServerHitsDependencies,
  accountId: string,
  batch: readonly ServerHit[],
  deadline: number,
): Promise<CollectedHits> {
  const { counted, collected, dropped } = await countBatch(deps, accountId, batch, deadline);
  const batchId = deps.newId();
  // Given up, the write could still be done, and the batch count twice if it is sent again.
  await untilCertain(() => deps.hits.add(batchId, counted, dropped), deadline);
  return collected;
}

/**
 * As {@link collectServerHits}, once per `Idempotency-Key` and account within 48 hours: a repeat gives what became of the
 * batch when it came first, even if its hits are too old by now.
 *
 * @param readBatch the hits, or a throw where they are invalid; called only for a batch that has not come before
 * @throws DomainError `idempotency_key_reused` where the key came with other hits before
 */
export async function collectServerHitsOnce(
  deps: ServerHitsDependencies,
  accountId: string,
  readBatch: () => readonly ServerHit[],
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

  const { counted, collected, dropped } = await countBatch(deps, accountId, readBatch(), deadline);
  const now = deps.now();
  const record = makeBatchRecord(accountId, repeatable, collected, now);
  const earlier = await untilAvailable(() => deps.batches.add(record, counted, dropped, now), deadline);
  return earlier === undefined ? { collected, replayed: false } : replay(earlier);
}

/** What a batch comes to, before anything is written. */
async function countBatch(
  deps: ServerHitsDependencies,
  accountId: string,
  batch: readonly ServerHit[],
  deadline: number,
) {
  const settings = await findSettings(deps, accountId, batch, deadline);
  const counted: CountedHit[] = [];
  const dropped: { index: number; reason: DropReason }[] = [];
  const counters = new Map<string, DroppedHits>();
  for (const [index, { website, hit }] of batch.entries()) {
    const ofWebsite = settings.get(website.toLowerCase());
    if (ofWebsite === undefined) continue;
    const day = dayOf(deps.zone, hit.time);
    const salt = await untilAvailable(() => deps.salts.of(day), deadline);
    const outcome = countHit(ofWebsite, hit, deps.lookups, day, salt);
    if (outcome.drop === undefined) {
      counted.push(outcome.counted);
      continue;
    }
    const { websiteId } = ofWebsite;
    const { reason } = outcome.drop;
    dropped.push({ index, reason });
    const key = `${websiteId} ${day} ${reason}`;
    counters.set(key, { websiteId, day, reason, hits: (counters.get(key)?.hits ?? 0) + 1 });
  }
  const collected: CollectedHits = { counted: counted.length, dropped };
  return { counted, collected, dropped: [...counters.values()] };
}

/** The settings of the batch's websites by their id in lower case. */
async function findSettings(
  { websites }: ServerHitsDependencies,
  accountId: string,
  batch: readonly ServerHit[],
  deadline: number,
): Promise<Map<string, CountingSettings>> {
  const found = new Map<string, Website | undefined>();
  const faults: Fault[] = [];
  for (const [index, { website: sent }] of batch.entries()) {
    const id = sent.toLowerCase();
    if (!found.has(id)) found.set(id, await untilAvailable(() => websites.find(accountId, id), deadline));
    if (found.get(id) !== undefined) continue;
    const detail = 'The account has no website with this id.';
    faults.push({ field: `hits.${index}.website`, code: 'unknown_website', detail });
    if (faults.length >= MAX_FAULTS) break;
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  const settings = new Map<string, CountingSettings>();
  for (const [id, website] of found) if (website !== undefined) settings.set(id, compileSettings(website));
  return settings;
}
