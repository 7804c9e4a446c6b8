import { isUnavailable } from '../base/outage.ts';
import { nextVersion } from '../base/versions.ts';
import { addDays, type Day } from '../calendar/days.ts';
import { dayOf, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { Website } from '../websites/website.ts';
import type { WebsiteDirectory } from '../websites/website-directory.ts';
import { type FoundBy, findAll, textOfFinding } from './checks.ts';
import type { Finding, FindingEvent } from './finding.ts';
import type { FindingChange, FindingRepository } from './finding-repository.ts';
import { type ReadNumbersDependencies, readCheckNumbers } from './read-numbers.ts';

export interface RunChecksDependencies extends Omit<ReadNumbersDependencies, 'zone' | 'directory'> {
  readonly findings: FindingRepository;
  readonly directory: Pick<WebsiteDirectory, 'findById' | 'findByHost'>;
  /** The time zones that are set for websites. */
  readonly timeZones: () => Promise<readonly string[]>;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Called for each finding that is opened, once it is stored. */
  readonly onOpened: (event: FindingEvent) => void;
}

/** How many websites are claimed at once: they are checked within a minute. */
const CLAIMED_AT_ONCE = 10;
/** A dismissed finding opens again when it has grown by half. */
const WORSE = 1.5;
const KEPT_FIXED_MS = 90 * 24 * 60 * 60 * 1_000;

/**
 * Checks the websites whose day is over and not yet checked by another process, until none is left or `signal` aborts. Rejects
 * with `unavailable` while the database is unreachable. A website whose process dies is checked again on the next day.
 */
export async function runChecks(deps: RunChecksDependencies, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  const zones = [null, ...(await deps.timeZones())];
  for (const timeZone of zones) {
    const last = lastClosedDay(zoneOf({ timeZone }, deps.zone), deps.now());
    for (;;) {
      const claimed = await deps.findings.claim(timeZone, last, CLAIMED_AT_ONCE);
      for (const { websiteId } of claimed) {
        if (signal?.aborted) return;
        try {
          await checkWebsite(deps, websiteId, last);
        } catch (error) {
          if (isUnavailable(error)) throw error;
          // One that cannot be checked must not keep others from it.
          failures.push(error);
        }
      }
      if (claimed.length < CLAIMED_AT_ONCE || signal?.aborted) break;
    }
  }
  await deps.findings.deleteFixedBefore(new Date(deps.now().getTime() - KEPT_FIXED_MS));
  if (failures.length > 0) throw failures[0];
}

/** The last day that is over. */
function lastClosedDay(zone: TimeZone, now: Date): Day {
  return addDays(dayOf(zone, now), -1);
}

/** Checks a website on its days until `last`, and stores what has changed. */
async function checkWebsite(
  deps: Omit<RunChecksDependencies, 'timeZones'>,
  websiteId: string,
  last: Day,
): Promise<void> {
  const entry = await deps.directory.findById(websiteId);
  if (entry === undefined) return;
  const { accountId, website } = entry;
  const zone = zoneOf(website, deps.zone);
  const numbers = await readCheckNumbers({ ...deps, zone }, accountId, website, last);
  const known = (await deps.findings.list({ accountId, websiteId })) ?? [];
  const found = numbers === undefined ? [] : findAll(numbers);
  const changes = changesOf(deps, known, found).map((change) => ({
    ...change,
    event: change.isOpened ? openedEvent(accountId, website, change.finding) : undefined,
  }));
  if (changes.length === 0) return;
  await deps.findings.record({ accountId, websiteId }, changes);
  for (const { event } of changes) if (event !== undefined) deps.onOpened(event);
}

interface Changed extends Omit<FindingChange, 'event'> {
  readonly isOpened: boolean;
}

/** How the findings of a website change with what the checks have found now. */
export function changesOf(
  { now, newId }: Pick<RunChecksDependencies, 'now' | 'newId'>,
  known: readonly Finding[],
  found: readonly FoundBy[],
): Changed[] {
  const at = now();
  const keyOf = ({ check, subject }: Pick<Finding, 'check' | 'subject'>) => `${check} ${subject}`;
  const before = new Map(known.map((finding) => [keyOf(finding), finding]));
  const changed = found.map((each): Changed => {
    const earlier = before.get(keyOf(each));
    before.delete(keyOf(each));
    if (earlier === undefined) {
      const finding = { ...each, id: newId(), status: 'open', openedAt: at, updatedAt: at } as const;
      return { finding, expected: undefined, isOpened: true };
    }
    const isOpened =
      earlier.status === 'fixed' || (earlier.status === 'dismissed' && each.size >= WORSE * earlier.size);
    const updatedAt = nextVersion(earlier, at);
    const { id } = earlier;
    // What was dismissed stays as it was, to be compared with.
    if (earlier.status === 'dismissed' && !isOpened) return { finding: earlier, expected: earlier.updatedAt, isOpened };
    const since = earlier.status === 'fixed' || each.since < earlier.since ? each.since : earlier.since;
    const openedAt = isOpened ? at : earlier.openedAt;
    const finding: Finding = { ...each, id, since, status: 'open', openedAt, updatedAt };
    return { finding, expected: earlier.updatedAt, isOpened };
  });
  const gone = [...before.values()].filter(({ status }) => status === 'open');
  const fixed = gone.map((finding): Changed => {
    const updatedAt = nextVersion(finding, at);
    return { finding: { ...finding, status: 'fixed', updatedAt }, expected: finding.updatedAt, isOpened: false };
  });
  return [...changed.filter(({ finding, expected }) => finding.updatedAt !== expected), ...fixed];
}

function openedEvent(accountId: string, { id, url }: Website, finding: Finding): FindingEvent {
  const { check, since, evidence } = finding;
  const data = {
    website: { id, url },
    finding: { id: finding.id, check, since, evidence, text: textOfFinding(finding) },
  };
  return { type: 'finding.opened', at: finding.openedAt, data, accountId, websiteId: id };
}
