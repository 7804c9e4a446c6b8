import { compareStrings } from '../base/byte-order.ts';
import type { Day } from '../calendar/days.ts';
import { FIRST_HIT_DIMENSIONS, firstHitValue } from '../hits/dimensions.ts';
import type { CountedHit } from '../hits/hit.ts';
import { measuredHits, type VisitHit } from './engagement.ts';

/** A longer gap between two hits of a visitor begins a new visit, in milliseconds (counting.md, "Words"). */
export const VISIT_GAP_MS = 30 * 60 * 1000;

/** The hits of one visitor on one day without a gap of more than {@link VISIT_GAP_MS}. */
export interface Visit {
  readonly websiteId: string;
  readonly day: Day;
  readonly visitor: bigint;
  /** In the order of {@link compareHits}; never empty. */
  readonly hits: readonly VisitHit[];
  /** Gives the visit its source, channel, referrer, utm labels, country, language, browser, os and device. */
  readonly first: CountedHit;
  readonly pageviews: number;
  readonly events: number;
  /** The pages of the first and the last pageview; `null` without a pageview. */
  readonly entryPage: string | null;
  readonly exitPage: string | null;
  /** Last hit minus first hit, in milliseconds. */
  readonly duration: number;
  /** Exactly one pageview and no event. */
  readonly bounce: boolean;
  /** Engaged seconds, of measured pageviews; `null` without any. */
  readonly seconds: number | null;
  /** With the pages that are stored, if this has others (`showPages`). */
  readonly stored?: Visit;
}

/**
 * Computes the visits from hits of any websites, sorted by website, day, visitor and time (counting.md, "Words").
 * This is the definition that every adapter is compared with: it reads all hits and sorts them, so the order of `hits`
 * is irrelevant.
 *
 * @param isCounted leaves hits out, but not before measures have found their pageviews
 */
export function visitsOf(hits: readonly CountedHit[], isCounted: (hit: CountedHit) => boolean = () => true): Visit[] {
  const byVisitor = new Map<string, CountedHit[]>();
  for (const hit of hits) {
    const key = `${hit.websiteId} ${hit.day} ${hit.visitor}`;
    byVisitor.set(key, [...(byVisitor.get(key) ?? []), hit]);
  }
  return [...byVisitor.entries()]
    .sort(([a], [b]) => compareStrings(a, b))
    .flatMap(([, ofVisitor]) => {
      const hits = ofVisitor.filter(({ measure }) => measure === undefined).sort(compareHits);
      const measures = ofVisitor.filter(({ measure }) => measure !== undefined);
      return splitAtGaps(measuredHits(hits, measures).filter(isCounted)).map(visitOf);
    });
}

/**
 * The order of a visitor's hits: by time, pageviews first, then by page and name in byte order. Ties are broken by what
 * a visit takes from its first hit, in the order of {@link FIRST_HIT_DIMENSIONS}; `null` comes last. Then by properties.
 */
export function compareHits(a: CountedHit, b: CountedHit): number {
  return (
    a.time.getTime() - b.time.getTime() ||
    Number(a.name !== null) - Number(b.name !== null) ||
    compareStrings(a.page, b.page) ||
    compareStrings(a.name, b.name) ||
    FIRST_HIT_DIMENSIONS.reduce(
      (order, dimension) => order || compareStrings(firstHitValue(a, dimension), firstHitValue(b, dimension)),
      0,
    ) ||
    compareProps(a.props, b.props)
  );
}

/** Compares properties as the list of their names and values, sorted by name; a list that ends first comes first. */
function compareProps(a: CountedHit['props'], b: CountedHit['props']): number {
  const [list, other] = [propertiesOf(a), propertiesOf(b)];
  const place = list.findIndex((text, index) => text !== other[index]);
  const [text, otherText] = [list[place], other[place]];
  if (text === undefined || otherText === undefined) return list.length - other.length;
  return compareStrings(text, otherText);
}

function propertiesOf(props: CountedHit['props']): readonly string[] {
  const entries = Object.entries(props ?? {}).sort(([name], [other]) => compareStrings(name, other));
  return entries.flatMap(([name, value]) => [name, String(value)]);
}

function splitAtGaps(hits: readonly VisitHit[]): VisitHit[][] {
  const visits: VisitHit[][] = [];
  let last: VisitHit | undefined;
  for (const hit of hits) {
    if (last !== undefined && hit.time.getTime() - last.time.getTime() <= VISIT_GAP_MS) visits.at(-1)?.push(hit);
    else visits.push([hit]);
    last = hit;
  }
  return visits;
}

function visitOf(hits: readonly VisitHit[]): Visit {
  const [first] = hits;
  const last = hits.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('A visit has at least one hit.');
  const pageviews = hits.filter((hit) => hit.name === null);
  const events = hits.length - pageviews.length;
  const measures = pageviews.flatMap(({ measure }) => measure ?? []);
  return {
    websiteId: first.websiteId,
    day: first.day,
    visitor: first.visitor,
    hits,
    first,
    pageviews: pageviews.length,
    events,
    entryPage: pageviews[0]?.page ?? null,
    exitPage: pageviews.at(-1)?.page ?? null,
    duration: last.time.getTime() - first.time.getTime(),
    bounce: pageviews.length === 1 && events === 0,
    seconds: measures.length === 0 ? null : measures.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}
