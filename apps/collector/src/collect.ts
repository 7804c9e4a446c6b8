import {
  type CountingSettings,
  countHit,
  type DropReason,
  dayOf,
  type Hit,
  type HitLookups,
  MAX_WAIT_MS,
  MAX_WAITING_HITS,
  type Salts,
  type TimeZone,
  unavailable,
  untilAvailable,
} from '@hitherto/domain';
import { HttpProblem, type Lifecycle } from '@hitherto/http';
import type { DroppedCounter } from './dropped-counter.ts';
import type { GroupCommit } from './group-commit.ts';
import type { WebsiteLookup } from './website-settings.ts';

export interface CollectDependencies {
  readonly lookups: HitLookups;
  readonly salts: Salts;
  readonly group: GroupCommit;
  readonly dropped: DroppedCounter;
  /** The installation's. */
  readonly zone: TimeZone;
  /** Hits wait until the database is prepared, as for one that is away. */
  readonly lifecycle: Lifecycle;
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
  collect(website: string, find: WebsiteLookup, hit: Hit): Promise<DropReason | undefined>;

  /** Resolves if the website exists; else rejects as {@link collect} does, which it waits like. */
  check(website: string, find: WebsiteLookup): Promise<void>;

  /** The number of waiting hits. */
  waiting(): number;

  /** How long the oldest hit has waited, in seconds; 0 if none waits. */
  longestWait(): number;
}

export function createCollection(deps: CollectDependencies): Collection {
  // In order of arrival.
  const waiting = new Set<{ readonly since: number }>();

  async function waitFor<T>(work: (deadline: number) => Promise<T>): Promise<T> {
    if (waiting.size >= MAX_WAITING_HITS) throw unavailable('Too many hits wait for the database.');
    const arrival = { since: performance.now() };
    waiting.add(arrival);
    try {
      return await work(arrival.since + MAX_WAIT_MS);
    } finally {
      waiting.delete(arrival);
    }
  }

  return {
    collect: (website, find, hit) => waitFor((deadline) => countAndStore(deps, () => find(website), hit, deadline)),

    check: (website, find) =>
      waitFor(async (deadline) => {
        await untilAvailable(() => assertPrepared(deps), deadline);
        await findSettings(() => find(website), deadline);
      }),

    waiting: () => waiting.size,

    longestWait() {
      const [oldest] = waiting;
      return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1_000;
    },
  };
}

/** Adds the hit to the next commit, or to the counter of the reason that it is dropped for. */
async function countAndStore(
  deps: CollectDependencies,
  find: () => ReturnType<WebsiteLookup>,
  hit: Hit,
  deadline: number,
): Promise<DropReason | undefined> {
  const { lookups, salts, group, dropped, zone } = deps;
  const day = dayOf(zone, hit.time);
  const salt = await untilAvailable(() => {
    assertPrepared(deps);
    return salts.of(day);
  }, deadline);
  // Last, so that the current settings apply.
  const settings = await findSettings(find, deadline);

  const judged = countHit(settings, hit, lookups, day, salt);
  if (judged.drop === undefined) {
    await group.add(judged.counted, deadline);
    return undefined;
  }
  dropped.count(settings.websiteId, day, judged.drop.reason);
  return judged.drop.reason;
}

function assertPrepared({ lifecycle }: CollectDependencies): void {
  if (!lifecycle.isPrepared) throw unavailable('The database is not ready yet.');
}

const UNKNOWN_WEBSITE =
  'There is no such website. Send the id of a website; /api/event also takes an address that exactly one website has.';

async function findSettings(find: () => ReturnType<WebsiteLookup>, deadline: number): Promise<CountingSettings> {
  const settings = await untilAvailable(find, deadline);
  if (settings === undefined) throw new HttpProblem('not_found', UNKNOWN_WEBSITE);
  return settings;
}
