import { storableString } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import { bareDetails, type CountedHit, FIRST_HIT_DIMENSIONS, HIT_STRINGS } from '@hitherto/domain/hits';
import { measureCode, measureOfCode } from '@hitherto/domain/visits';
import { createDayValues, type DayValues } from './day-values.ts';
import { GROUPS } from './groups.ts';
import { larger } from './larger.ts';
import type { GroupValues, HitsOfPart, StoredMeasure } from './part.ts';
import { storableProps } from './storable-props.ts';
import { GROUP_OF } from './stored-columns.ts';
import { createVisitorTable, type VisitorTable } from './visitor-table.ts';

/** The hits of a website's day, and the measures of its pageviews, by columns, in the order in which they were added. */
export interface DayHits extends Pick<DayValues, 'pages' | 'events' | 'dimensions' | 'valuesOf'> {
  readonly day: Day;
  readonly visitors: VisitorTable;
  /** Of each hit: its visitor's place, and the time in milliseconds. */
  visitorOf(hit: number): number;
  timeOf(hit: number): number;
  /** The place of the hit's page, or of an increment's, among the pages. */
  pageOf(hit: number): number;
  /** The place of an event among the events, counted from 1; 0 of a pageview. */
  eventOf(hit: number): number;
  /** The number of a pageview, or of the pageview that a measure is of; 0 without one, as of an increment. */
  viewOf(hit: number): number;
  /** The code of a measure (`measureCode` in the domain), which is no hit; 0 of a hit. */
  measureOf(hit: number): number;
  /** Whether there is any measure. */
  hasMeasures(): boolean;
  /** The code of the values of a group. */
  groupOf(hit: number, group: number): number;
  /** The last hit of a visitor, and the one before another, counted from 1; 0 if there is none. */
  lastOf(visitor: number): number;
  hitBefore(hit: number): number;
  /** How many hits there are. */
  size(): number;
  /** About how much memory they take. */
  bytes(): number;
  /** Adds a hit as the domain knows it, or the hits of a part, all or of visitors with some high bits. */
  addHit(hit: Omit<CountedHit, 'websiteId' | 'day'>): void;
  addPart(part: HitsOfPart, isChosen?: (high: number) => boolean): void;
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
  let view = new Uint32Array(FIRST_SIZE);
  let measure = new Uint32Array(FIRST_SIZE);
  let measures = 0;
  let before = new Uint32Array(FIRST_SIZE);
  let last = new Uint32Array(FIRST_SIZE);
  let groups = GROUPS.map(() => new Uint32Array(FIRST_SIZE));
  let size = 0;
  const visitors = createVisitorTable();
  const values = createDayValues();
  const { pages, events, dimensions, valuesOf } = values;

  const grow = () => {
    visitor = larger(visitor);
    time = larger(time);
    page = larger(page);
    event = larger(event);
    view = larger(view);
    measure = larger(measure);
    before = larger(before);
    groups = groups.map(larger);
  };

  /** Adds a hit, but for the codes of its groups. */
  const add = (high: number, low: number, ofTime: number, ofPage: number, ofEvent: number, ofView: number) => {
    if (size === visitor.length) grow();
    const place = visitors.placeOf(high, low);
    if (place >= last.length) last = larger(last);
    visitor[size] = place;
    time[size] = ofTime;
    page[size] = ofPage;
    event[size] = ofEvent;
    view[size] = ofView;
    before[size] = last[place] ?? 0;
    size += 1;
    last[place] = size;
  };
  const addMeasure = (...[high, low, ofTime, of, code]: StoredMeasure) => {
    const [ofPage, ofView] = typeof of === 'string' ? [values.pageOf(of), 0] : [0, of];
    add(high, low, ofTime, ofPage, 0, ofView);
    measure[size - 1] = code;
    measures += 1;
  };
  const setGroup = (group: number, code: number) => {
    const codes = groups[group];
    if (codes !== undefined) codes[size - 1] = code;
  };

