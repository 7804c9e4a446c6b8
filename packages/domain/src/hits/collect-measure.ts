import type { Fault } from '../base/errors.ts';
import { untilAvailable } from '../base/outage.ts';
import { dayOf } from '../calendar/time-zone.ts';
import type { CollectDependencies } from './collect-hits.ts';
import { type CountingSettings, isMeasurable } from './count-hit.ts';
import { bareDetails, type DropReason, MEASURE_LIMITS, type Measure } from './hit.ts';
import type { WriteDeadline } from './hit-repository.ts';
import { type HitSender, rangeFaults } from './read-hit.ts';

/** A measure of a pageview, checked. */
export interface SentMeasure {
  readonly view: number;
  readonly measure: Measure;
  /** Of the pageview, by the clock that the message came by. */
  readonly time: Date;
  readonly from: HitSender;
}

/** The same as a sender has it. */
export interface MeasureInput {
  readonly view?: number | undefined;
  readonly seconds?: number | undefined;
  readonly scroll?: number | undefined;
  /** How long ago the pageview was, in milliseconds. */
  readonly age?: number | undefined;
}

/** Checks what a page tells of a pageview (tracker.md). */
export function readMeasure(
  { view, seconds, scroll, age }: MeasureInput,
  from: HitSender,
): { readonly measure: SentMeasure } | { readonly faults: readonly Fault[] } {
  const bounds = [
    ['view', view, 1],
    ['seconds', seconds, 0],
    ['scroll', scroll, 0],
    ['age', age, 0],
  ] as const;
  const faults = bounds.flatMap(([field, value, least]) =>
    value === undefined
      ? [{ field, code: 'required', detail: 'This number is required.' } as const]
      : rangeFaults(field, value, least, MEASURE_LIMITS[field]),
  );
  if (faults.length > 0 || view === undefined || seconds === undefined || scroll === undefined || age === undefined) {
    return { faults };
  }
  return { measure: { view, measure: { seconds, scroll }, time: new Date(from.time.getTime() - age), from } };
}

/**
 * Collects what a page tells of a pageview: it counts with the pageview of the same visitor, day and view, and is in no number
 * without it. Resolves once it is committed.
 *
 * @returns why it was dropped, if it was
 * @throws DomainError `unavailable`, see `HitRepository.add`
 */
export async function collectMeasure(
  { visitors, lookups, hits }: Pick<CollectDependencies, 'visitors' | 'lookups' | 'hits'>,
  website: CountingSettings,
  { view, measure, time, from }: SentMeasure,
  until: WriteDeadline,
): Promise<DropReason | undefined> {
  const { websiteId, zone } = website;
  const day = dayOf(zone, time);
  if (!isMeasurable(website, from, lookups)) {
    hits.addDropped({ websiteId, day, reason: 'no_pageview', hits: 1 });
    return 'no_pageview';
  }
  const visitor = await untilAvailable(() => visitors.of(day, websiteId, from), until.deadline);
  await hits.add([{ ...bareDetails('', ''), websiteId, time, day, visitor, view, measure }], [], until);
  return undefined;
}
