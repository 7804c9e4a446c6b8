import { setImmediate as otherWork } from 'node:timers/promises';
import type { DayHits } from './day-hits.ts';
import { close, encodeCoded, encodeList, encodeNumbers, joinColumns } from './format.ts';
import { GROUPS } from './groups.ts';
import type { GroupValues, Part, StoredMeasure } from './part.ts';
import { CODES, codeOfGroup, codeOfLater } from './stored-columns.ts';
import { codeOfEvent, codeOfPage } from './visit-columns.ts';
import { findVisits, type MeasuresOfVisitor, measuresOfHits, measuresOfVisitor, sortedHits } from './visits-of-hits.ts';

/** A part with fewer hits has all columns together, so that a row has enough bytes. */
const MIN_HITS = 5_000;

/**
 * Makes a part of the hits of visitors, with the values that they have.
 *
 * @param visitors their places; all by default
 */
export async function makePart(hits: DayHits, visitors?: readonly number[]): Promise<Part> {
  const { order, starts, repeats, pageviews } = findVisits(hits, sortedHits(hits, visitors));
  const [visits, size] = [repeats.length, order.length];
  await otherWork();
  const columns = new Map<number, Buffer>();
  const store = (code: number, bytes: Buffer) => {
    if (bytes.length > 0 || code === CODES.pageviews) columns.set(code, bytes);
  };

  const started = new Float64Array(visits);
  const gaps = new Float64Array(size - visits);
  const events = new Uint32Array(visits);
  let [firstTime, lastTime] = [Number.POSITIVE_INFINITY, 0];
  for (let visit = 0; visit < visits; visit += 1) {
    const [from, end] = [starts[visit] ?? 0, starts[visit + 1] ?? 0];
    let before = hits.timeOf(order[from] ?? 0);
    started[visit] = before;
    firstTime = Math.min(firstTime, before);
    events[visit] = end - from - (pageviews[visit] ?? 0);
    for (let hit = from + 1; hit < end; hit += 1) {
      const time = hits.timeOf(order[hit] ?? 0);
      gaps[hit - visit - 1] = time - before;
      before = time;
    }
    lastTime = Math.max(lastTime, before);
  }
  if (visits === 0) firstTime = 0;
  store(CODES.visitors, visitorsOf(hits, order, starts, repeats));
  store(CODES.repeats, encodeNumbers(repeats));
  store(CODES.pageviews, encodeNumbers(pageviews));
  store(CODES.events, encodeNumbers(events));
  store(CODES.starts, encodeNumbers(started.map((time) => time - firstTime)));
  store(CODES.gaps, encodeNumbers(gaps));
  await otherWork();

  const [pages, eventsOfHits] = [renumbering([0]), renumbering([])];
  const codes = order.map((hit) => {
    const event = hits.eventOf(hit);
    return event === 0 ? codeOfPage(pages.numberOf(hits.pageOf(hit))) : codeOfEvent(eventsOfHits.numberOf(event - 1));
  });
  const eventPages = order.filter((hit) => hits.eventOf(hit) > 0).map((hit) => pages.numberOf(hits.pageOf(hit)));
  store(CODES.hits, encodeNumbers(codes));
  store(CODES.event_pages, encodeNumbers(eventPages));
  store(CODES.page_values, encodeList(pages.places.map((place) => hits.pages[place] ?? null)));
  if (eventsOfHits.places.length > 0) {
    store(CODES.event_values, encodeList(eventsOfHits.places.map((place) => hits.events[place] ?? ['', null])));
  }
  storeMeasures(hits, order, visitors, store);
  await otherWork();

  for (const group of GROUPS.keys()) {
    const { numberOf, places } = renumbering([]);
    const first = new Uint32Array(visits);
    const later = new Uint32Array(size - visits);
    for (let visit = 0; visit < visits; visit += 1) {
      const [from, end] = [starts[visit] ?? 0, starts[visit + 1] ?? 0];
      let before = hits.groupOf(order[from] ?? 0, group);
      first[visit] = numberOf(before);
      for (let hit = from + 1; hit < end; hit += 1) {
        const code = hits.groupOf(order[hit] ?? 0, group);
        if (code !== before) later[hit - visit - 1] = numberOf(code) + 1;
        before = code;
      }
    }
    const values = places.map((place): GroupValues => hits.valuesOf(group, place));
    store(codeOfGroup(group), encodeCoded({ values, codes: first }));
    store(codeOfLater(group), encodeNumbers(later));
    await otherWork();
  }
  const closed = new Map<number, Buffer>();
  if (size < MIN_HITS) {
    closed.set(CODES.all, close(joinColumns(columns)));
  } else {
    for (const [code, bytes] of columns) {
      closed.set(code, close(bytes));
      await otherWork();
    }
  }
  return { day: hits.day, hits: size, visits, firstTime, lastTime, columns: closed };
}

