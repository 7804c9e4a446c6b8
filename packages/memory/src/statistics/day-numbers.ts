import { compareStrings, groupBy } from '@hitherto/domain/base';
import { startOfHour, type TimeZone } from '@hitherto/domain/calendar';
import type { ValueTotals } from '@hitherto/domain/engine';
import { type CountedHit, DIMENSIONS, MAX_VALUES_PER_DAY, type Measure, OTHER_VALUES } from '@hitherto/domain/hits';
import { engagementOf, isEngaged, type NumberKind, sumTotals, type Visit, valuesOf } from '@hitherto/domain/visits';

/** The numbers of one website on one day, by kind and value; the value of an hour is its start in ISO 8601. */
export type DayNumbers = Record<NumberKind, ValueTotals[]>;

/** A visit and one of its values, with the hits of that value. */
interface Item {
  readonly visit: Visit;
  readonly value: string | null;
  readonly pageviews: number;
  readonly events: number;
  /** Of these pageviews, as far as they are measured. */
  readonly measures: readonly Measure[];
  /** Whether the visit itself counts here; in an hour in which it only continues, it does not. */
  readonly counts: boolean;
}

/** All numbers of a day from its visits; each list has at most as many values as a day stores. */
export function dayNumbers(visits: readonly Visit[], zone: TimeZone): DayNumbers {
  const lists = DIMENSIONS.map((dimension) => [dimension, dayValues(visits, dimension, zone, true)]);
  return {
    ...Object.fromEntries(lists),
    total: dayValues(visits, 'total', zone, true),
    hour: dayValues(visits, 'hour', zone, true),
  };
}

/** The numbers of a day by the values of one kind. */
export function dayValues(
  visits: readonly Visit[],
  kind: NumberKind,
  zone: TimeZone,
  isFolded: boolean,
): ValueTotals[] {
  const values = valueTotals(visits.flatMap((visit) => itemsOf(visit, kind, zone)));
  if (!isFolded) return values;
  const kept = new Set(values.slice(0, MAX_VALUES_PER_DAY).map(({ value }) => value));
  const fold = (item: Item): Item => (kept.has(item.value) ? item : { ...item, value: OTHER_VALUES });
  return valueTotals(visits.flatMap((visit) => itemsOf(visit, kind, zone).map(fold)));
}

/** The properties' values of a day's events of one name, or of any. */
export function dayProperties(visits: readonly Visit[], event: string | undefined, property: string): ValueTotals[] {
  return valueTotals(
    visits.flatMap((visit) =>
      visit.hits
        .filter(({ name, props }) => name === (event ?? name) && props !== null && Object.hasOwn(props, property))
        .map(({ props }) => ({
          visit,
          value: String(props?.[property]),
          pageviews: 0,
          events: 1,
          measures: [],
          counts: true,
        })),
    ),
  );
}

/** Adds numbers up by value, in the order of a list. */
export function sumByValue(rows: readonly ValueTotals[]): ValueTotals[] {
  return [...groupBy(rows, ({ value }) => value)]
    .map(([value, ofValue]) => ({ value, ...sumTotals(ofValue) }))
    .sort((a, b) => b.visitors - a.visitors || compareStrings(a.value, b.value));
}

function itemsOf(visit: Visit, kind: NumberKind, zone: TimeZone): Item[] {
  const { pageviews, events } = visit;
  const measures = visit.hits.flatMap(measuresOf);
  switch (kind) {
    case 'total':
      return [{ visit, value: null, pageviews, events, measures, counts: true }];
    case 'hour': {
      const hourOf = (time: Date) => startOfHour(zone, time).toISOString();
      return visit.hits.map((hit) => ({
        visit,
        value: hourOf(hit.time),
        pageviews: hit.name === null ? 1 : 0,
        events: hit.name === null ? 0 : 1,
        measures: measuresOf(hit),
        counts: hourOf(hit.time) === hourOf(visit.first.time),
      }));
    }
    case 'page':
      return visit.hits
        .filter(({ name }) => name === null)
        .map((hit) => ({ visit, value: hit.page, pageviews: 1, events: 0, measures: measuresOf(hit), counts: true }));
    case 'event':
      return visit.hits
        .filter(({ name }) => name !== null)
        .map(({ name }) => ({ visit, value: name, pageviews: 0, events: 1, measures: [], counts: true }));
    default:
      return valuesOf(visit, kind).map((value) => ({ visit, value, pageviews, events, measures, counts: true }));
  }
}

function measuresOf({ measure }: CountedHit): readonly Measure[] {
  return measure === undefined ? [] : [measure];
}

/** A visit counts once for each value, however many items it has there. */
function valueTotals(items: readonly Item[]): ValueTotals[] {
  const totals = [...groupBy(items, ({ value }) => value)].map(([value, ofValue]) => {
    const counted = [...new Set(ofValue.filter(({ counts }) => counts).map(({ visit }) => visit))];
    const measures = ofValue.flatMap((item) => item.measures);
    const measuredVisits = counted.filter(({ seconds }) => seconds !== null);
    const engagement = {
      measured: measures.length,
      seconds: measures.reduce((sum, { seconds }) => sum + seconds, 0),
      scroll: measures.reduce((sum, { scroll }) => sum + scroll, 0),
      measuredVisits: measuredVisits.length,
      engagedVisits: measuredVisits.filter((visit) => isEngaged({ ...visit, seconds: visit.seconds ?? 0 })).length,
    };
    return {
      value,
      visitors: new Set(ofValue.map(({ visit }) => visit.visitor)).size,
      visits: counted.length,
      pageviews: ofValue.reduce((sum, { pageviews }) => sum + pageviews, 0),
      events: ofValue.reduce((sum, { events }) => sum + events, 0),
      bounces: counted.filter(({ bounce }) => bounce).length,
      visitsWithPageviews: counted.filter(({ pageviews }) => pageviews > 0).length,
      duration: counted.reduce((sum, { duration }) => sum + duration, 0),
      ...engagementOf((name) => engagement[name]),
    };
  });
  return totals.sort((a, b) => b.visitors - a.visitors || compareStrings(a.value, b.value));
}
