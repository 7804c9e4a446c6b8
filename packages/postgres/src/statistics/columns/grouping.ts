import { startOfHour, type TimeZone } from '@hitherto/domain/calendar';
import type { EventProperty } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { propertyText } from '@hitherto/domain/visits';
import { stringsOf } from './choose.ts';
import { byCode, COLUMNS_OF_HITS, type ColumnName, type EventValue, type VisitColumns } from './visit-columns.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Visits grouped by something: each visit belongs to one group, whose place among the keys is its code; or to the groups of
 * its hits, by their codes, where 0 stands for no group.
 */
export interface Groups<Key> {
  readonly keys: readonly Key[];
  readonly per: 'visit' | 'hit';
  readonly codes: Uint32Array;
}

/** A way to group visits. */
export interface Grouping<Key> {
  /** The columns that `groupsOf` reads. */
  readonly columns: readonly ColumnName[];
  readonly groupsOf: (visits: VisitColumns) => Groups<Key>;
}

/** Groups visits by the values of a dimension. */
export function byDimension(dimension: Dimension): Grouping<string | null> {
  switch (dimension) {
    case 'page':
      return {
        columns: COLUMNS_OF_HITS,
        groupsOf: (visits) => ({
          keys: visits.pages(),
          per: 'hit',
          codes: byCode(visits, (_, place) => place, undefined),
        }),
      };
    case 'event':
      return byEvents(([name]) => name);
    default: {
      const { columns, strings } = stringsOf(dimension);
      return {
        columns,
        groupsOf: (visits) => {
          const { values, codes } = strings(visits);
          return { keys: values, per: 'visit', codes };
        },
      };
    }
  }
}

/** Groups visits by the values of a property of their events of one name, or of any. */
export function byProperty({
  event,
  property,
}: Pick<EventProperty, 'property'> & { readonly event: string | undefined }): Grouping<string | null> {
  return byEvents(([name, props]) => (name === (event ?? name) ? propertyText(props, property) : undefined));
}

/** Groups visits by the names of the properties of their events of one name, as JSON. */
export function byPropertyNames(event: string): Grouping<string | null> {
  return byEvents(([name, props]) => (name === event ? JSON.stringify(Object.keys(props ?? {})) : undefined));
}

function byEvents(keyOf: (event: EventValue) => string | undefined): Grouping<string | null> {
  return {
    columns: COLUMNS_OF_HITS,
    groupsOf: (visits) => {
      const places = new Map<string | null, number>([[null, 0]]);
      const codes = byCode(visits, undefined, (event) => {
        const key = keyOf(event);
        return key === undefined ? 0 : placeOfKey(places, key);
      });
      return { keys: [...places.keys()], per: 'hit', codes };
    },
  };
}

/** The hours of hits, by their start in seconds as in summaries, and the place of each hit's hour. */
export function hoursOfHits(
  visits: VisitColumns,
  zone: TimeZone,
): { readonly keys: readonly string[]; readonly codes: Uint32Array } {
  const places = new Map<number, number>();
  const ofMinutes: number[] = [];
  const hourAt = (time: number) => startOfHour(zone, new Date(time)).getTime();
  const placeOfMinute = (minute: number): number => {
    const known = ofMinutes[minute];
    if (known !== undefined) return known;
    const hour = hourAt((visits.firstMinute + minute) * MINUTE_MS);
    const place = placeOfKey(places, hour);
    // Within the hour, clocks may change by a part of an hour.
    const isWhole = hourAt(hour + HOUR_MS - MINUTE_MS) === hour;
    const first = Math.ceil(hour / MINUTE_MS) - visits.firstMinute;
    const [from, end] = isWhole ? [Math.max(0, first), first + HOUR_MS / MINUTE_MS] : [minute, minute + 1];
    for (let at = from; at < end; at += 1) ofMinutes[at] = place;
    return place;
  };
  const codes = visits.numbers('minutes').map(placeOfMinute);
  return { keys: Array.from(places.keys(), (hour) => String(hour / SECOND_MS)), codes };
}

/** Groups visits by the hour in which they begin. */
export function byHour(zone: TimeZone): Grouping<string | null> {
  return {
    columns: [...COLUMNS_OF_HITS, 'minutes'],
    groupsOf: (visits) => {
      const { keys, codes } = hoursOfHits(visits, zone);
      const starts = visits.starts();
      return { keys, per: 'visit', codes: starts.subarray(0, -1).map((start) => codes[start] ?? 0) };
    },
  };
}

/** Puts all visits of a row into one group. */
export function byKey<Key>(keyOf: (visits: VisitColumns) => Key): Grouping<Key> {
  return {
    columns: [],
    groupsOf: (visits) => ({ keys: [keyOf(visits)], per: 'visit', codes: new Uint32Array(visits.visits) }),
  };
}

/** Groups visits by other keys; several may become one. */
export function mapKeys<Key, Other>(
  { columns, groupsOf }: Grouping<Key>,
  otherOf: (key: Key, visits: VisitColumns) => Other,
): Grouping<Other> {
  return {
    columns,
    groupsOf: (visits) => {
      const { keys, per, codes } = groupsOf(visits);
      const others = keys.map((key) => otherOf(key, visits));
      const places = new Map<Other, number>();
      // The first place of hits stands for no group.
      others.forEach((other, place) => {
        if ((per === 'visit' || place > 0) && !places.has(other)) places.set(other, place);
      });
      const table = Uint32Array.from(others, (other, place) =>
        per === 'hit' && place === 0 ? 0 : (places.get(other) ?? 0),
      );
      return { keys: others, per, codes: codes.map((code) => table[code] ?? 0) };
    },
  };
}

function placeOfKey<Key>(places: Map<Key, number>, key: Key): number {
  const place = places.get(key) ?? places.size;
  places.set(key, place);
  return place;
}