  return {
    ...{ day, visitors, pages, events, dimensions, valuesOf },
    visitorOf: (hit) => visitor[hit] ?? 0,
    timeOf: (hit) => time[hit] ?? 0,
    pageOf: (hit) => page[hit] ?? 0,
    eventOf: (hit) => event[hit] ?? 0,
    viewOf: (hit) => view[hit] ?? 0,
    measureOf: (hit) => measure[hit] ?? 0,
    hasMeasures: () => measures > 0,
    groupOf: (hit, group) => groups[group]?.[hit] ?? 0,
    lastOf: (place) => last[place] ?? 0,
    hitBefore: (hit) => before[hit] ?? 0,
    size: () => size,

    bytes() {
      const lists = [visitor, time, page, event, view, measure, before, last, ...groups];
      return lists.reduce((sum, list) => sum + list.byteLength, visitors.bytes()) + values.size() * STRING_BYTES;
    },

    addHit(hit) {
      const { visitor, time, name, props, view, measure } = hit;
      const page = storableString(hit.page);
      const [high, low] = [Number(visitor >> 32n), Number(visitor & LOW_BITS)];
      if (measure !== undefined) return addMeasure(high, low, time.getTime(), view ?? page, measureCode(measure));
      const ofEvent = name === null ? 0 : values.eventOf([storableString(name), props && storableProps(props)]);
      add(high, low, time.getTime(), values.pageOf(page), ofEvent, view ?? 0);
      for (const [group, names] of GROUPS.entries()) {
        const ofGroup = names.map((dimension) => {
          const field = HIT_STRINGS[dimension];
          const value = field === undefined ? null : hit[field];
          return value === null ? null : storableString(value);
        });
        setGroup(group, values.groupOf(group, ofGroup));
      }
    },

    addPart({ high, low, pages: ofPart, events: eventsOfPart, groups: groupsOfPart, ...hits }, isChosen = () => true) {
      const ofPages = ofPart.map(values.pageOf);
      const ofEvents = [0, ...eventsOfPart.map(values.eventOf)];
      const ofGroups = groupsOfPart.map(({ values: list }, group) =>
        list.map((ofGroup: GroupValues) => values.groupOf(group, ofGroup)),
      );
      for (let hit = 0; hit < hits.visitor.length; hit += 1) {
        const place = hits.visitor[hit] ?? 0;
        if (!isChosen(high[place] ?? 0)) continue;
        const [ofPage, ofEvent] = [ofPages[hits.page[hit] ?? 0] ?? 0, ofEvents[hits.event[hit] ?? 0] ?? 0];
        const ofView = hits.view[hit] ?? 0;
        add(high[place] ?? 0, low[place] ?? 0, hits.time[hit] ?? 0, ofPage, ofEvent, ofView);
        for (let group = 0; group < groups.length; group += 1) {
          setGroup(group, ofGroups[group]?.[groupsOfPart[group]?.codes[hit] ?? 0] ?? 0);
        }
        const code = hits.measure[hit] ?? 0;
        // Increments come on their own.
        if (code > 0 && ofView > 0) addMeasure(high[place] ?? 0, low[place] ?? 0, hits.time[hit] ?? 0, ofView, code);
      }
      for (const measure of hits.measures) {
        if (isChosen(measure[0])) addMeasure(...measure);
      }
    },

    hitOf(hit) {
      const ofHit = {
        websiteId: '',
        day,
        visitor: visitors.visitorAt(visitor[hit] ?? 0),
        time: new Date(time[hit] ?? 0),
        ...((view[hit] ?? 0) > 0 ? { view: view[hit] } : {}),
      };
      const code = measure[hit] ?? 0;
      const ofPage = pages[page[hit] ?? 0] ?? '';
      if (code > 0) return { ...bareDetails('', ofPage), ...ofHit, measure: measureOfCode(code) };
      const [name, props] = events[(event[hit] ?? 0) - 1] ?? [null, null];
      const strings = FIRST_HIT_DIMENSIONS.map((dimension) => {
        const { values: list, ofGroup } = dimensions[dimension];
        const code = groups[GROUP_OF.get(dimension) ?? 0]?.[hit] ?? 0;
        const value = list[ofGroup[code] ?? 0] ?? null;
        return [HIT_STRINGS[dimension], value];
      });
      // The dimensions are all other fields.
      return {
        ...Object.fromEntries(strings),
        ...ofHit,
        page: ofPage,
        name,
        props,
      } as CountedHit;
    },
  };
}

const LOW_BITS = 2n ** 32n - 1n;
