import { FIRST_HIT_DIMENSIONS, type FirstHitDimension, mapDimensions } from '@hitherto/domain/hits';
import { GROUPS } from './groups.ts';
import type { GroupValues } from './part.ts';
import { type EventValue, remembered } from './visit-columns.ts';

/** The values of a dimension: the first is `null`. Each combination of the dimension's group has the place of its value. */
interface DimensionValues {
  readonly values: (string | null)[];
  readonly places: Map<string | null, number>;
  readonly ofGroup: number[];
}

/** The distinct values of hits, and their places; those of an event are counted from 1, and 0 stands for a pageview. */
export interface DayValues {
  /** The first is `null`. */
  readonly pages: readonly (string | null)[];
  readonly events: readonly EventValue[];
  readonly dimensions: Readonly<Record<FirstHitDimension, Pick<DimensionValues, 'values' | 'ofGroup'>>>;
  pageOf(page: string | null): number;
  eventOf(event: EventValue): number;
  groupOf(group: number, values: GroupValues): number;
  /** The values of a group at a place. */
  valuesOf(group: number, place: number): GroupValues;
  /** How many there are. */
  size(): number;
}

export function createDayValues(): DayValues {
  const pages: (string | null)[] = [null];
  const pagePlaces = new Map<string | null, number>([[null, 0]]);
  const events: EventValue[] = [];
  const eventPlaces = new Map<string, number>();
  const groups = GROUPS.map(() => ({ values: [] as GroupValues[], places: new Map<string, number>() }));
  const dimensions = mapDimensions(
    FIRST_HIT_DIMENSIONS,
    (): DimensionValues => ({ values: [null], places: new Map([[null, 0]]), ofGroup: [] }),
  );

  const pageOf = (page: string | null) => remembered(pagePlaces, page, () => pages.push(page) - 1);

  const eventOf = ([name, props]: EventValue) => {
    const sorted = props && Object.entries(props).sort(([a], [b]) => (a < b ? -1 : 1));
    return remembered(eventPlaces, JSON.stringify([name, sorted]), () => events.push([name, props]));
  };

  const groupOf = (group: number, ofGroup: GroupValues) => {
    const { values, places } = groups[group] ?? { values: [], places: new Map<string, number>() };
    return remembered(places, JSON.stringify(ofGroup), () => {
      const place = values.push(ofGroup) - 1;
      GROUPS[group]?.forEach((dimension, field) => {
        const known = dimensions[dimension];
        const value = ofGroup[field] ?? null;
        known.ofGroup[place] = remembered(known.places, value, () => known.values.push(value) - 1);
      });
      return place;
    });
  };

  return {
    ...{ pages, events, dimensions, pageOf, eventOf, groupOf },

    valuesOf: (group, place) => groups[group]?.values[place] ?? [],

    size: () => pages.length + events.length + groups.reduce((sum, { values }) => sum + values.length, 0),
  };
}
