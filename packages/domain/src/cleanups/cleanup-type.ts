import { InvalidFields, inWords } from '../base/errors.ts';
import { nextVersion, type Precondition, untilSettled } from '../base/versions.ts';
import { type Authored, makeEntry } from '../changes/entry.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import { segmentInputOf } from '../definitions/segments.ts';
import type { StatisticsReads } from '../engine/statistics-repository.ts';
import { type Making, resourceChange, type UpdatableType } from '../resources/resource-type.ts';
import { showResource } from '../resources/use-cases.ts';
import { hidingSet } from '../visits/hiding.ts';
import { wholeAccount } from '../websites/reach.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { type Cleanup, cleanupBusy, FIRST_DAY, LAST_DAY, type NewCleanup, ruleOf } from './cleanup.ts';
import type { CleanupRepository } from './cleanup-repository.ts';

interface StoredCleanups {
  readonly cleanups: CleanupRepository;
}

interface CheckedCleanups extends StoredCleanups {
  readonly statistics: Pick<StatisticsReads, 'totals'>;
  readonly websites: Pick<WebsiteRepository, 'find'>;
}

/** The dependencies of the use cases of cleanups. */
export interface CleanupDependencies extends CheckedCleanups, Making {
  readonly idempotency: IdempotencyRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export const CLEANUP = {
  kind: 'cleanup',
  absence: 'There is no such website, or no such cleanup.',
  repository: ({ cleanups }) => cleanups,

  make({ now, newId }: Making, input: NewCleanup): Cleanup {
    const at = now();
    return { id: newId(), ...input, status: 'applying', hidden: null, erasedAt: null, createdAt: at, updatedAt: at };
  },

  /** Rejects one that would hide every visit of its days, which nobody wants unless they say so. */
  async check({ statistics }, { websiteId }, cleanup, before) {
    if (before !== undefined) return;
    const query = { websiteId, from: cleanup.from ?? FIRST_DAY, to: cleanup.to ?? LAST_DAY, onlyHits: true };
    const [all, left] = await Promise.all([
      statistics.totals({ ...query, filters: [] }),
      statistics.totals({ ...query, filters: [hidingSet([ruleOf(cleanup)], true)] }),
    ]);
    if (all.visits === 0 || left.visits > 0) return;
    const detail = `It would hide every visit of its days, ${all.visits} in all. Send "hides_all": true to do that.`;
    throw new InvalidFields([
      { field: 'hides_all', code: 'required', ...inWords(({ faults }) => faults.filters.hidesAll(all.visits), detail) },
    ]);
  },

  async eventOf({ websites }, { accountId, websiteId }, cleanup, verb, at) {
    const website = await websites.find(wholeAccount(accountId), websiteId);
    if (website === undefined) return undefined;
    const told = { id: cleanup.id, ...fieldsOf(cleanup) };
    const data = { website: { id: website.id, url: website.url }, cleanup: told };
    return { type: `cleanup.${verb}`, at, data, accountId, websiteId };
  },

  change(current, { name = current.name }, now) {
    return name === current.name ? current : { ...current, name, updatedAt: nextVersion(current, now) };
  },

  contentOf: ({ websiteId }, { name, match, filters, from, to }) => [
    'cleanup',
    websiteId,
    name,
    match,
    filters,
    from,
    to,
  ],
  nameOf: ({ name }) => name,
  fieldsOf,
} satisfies UpdatableType<
  WebsiteKey,
  Cleanup,
  NewCleanup,
  { readonly name: string | undefined },
  StoredCleanups,
  CheckedCleanups
>;

function fieldsOf({ name, match, filters, from, to }: Cleanup) {
  return { name, ...segmentInputOf({ match, filters }), from, to };
}

/** The type where somebody has confirmed that every visit may be hidden. */
export const CONFIRMED_CLEANUP = { ...CLEANUP, check: async () => {} };

/** Deletes a cleanup, which hides visits until it is undone. Rejects with `not_found`, and any error of the precondition. */
export function deleteCleanup(
  deps: CheckedCleanups & Authored & Making,
  website: WebsiteKey,
  id: string,
  precondition?: Precondition,
): Promise<Cleanup> {
  return untilSettled(async () => {
    const current = await showResource(deps, CLEANUP, website, id);
    precondition?.(current);
    if (current.status === 'undoing') return current;
    if (current.status === 'erasing') throw cleanupBusy(current);
    const undoing: Cleanup = { ...current, status: 'undoing', updatedAt: nextVersion(current, deps.now()) };
    const event = await CLEANUP.eventOf(deps, website, current, 'deleted', undoing.updatedAt);
    const change = { ...resourceChange(deps, CLEANUP, website, current, undefined), event };
    return (await deps.cleanups.replace(website, undoing, current.updatedAt, change)) ? undoing : undefined;
  });
}

/**
 * Deletes the hits that a cleanup hides, for good; it goes on hiding later ones. Rejects with `not_found`, `cleanup_busy`, and any
 * error of the precondition.
 */
export function eraseCleanup(
  deps: CheckedCleanups & Authored & Making,
  website: WebsiteKey,
  id: string,
  precondition?: Precondition,
): Promise<Cleanup> {
  return untilSettled(async () => {
    const current = await showResource(deps, CLEANUP, website, id);
    precondition?.(current);
    if (current.status === 'erasing') return current;
    if (current.status !== 'active') throw cleanupBusy(current);
    const erasing: Cleanup = { ...current, status: 'erasing', updatedAt: nextVersion(current, deps.now()) };
    const { accountId, websiteId } = website;
    const subject = { id, name: current.name };
    const entry = makeEntry(deps, { accountId, action: 'cleanup.erased', websiteId, subject, changes: [] });
    const event = await CLEANUP.eventOf(deps, website, current, 'erased', erasing.updatedAt);
    return (await deps.cleanups.replace(website, erasing, current.updatedAt, { entry, event })) ? erasing : undefined;
  });
}
