import type { Day } from '@hitherto/domain/calendar';
import type { FirstHitDimension } from '@hitherto/domain/hits';
import {
  type Coded,
  type CodedStrings,
  decodeCoded,
  decodeLargeNumbers,
  decodeList,
  decodeNumbers,
  type Json,
  open,
  splitColumns,
} from './format.ts';
import { GROUPS } from './groups.ts';
import { CODES, codeOfGroup, codeOfLater, GROUP_OF } from './stored-columns.ts';
import {
  type EventValue,
  isPageview,
  numbersOfVisitors,
  once,
  placeOf,
  remembered,
  startsOf,
  type VisitColumns,
} from './visit-columns.ts';

/** Hits of visitors of a day as they are stored: all hits of each, in the order of their visits. */
export interface Part {
  readonly day: Day;
  readonly hits: number;
  readonly visits: number;
  /** When the first and the last hit were, in milliseconds. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** The columns that were read, by their codes, as they are stored. */
  readonly columns: ReadonlyMap<number, Buffer>;
}

/** The values of a group of dimensions. */
export type GroupValues = readonly (string | null)[];

const MINUTE_MS = 60_000;
const NONE = Buffer.of();

/** The bytes of columns; one that is not stored has none. */
function bytesIn({ columns }: Part): (code: number) => Buffer {
  const together = columns.get(CODES.all);
  if (together !== undefined) {
    const split = splitColumns(open(together));
    return (code) => split.get(code) ?? NONE;
  }
  return (code) => {
    const stored = columns.get(code);
    return stored === undefined ? NONE : open(stored);
  };
}

/** The visits of a part. What was asked for is decoded once. */
export interface PartVisits extends VisitColumns {
  /** When each hit was, in milliseconds; of the column `minutes`. */
  times(): Float64Array;
  /** About how much memory that takes. */
  bytes(): number;
}

/** Of a value in a list, besides its characters. */
const VALUE_BYTES = 60;

/** @param part of which columns may still be added before they are asked for */
export function visitsOfPart(part: Part): PartVisits {
  const { day, visits, firstTime } = part;
  const opened = once(() => bytesIn(part));
  const bytesOf = (code: number) => opened()(code);
  const numbers = new Map<string, Uint32Array>();
  const groups = new Map<number, Coded<GroupValues>>();
  const values = new Map<FirstHitDimension, ValuesOfGroup>();
  let bytes = 0;
  const counted = <List extends Uint32Array>(list: List): List => {
    bytes += list.byteLength;
    return list;
  };
  const listOf = <Value extends Json>(stored: Buffer): readonly Value[] => {
    const list = decodeList<Value>(stored);
    bytes += stored.length + VALUE_BYTES * list.length;
    return list;
  };
  const firstMinute = Math.floor(firstTime / MINUTE_MS);
  const columns: PartVisits = {
    day,
    visits,
    firstMinute,
    numbers: (name) =>
      remembered(numbers, name, () => {
        switch (name) {
          case 'duration':
            return counted(durationsOf(columns.starts(), decodeNumbers(bytesOf(CODES.gaps), part.hits - visits)));
          case 'minutes':
            return counted(minutesOf(columns.times(), firstMinute));
          case 'hits':
            return counted(decodeNumbers(bytesOf(CODES.hits), part.hits));
          default:
            return counted(decodeNumbers(bytesOf(CODES[name]), visits));
        }
      }),
    strings(dimension) {
      const group = GROUP_OF.get(dimension) ?? 0;
      const coded = remembered(groups, group, () => {
        const ofGroup = decodeCoded<GroupValues>(bytesOf(codeOfGroup(group)), visits);
        counted(ofGroup.codes);
        bytes += VALUE_BYTES * ofGroup.values.length;
        return ofGroup;
      });
      const place = GROUPS[group]?.indexOf(dimension) ?? 0;
      const { list, codes } = remembered(values, dimension, () => valuesIn(coded, place));
      const ofVisits = new Uint32Array(visits);
      for (let visit = 0; visit < visits; visit += 1) ofVisits[visit] = codes[coded.codes[visit] ?? 0] ?? 0;
      return { values: list, codes: ofVisits };
    },
    visitors: once(() => counted(numbersOfVisitors(columns.numbers('repeats')))),
    starts: once(() => counted(startsOf(columns.numbers('pageviews'), columns.numbers('events')))),
    measures: once(() => {
      const stored = bytesOf(CODES.measures);
      return stored.length === 0 ? undefined : counted(decodeNumbers(stored, part.hits));
    }),
    pages: once(() => listOf<string | null>(bytesOf(CODES.page_values))),
    events: once(() => listOf<EventValue>(bytesOf(CODES.event_values))),
    times: () => timesOf(part, bytesOf, columns.starts()),
    bytes: () => bytes,
  };
  return columns;
}

