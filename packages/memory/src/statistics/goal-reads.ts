import { compareBytes, groupBy } from '@hitherto/domain/base';
import { type Day, startOfHour, type TimeZone } from '@hitherto/domain/calendar';
import {
  type ConversionsBy,
  type ConvertedRow,
  type GoalReads,
  isChoice,
  type StatisticsQuery,
} from '@hitherto/domain/engine';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import { conversionsOf, stepsReached, sumOfProperty, type Visit, valuesOf } from '@hitherto/domain/visits';
import { dayValues } from './day-numbers.ts';

/**
 * Computes goals and funnels from all hits, as counting.md defines them.
 *
 * @param visitsByDay the visits that a query selects
 * @param zoneOf the time zone of a website
 */
export function createGoalReads(
  visitsByDay: (query: StatisticsQuery) => ReadonlyMap<Day, readonly Visit[]>,
  zoneOf: (websiteId: string) => TimeZone | undefined,
): GoalReads<StatisticsQuery> {
  const visitsOf = (query: StatisticsQuery) => [...visitsByDay(query).values()].flat();

  return {
    async goals(query, goals) {
      return goals.map(({ rule, sum }) => {
        const converted = visitsOf(query).filter((visit) => conversionsOf(visit, rule).length > 0);
        const hits = converted.flatMap((visit) => conversionsOf(visit, rule));
        const ofDays = [...visitsByDay(query)].map(([day, visits]) => ({
          day,
          conversions: visits.reduce((count, visit) => count + conversionsOf(visit, rule).length, 0),
        }));
        return {
          visitors: visitorsOf(converted),
          visits: converted.length,
          conversions: hits.length,
          sum: sum === null ? null : sumOfProperty(hits, sum),
          days: ofDays.filter(({ conversions }) => conversions > 0).sort((a, b) => compareBytes(a.day, b.day)),
        };
      });
    },

    async funnel(query, funnel) {
      const visits = visitsOf(query).map((visit) => ({ visit, reached: stepsReached(visit, funnel) }));
      return funnel.steps.map((_, step) => {
        const reaching = visits.filter(({ reached }) => reached > step).map(({ visit }) => visit);
        return { visits: reaching.length, visitors: visitorsOf(reaching) };
      });
    },

    async conversions(query, { rule }, by, values) {
      const zone = zoneOf(query.websiteId);
      if (zone === undefined) return [];
      const items = [...visitsByDay(query)].flatMap(([, visits]) => {
        const keysOf = keysOfDay(visits, by, zone, !isChoice(query));
        return visits
          .filter((visit) => conversionsOf(visit, rule).length > 0)
          .flatMap((visit) => [...new Set(keysOf(visit))].map((key) => ({ key, visit })));
      });
      return [...groupBy(items, ({ key }) => key)]
        .filter(([key]) => values === undefined || values.includes(key))
        .map(([key, ofKey]): ConvertedRow => {
          const visits = ofKey.map(({ visit }) => visit);
          const conversions = visits.reduce((sum, visit) => sum + conversionsOf(visit, rule).length, 0);
          return { key: by === 'hour' ? new Date(key ?? Number.NaN) : key, visitors: visitorsOf(visits), conversions };
        });
    },
  };
}

/** A visitor is one of a day. */
function visitorsOf(visits: readonly Visit[]): number {
  return new Set(visits.map(({ day, visitor }) => `${day} ${visitor}`)).size;
}

/** The groups that the visits of a day belong to; rare values are folded as in the lists. */
function keysOfDay(
  visits: readonly Visit[],
  by: ConversionsBy,
  zone: TimeZone,
  isFolded: boolean,
): (visit: Visit) => readonly (string | null)[] {
  if (typeof by === 'object') return (visit) => propertyValuesOf(visit, by.event, by.property);
  switch (by) {
    case 'total':
      return () => [null];
    case 'day':
      return ({ day }) => [day];
    case 'hour':
      return ({ first }) => [startOfHour(zone, first.time).toISOString()];
    default:
      return isFolded ? foldedValues(visits, by, zone) : (visit) => valuesOf(visit, by);
  }
}

function foldedValues(visits: readonly Visit[], dimension: Dimension, zone: TimeZone) {
  const kept = new Set(dayValues(visits, dimension, zone, true).map(({ value }) => value));
  return (visit: Visit) => valuesOf(visit, dimension).map((value) => (kept.has(value) ? value : OTHER_VALUES));
}

function propertyValuesOf({ hits }: Visit, event: string, property: string): string[] {
  return hits.flatMap(({ name, props }) =>
    name === event && props !== null && Object.hasOwn(props, property) ? [String(props[property])] : [],
  );
}
