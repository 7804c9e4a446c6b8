import type { Day } from '@hitherto/domain/calendar';
import {
  type CountedHit,
  FIRST_HIT_DIMENSIONS,
  type FirstHitDimension,
  HIT_STRINGS,
  mapDimensions,
} from '@hitherto/domain/hits';
import {
  FIELDS,
  FIELDS_OF_GROUPS,
  GROUPS,
  type HitRow,
  isNull,
  jsonOf,
  rawFields,
  textOf,
  timeOf,
} from './hit-rows.ts';
import type { EventValue } from './visit-columns.ts';
import { createVisitorTable, type VisitorTable } from './visitor-table.ts';

/** The values of a dimension: the first is `null`. Each combination of the dimension's group has the place of its value. */
interface DimensionValues {
  readonly values: (string | null)[];
  readonly places: Map<string | null, number>;
  readonly ofGroup: number[];
}

/** The hits of a website's day, by columns, in the order in which they were added. */
export interface DayHits {
  readonly day: Day;
  readonly visitors: VisitorTable;
  /** Of each hit: its visitor's place, and the time in milliseconds. */
  visitorOf(hit: number): number;
  timeOf(hit: number): number;
  /** The place of the hit's page among the pages. */
  pageOf(hit: number): number;
  /** The place of an event among the events, counted from 1; 0 of a pageview. */
  eventOf(hit: number): number;
  /** The code of the values of a group. */
  groupOf(hit: number, group: number): number;
  /** The last hit of a visitor, and the one before another, counted from 1; 0 if there is none. */
  lastOf(visitor: number): number;
  hitBefore(hit: number): number;
  /** The distinct pages. The first is `null`. */
  readonly pages: readonly (string | null)[];
  readonly events: readonly EventValue[];
  readonly dimensions: Readonly<Record<FirstHitDimension, Pick<DimensionValues, 'values' | 'ofGroup'>>>;
  /** How many hits there are. */
  size(): number;
  /** About how much memory they take. */
  bytes(): number;
  add(row: HitRow): void;
  /** A hit as the domain knows it. */
  hitOf(hit: number): CountedHit;
}

const FIRST_SIZE = 64;
/** Of a string in a dictionary. */
const STRING_BYTES = 150;

export function createDayHits(day: Day): DayHits {
  let visitor = new Uint32Array(FIRST_SIZE);
  let time = new Float64Array(FIRST_SIZE);
  let page = new Uint32Array(FIRST_SIZE);
  let event = new Uint32Array(FIRST_SIZE);
  let before = new Uint32Array(FIRST_SIZE);
  let last = new Uint32Array(FIRST_SIZE);
  let groups = GROUPS.map(() => new Uint32Array(FIRST_SIZE));
  let size = 0;
  const visitors = createVisitorTable();
  const pages: (string | null)[] = [null];
  const events: EventValue[] = [];
  const pagePlaces = new Map<string, number>();
  const eventPlaces = new Map<string, number>();
  const groupPlaces = GROUPS.map(() => new Map<string, number>());
  const dimensions = mapDimensions(
    FIRST_HIT_DIMENSIONS,
    (): DimensionValues => ({ values: [null], places: new Map([[null, 0]]), ofGroup: [] }),
  );

  const grow = () => {
    visitor = larger(visitor);
    time = larger(time);
    page = larger(page);
    event = larger(event);
    before = larger(before);
    groups = groups.map(larger);
  };

  const placeOfPage = (row: HitRow): number => {
    const raw = rawFields(row, FIELDS.page, FIELDS.page);
    const known = pagePlaces.get(raw);
    if (known !== undefined) return known;
    pagePlaces.set(raw, pages.length);
    return pages.push(textOf(row, FIELDS.page)) - 1;
  };

  const placeOfEvent = (row: HitRow): number => {
    if (isNull(row, FIELDS.name)) return 0;
    const raw = rawFields(row, FIELDS.name, FIELDS.props);
    const known = eventPlaces.get(raw);
    if (known !== undefined) return known;
    const place = events.push([textOf(row, FIELDS.name) ?? '', jsonOf(row, FIELDS.props)]);
    eventPlaces.set(raw, place);
    return place;
  };

  const placeInGroup = (row: HitRow, group: number): number => {
    const [first, end] = FIELDS_OF_GROUPS[group] ?? [0, 0];
    const raw = rawFields(row, first, end);
    const places = groupPlaces[group];
    const known = places?.get(raw);
    if (known !== undefined) return known;
    const place = places?.size ?? 0;
    places?.set(raw, place);
    GROUPS[group]?.forEach((dimension, field) => {
      const { values, places: known, ofGroup } = dimensions[dimension];
      const value = textOf(row, first + field);
      const code = known.get(value) ?? values.push(value) - 1;
      known.set(value, code);
      ofGroup[place] = code;
    });
    return place;
  };

  const valueIn = (hit: number, dimension: FirstHitDimension): string | null => {
    const { values, ofGroup } = dimensions[dimension];
    const group = GROUPS.findIndex((names) => names.includes(dimension));
    return values[ofGroup[groups[group]?.[hit] ?? 0] ?? 0] ?? null;
  };

  return {
    day,
    visitors,
    pages,
    events,
    dimensions,
    visitorOf: (hit) => visitor[hit] ?? 0,
    timeOf: (hit) => time[hit] ?? 0,
    pageOf: (hit) => page[hit] ?? 0,
    eventOf: (hit) => event[hit] ?? 0,
    groupOf: (hit, group) => groups[group]?.[hit] ?? 0,
    lastOf: (place) => last[place] ?? 0,
    hitBefore: (hit) => before[hit] ?? 0,
    size: () => size,

    bytes() {
      const lists = [visitor, time, page, event, before, last, ...groups];
      const strings = pages.length + events.length + groupPlaces.reduce((sum, places) => sum + places.size, 0);
      return lists.reduce((sum, list) => sum + list.byteLength, visitors.bytes()) + strings * STRING_BYTES;
    },

    add(row) {
      if (size === visitor.length) grow();
      const at = row.starts[FIELDS.visitor] ?? 0;
      const place = visitors.placeOf(row.bytes.readUInt32BE(at), row.bytes.readUInt32BE(at + 4));
      if (place >= last.length) last = larger(last);
      visitor[size] = place;
      time[size] = timeOf(row);
      page[size] = placeOfPage(row);
      event[size] = placeOfEvent(row);
      for (let group = 0; group < groups.length; group += 1) {
        const codes = groups[group];
        if (codes !== undefined) codes[size] = placeInGroup(row, group);
      }
      before[size] = last[place] ?? 0;
      size += 1;
      last[place] = size;
    },

    hitOf(hit) {
      const [name, props] = events[(event[hit] ?? 0) - 1] ?? [null, null];
      const strings = FIRST_HIT_DIMENSIONS.map((dimension) => [HIT_STRINGS[dimension], valueIn(hit, dimension)]);
      // The dimensions are all other fields.
      return {
        ...Object.fromEntries(strings),
        websiteId: '',
        day,
        visitor: visitors.visitorAt(visitor[hit] ?? 0),
        time: new Date(time[hit] ?? 0),
        page: pages[page[hit] ?? 0] ?? '',
        name,
        props,
      } as CountedHit;
    },
  };
}

function larger<List extends Uint32Array | Float64Array>(list: List): List;
function larger(list: Uint32Array | Float64Array): Uint32Array | Float64Array {
  const copy = list instanceof Float64Array ? new Float64Array(2 * list.length) : new Uint32Array(2 * list.length);
  copy.set(list);
  return copy;
}