function durationsOf(starts: Uint32Array, gaps: Uint32Array): Uint32Array {
  const durations = new Uint32Array(starts.length - 1);
  for (let visit = 0, gap = 0; visit < durations.length; visit += 1) {
    const end = gap + (starts[visit + 1] ?? 0) - (starts[visit] ?? 0) - 1;
    let duration = 0;
    for (; gap < end; gap += 1) duration += gaps[gap] ?? 0;
    durations[visit] = duration;
  }
  return durations;
}

/** The time of each hit, in milliseconds. */
function timesOf({ hits, visits, firstTime }: Part, bytesOf: (code: number) => Buffer, starts: Uint32Array) {
  const started = decodeLargeNumbers(bytesOf(CODES.starts), visits);
  const gaps = decodeNumbers(bytesOf(CODES.gaps), hits - visits);
  const times = new Float64Array(hits);
  for (let visit = 0, hit = 0; visit < visits; visit += 1) {
    const end = starts[visit + 1] ?? 0;
    let time = firstTime + (started[visit] ?? 0);
    for (; hit < end; hit += 1) {
      if (hit > (starts[visit] ?? 0)) time += gaps[hit - visit - 1] ?? 0;
      times[hit] = time;
    }
  }
  return times;
}

function minutesOf(times: Float64Array, firstMinute: number): Uint32Array {
  return Uint32Array.from(times, (time) => Math.floor(time / MINUTE_MS) - firstMinute);
}

/** The distinct values of a dimension, and the place there of the value that each code of its group has. */
interface ValuesOfGroup {
  /** The first one is `null`. */
  readonly list: CodedStrings['values'];
  readonly codes: Uint32Array;
}

function valuesIn({ values }: Coded<GroupValues>, place: number): ValuesOfGroup {
  const codeOf = new Map<string | null, number>([[null, 0]]);
  const codes = Uint32Array.from(values, (ofValue) => {
    // A dimension that came later has no value.
    const value = ofValue[place] ?? null;
    return remembered(codeOf, value, () => codeOf.size);
  });
  return { list: [...codeOf.keys()], codes };
}

/** The hits of a part, one after the other. */
export interface HitsOfPart {
  /** The 64 bits of the visitors, in two halves. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** Of each hit: the place of its visitor, its time in milliseconds, the places of its page and, counted from 1, of its event. */
  readonly visitor: Uint32Array;
  readonly time: Float64Array;
  readonly page: Uint32Array;
  readonly event: Uint32Array;
  /** Of each group: the values, and the place of those of each hit. */
  readonly groups: readonly Coded<GroupValues>[];
  readonly pages: readonly (string | null)[];
  readonly events: readonly EventValue[];
  /** Of each hit: the number of its view and the code of its measure, or 0. */
  readonly view: Uint32Array;
  readonly measure: Uint32Array;
  /** The measures that have no pageview, and all increments. */
  readonly measures: readonly StoredMeasure[];
}

/** A measure: its visitor in two halves, its time in milliseconds, its view, or of an increment its page, and its code. */
export type StoredMeasure = readonly [high: number, low: number, time: number, of: number | string, code: number];

/** The columns that `visitorsOfPart` needs. */
export const VISITOR_COLUMNS: readonly number[] = [
  CODES.visitors,
  CODES.repeats,
  CODES.pageviews,
  CODES.events,
  CODES.starts,
  CODES.gaps,
];

/** The visits of the visitors of a part, of which the `VISITOR_COLUMNS` were read. */
function openVisitors(part: Part) {
  const bytesOf = bytesIn(part);
  const numbersIn = (code: number) => decodeNumbers(bytesOf(code), part.visits);
  const starts = startsOf(numbersIn(CODES.pageviews), numbersIn(CODES.events));
  const ofVisits = numbersOfVisitors(numbersIn(CODES.repeats));
  const visitors = ofVisits.at(-1) ?? 0;
  const { buffer } = new Uint8Array(bytesOf(CODES.visitors));
  const [high, low] = [new Uint32Array(buffer, 0, visitors), new Uint32Array(buffer, visitors * 4, visitors)];
  const visitorAt = (place: number) => (BigInt(high[place] ?? 0) << 32n) | BigInt(low[place] ?? 0);
  return { bytesOf, starts, ofVisits, visitorAt };
}