function storeMeasures(
  hits: DayHits,
  order: Uint32Array,
  visitors: readonly number[] | undefined,
  store: (code: number, bytes: Buffer) => void,
): void {
  store(CODES.views, encodeNumbers(order.map((hit) => (hits.eventOf(hit) === 0 ? hits.viewOf(hit) : 0))));
  if (!hits.hasMeasures()) return;
  const { measures = [], left } = measuresOfHits(hits, order);
  store(CODES.measures, encodeNumbers(measures));
  const stored = [...left].flatMap(([visitor, ofVisitor]) => storedOf(hits, visitor, ofVisitor));
  const seen = new Set(order.map(hits.visitorOf));
  const all = visitors ?? Array.from({ length: hits.visitors.size() }, (_, place) => place);
  for (const visitor of all) {
    if (!seen.has(visitor)) stored.push(...storedOf(hits, visitor, measuresOfVisitor(hits, visitor)));
  }
  if (stored.length > 0) store(CODES.stored_measures, encodeList(stored));
}

function storedOf(hits: DayHits, visitor: number, { byView, increments }: MeasuresOfVisitor): StoredMeasure[] {
  const [high, low] = [hits.visitors.highAt(visitor), hits.visitors.lowAt(visitor)];
  const time = hits.timeOf(hits.lastOf(visitor) - 1);
  return [
    ...Array.from(byView, ([view, code]): StoredMeasure => [high, low, time, view, code]),
    ...increments.map((hit): StoredMeasure => {
      return [high, low, hits.timeOf(hit), hits.pages[hits.pageOf(hit)] ?? '', hits.measureOf(hit)];
    }),
  ];
}

function visitorsOf(hits: DayHits, order: Uint32Array, starts: Uint32Array, repeats: Uint32Array): Buffer {
  const count = repeats.reduce((sum, repeat) => sum + 1 - repeat, 0);
  const bits = new Uint32Array(2 * count);
  let visitor = 0;
  for (let visit = 0; visit < repeats.length; visit += 1) {
    if (repeats[visit] === 1) continue;
    const place = hits.visitorOf(order[starts[visit] ?? 0] ?? 0);
    bits[visitor] = hits.visitors.highAt(place);
    bits[count + visitor] = hits.visitors.lowAt(place);
    visitor += 1;
  }
  return Buffer.from(bits.buffer);
}

/**
 * New numbers for places: only for those that are used, in the order in which they come.
 *
 * @param first places that come first in any case
 */
function renumbering(first: readonly number[]) {
  const places: number[] = [...first];
  // The new number of each place, counted from 1.
  let numbers = new Uint32Array(64);
  first.forEach((place, number) => {
    numbers[place] = number + 1;
  });
  const numberOf = (place: number): number => {
    if (place >= numbers.length) {
      const larger = new Uint32Array(2 * place);
      larger.set(numbers);
      numbers = larger;
    }
    const known = numbers[place] ?? 0;
    if (known > 0) return known - 1;
    numbers[place] = places.push(place);
    return places.length - 1;
  };
  return { numberOf, places };
}
