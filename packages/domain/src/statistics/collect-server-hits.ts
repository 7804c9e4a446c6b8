import { DomainError, type Fault, InvalidFields, MAX_FAULTS } from '../errors.ts';
import type { Website } from '../website/website.ts';
import type { WebsiteRepository } from '../website/website-repository.ts';
import { type CountingSettings, compileSettings, countHit } from './count-hit.ts';
import type { CountedHit, DropReason, Hit, HitLookups } from './hit.ts';
import type { DroppedHits, HitRepository } from './hit-repository.ts';
import type { Salts } from './salts.ts';
import { dayOf, type TimeZone } from './time-zone.ts';

/** What collecting a server's hits needs from outside. */
export interface ServerHitsDependencies {
  readonly websites: Pick<WebsiteRepository, 'find'>;
  readonly hits: HitRepository;
  readonly salts: Pick<Salts, 'of'>;
  readonly lookups: HitLookups;
  /** The installation's. */
  readonly timeZone: TimeZone;
  readonly newId: () => string;
}

/** A hit, checked, with the id of its website as it was sent. */
export interface ServerHit {
  readonly website: string;
  readonly hit: Hit;
}

/** What became of a batch; `index` counts its hits from 0. */
export interface CollectedHits {
  readonly counted: number;
  readonly dropped: readonly { readonly index: number; readonly reason: DropReason }[];
}

/**
 * Counts a batch of hits that a server sends and resolves once they are committed, all or none (statistics.md, section 2).
 *
 * @throws InvalidFields `unknown_website` for each hit whose website is not one of the account's
 * @throws DomainError `unavailable`: then the batch may be stored, wholly or not at all
 */
export async function collectServerHits(
  deps: ServerHitsDependencies,
  accountId: string,
  batch: readonly ServerHit[],
): Promise<CollectedHits> {
  const settings = await findSettings(deps, accountId, batch);
  const counted: CountedHit[] = [];
  const dropped: { index: number; reason: DropReason }[] = [];
  const counters = new Map<string, DroppedHits>();
  for (const [index, { website, hit }] of batch.entries()) {
    const ofWebsite = settings.get(website.toLowerCase());
    if (ofWebsite === undefined) continue;
    const day = dayOf(deps.timeZone, hit.time);
    const outcome = countHit(ofWebsite, hit, deps.lookups, day, await deps.salts.of(day));
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
  if (counted.length > 0) await deps.hits.add(deps.newId(), counted);
  if (counters.size > 0) await addDropped(deps.hits, [...counters.values()]);
  return { counted: counted.length, dropped };
}

/** The settings of the batch's websites by their id in lower case. */
async function findSettings(
  { websites }: ServerHitsDependencies,
  accountId: string,
  batch: readonly ServerHit[],
): Promise<Map<string, CountingSettings>> {
  const found = new Map<string, Website | undefined>();
  const faults: Fault[] = [];
  for (const [index, { website: sent }] of batch.entries()) {
    const id = sent.toLowerCase();
    if (!found.has(id)) found.set(id, await websites.find(accountId, id));
    if (found.get(id) !== undefined) continue;
    const detail = 'The account has no website of this id.';
    faults.push({ field: `hits.${index}.website`, code: 'unknown_website', detail });
    if (faults.length >= MAX_FAULTS) break;
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  const settings = new Map<string, CountingSettings>();
  for (const [id, website] of found) if (website !== undefined) settings.set(id, compileSettings(website));
  return settings;
}

/** The hits are committed already: a client that were told of a failure here would send them again. */
async function addDropped(hits: Pick<HitRepository, 'addDropped'>, counters: readonly DroppedHits[]): Promise<void> {
  try {
    await hits.addDropped(counters);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
  }
}