/** The visitor and the beginning of each visit of a part, in milliseconds. */
export function firstHitsOfPart(part: Part): readonly (readonly [visitor: bigint, time: number])[] {
  const { bytesOf, ofVisits, visitorAt } = openVisitors(part);
  const started = decodeLargeNumbers(bytesOf(CODES.starts), part.visits);
  return Array.from(
    started,
    (start, visit) => [visitorAt((ofVisits[visit] ?? 0) - 1), part.firstTime + start] as const,
  );
}

/** The visitors of the hits of a part between two moments, in milliseconds; the later one is not included. */
export function visitorsOfPart(part: Part, from: number, to: number): bigint[] {
  const { bytesOf, starts, ofVisits, visitorAt } = openVisitors(part);
  const times = from <= part.firstTime && part.lastTime < to ? undefined : timesOf(part, bytesOf, starts);
  const found = new Set<number>();
  for (let visit = 0; visit < part.visits; visit += 1) {
    const ofVisit = times?.subarray(starts[visit], starts[visit + 1]);
    if (ofVisit?.some((time) => from <= time && time < to) ?? true) found.add((ofVisits[visit] ?? 0) - 1);
  }
  return Array.from(found, visitorAt);
}

/** All hits of a part, whose columns must all have been read. */
export function hitsOfPart(part: Part): HitsOfPart {
  const { hits, visits } = part;
  const bytesOf = bytesIn(part);
  const numbersIn = (code: number, length: number) => decodeNumbers(bytesOf(code), length);
  const repeats = numbersIn(CODES.repeats, visits);
  const starts = startsOf(numbersIn(CODES.pageviews, visits), numbersIn(CODES.events, visits));
  const codes = numbersIn(CODES.hits, hits);
  const eventPages = numbersIn(CODES.event_pages, codes.filter((code) => !isPageview(code)).length);
  let events = 0;
  const ofVisits = numbersOfVisitors(repeats);
  const visitors = ofVisits.at(-1) ?? 0;
  const { buffer } = new Uint8Array(bytesOf(CODES.visitors));
  const visitor = new Uint32Array(hits);
  for (let visit = 0; visit < visits; visit += 1) {
    visitor.fill((ofVisits[visit] ?? 0) - 1, starts[visit], starts[visit + 1]);
  }
  return {
    high: new Uint32Array(buffer, 0, visitors),
    low: new Uint32Array(buffer, visitors * Uint32Array.BYTES_PER_ELEMENT, visitors),
    visitor,
    time: timesOf(part, bytesOf, starts),
    page: codes.map((code) => (isPageview(code) ? placeOf(code) : (eventPages[events++] ?? 0))),
    event: codes.map((code) => (isPageview(code) ? 0 : placeOf(code) + 1)),
    groups: GROUPS.map((_, group) => {
      const first = decodeCoded<GroupValues>(bytesOf(codeOfGroup(group)), visits);
      const later = numbersIn(codeOfLater(group), hits - visits);
      return { values: first.values, codes: ofHits(first.codes, later, starts) };
    }),
    pages: decodeList<string | null>(bytesOf(CODES.page_values)),
    events: decodeList<EventValue>(bytesOf(CODES.event_values)),
    view: numbersIn(CODES.views, hits),
    measure: numbersIn(CODES.measures, hits),
    measures: decodeList<StoredMeasure>(bytesOf(CODES.stored_measures)),
  };
}

function ofHits(first: Uint32Array, later: Uint32Array, starts: Uint32Array): Uint32Array {
  const codes = new Uint32Array(starts.at(-1) ?? 0);
  for (let visit = 0, hit = 0; visit < first.length; visit += 1) {
    const end = starts[visit + 1] ?? 0;
    let code = first[visit] ?? 0;
    codes[hit] = code;
    for (hit += 1; hit < end; hit += 1) {
      const changed = later[hit - visit - 1] ?? 0;
      if (changed > 0) code = changed - 1;
      codes[hit] = code;
    }
  }
  return codes;
}
