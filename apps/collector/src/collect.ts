import {
  type CountingSettings,
  countHit,
  DomainError,
  type DropReason,
  dayOf,
  type Hit,
  type HitLookups,
  type Salts,
  type TimeZone,
  unavailable,
} from '@hitherto/domain';
import type { DroppedCounter } from './dropped-counter.ts';
import type { GroupCommit } from './group-commit.ts';
import { MAX_WAIT_MS, untilAvailable } from './outage.ts';
import type { WebsiteLookUp } from './website-settings.ts';

/** The most hits that wait for the database (statistics.md, section 2, "Durability"). */
export const MAX_WAITING = 20_000;

export interface CollectDependencies {
  readonly lookups: HitLookups;
  readonly salts: Salts;
  readonly group: GroupCommit;
  readonly dropped: DroppedCounter;
  /** The installation's. */
  readonly timeZone: TimeZone;
  /** Whether the database has been migrated; hits wait for that as for a database that is away. */
  readonly isPrepared: () => boolean;
}

/** Collects hits. */
export interface Collection {
  /**
   * Counts the hit and resolves once it is on disk, or resolves to why it is dropped. Rejects with `not_found` if the website
   * does not exist; with `unavailable` if the database was away for 10 s or too many hits wait, and the hit is not stored;
   * with `OutcomeUnknown` if it may be stored.
   *
   * @param find looks the website up
   */
  collect(website: string, find: WebsiteLookUp<CountingSettings>, hit: Hit): Promise<DropReason | undefined>;

  /** The number of waiting hits. */
  waiting(): number;

  /** How long the oldest has waited, in seconds; 0 if none waits. */
  longestWait(): number;
}

export function createCollection(deps: CollectDependencies): Collection {
  // In order of arrival.
  const waiting = new Set<{ readonly since: number }>();

  return {
    async collect(website, find, hit) {
      if (waiting.size >= MAX_WAITING) throw unavailable('Too many hits wait for the database.');
      const arrival = { since: performance.now() };
      waiting.add(arrival);
      try {
        return await count(deps, () => find(website), hit, arrival.since + MAX_WAIT_MS);
      } finally {
        waiting.delete(arrival);
      }
    },

    waiting: () => waiting.size,

    longestWait() {
      const [oldest] = waiting;
      return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1_000;
    },
  };
}

async function count(
  { lookups, salts, group, dropped, timeZone, isPrepared }: CollectDependencies,
  findSettings: () => ReturnType<WebsiteLookUp<CountingSettings>>,
  hit: Hit,
  deadline: number,
): Promise<DropReason | undefined> {
  await untilAvailable(() => {
    if (!isPrepared()) throw unavailable('The database is not ready yet.');
  }, deadline);
  const day = dayOf(timeZone, hit.time);
  const salt = await untilAvailable(() => salts.of(day), deadline);
  // Last, so that the current settings apply.
  const settings = await untilAvailable(findSettings, deadline);
  if (settings === undefined) throw new DomainError('not_found', 'There is no such website.');

  const judged = countHit(settings, hit, lookups, day, salt);
  if (judged.drop === undefined) {
    await group.add(judged.counted, deadline);
    return undefined;
  }
  dropped.count(settings.websiteId, day, judged.drop.reason);
  return judged.drop.reason;
}
