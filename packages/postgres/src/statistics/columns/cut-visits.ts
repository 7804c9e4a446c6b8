import type { PartVisits } from './part.ts';
import { isPageview, numbersOfVisitors, once, startsOf, type VisitColumns } from './visit-columns.ts';

/**
 * The visits of a part as they were at a moment: only the hits before it count.
 *
 * @param until in milliseconds
 */
export function cutVisits(part: PartVisits, until: number): VisitColumns {
  const [times, starts, codes] = [part.times(), part.starts(), part.numbers('hits')];
  const [allRepeats, allMinutes] = [part.numbers('repeats'), part.numbers('minutes')];
  const [repeats, duration] = [new Uint32Array(part.visits), new Uint32Array(part.visits)];
  const [pageviews, events] = [new Uint32Array(part.visits), new Uint32Array(part.visits)];
  const allMeasures = part.measures();
  const measures = allMeasures && new Uint32Array(times.length);
  const [hits, minutes] = [new Uint32Array(times.length), new Uint32Array(times.length)];
  /** The places of the visits in the part. */
  const places = new Uint32Array(part.visits);
  let [visits, size] = [0, 0];
  for (let visit = 0; visit < part.visits; visit += 1) {
    const [from, end] = [starts[visit] ?? 0, starts[visit + 1] ?? 0];
    // Hits of a visit are in order, and so are the visits of a visitor: the first ones are left.
    let hit = from;
    for (; hit < end && (times[hit] ?? 0) < until; hit += 1) {
      const code = codes[hit] ?? 0;
      hits[size] = code;
      minutes[size] = allMinutes[hit] ?? 0;
      if (measures !== undefined) measures[size] = allMeasures?.[hit] ?? 0;
      size += 1;
      if (isPageview(code)) pageviews[visits] = (pageviews[visits] ?? 0) + 1;
    }
    if (hit === from) continue;
    places[visits] = visit;
    repeats[visits] = allRepeats[visit] ?? 0;
    duration[visits] = (times[hit - 1] ?? 0) - (times[from] ?? 0);
    events[visits] = hit - from - (pageviews[visits] ?? 0);
    visits += 1;
  }
  const numbers = {
    repeats: repeats.subarray(0, visits),
    duration: duration.subarray(0, visits),
    pageviews: pageviews.subarray(0, visits),
    events: events.subarray(0, visits),
    hits: hits.subarray(0, size),
    minutes: minutes.subarray(0, size),
  };
  return {
    day: part.day,
    visits,
    firstMinute: part.firstMinute,
    numbers: (name) => numbers[name],
    // The values of the first hit, which is left.
    strings(dimension) {
      const { values, codes } = part.strings(dimension);
      return { values, codes: places.subarray(0, visits).map((place) => codes[place] ?? 0) };
    },
    visitors: once(() => numbersOfVisitors(numbers.repeats)),
    starts: once(() => startsOf(numbers.pageviews, numbers.events)),
    measures: () => measures?.subarray(0, size),
    pages: part.pages,
    events: part.events,
  };
}
