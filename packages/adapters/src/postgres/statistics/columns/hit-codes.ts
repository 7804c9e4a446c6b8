import { compileRule, type HitRule } from '@hitherto/domain';
import { codeOfEvent, codeOfPage, type EventValue, isPageview, placeOf, type VisitColumns } from './visit-columns.ts';

/** Something for each code of a hit. */
export function byCode(
  visits: VisitColumns,
  ofPage: ((page: string, place: number) => number) | undefined,
  ofEvent: ((event: EventValue) => number) | undefined,
): Uint32Array {
  const [pages, events] = [visits.pages(), visits.events()];
  const table = new Uint32Array(2 * Math.max(pages.length, events.length));
  if (ofPage !== undefined) {
    pages.forEach((page, place) => {
      if (page !== null) table[codeOfPage(place)] = ofPage(page, place);
    });
  }
  if (ofEvent !== undefined) {
    events.forEach((event, place) => {
      table[codeOfEvent(place)] = ofEvent(event);
    });
  }
  return table;
}

/** 1 for each code of a hit that fulfils the rule, else 0. */
export function fulfilling(visits: VisitColumns, rule: HitRule): Uint32Array {
  const isFulfilled = compileRule(rule);
  return 'page' in rule
    ? byCode(visits, (page) => Number(isFulfilled({ page, name: null, props: null })), undefined)
    : byCode(visits, undefined, ([name, props]) => Number(isFulfilled({ page: '', name, props })));
}

/** The place of the first or the last page of each visit among the pages; 0 without a pageview. */
export function endPages(visits: VisitColumns, end: 'first' | 'last'): Uint32Array {
  const [hits, starts] = [visits.numbers('hits'), visits.starts()];
  const places = new Uint32Array(visits.visits);
  for (let visit = 0; visit < places.length; visit += 1) {
    const [from, to] = [starts[visit] ?? 0, starts[visit + 1] ?? 0];
    places[visit] = end === 'first' ? firstPage(hits, from, to) : lastPage(hits, from, to);
  }
  return places;
}

function firstPage(hits: Uint32Array, from: number, to: number): number {
  for (let hit = from; hit < to; hit += 1) {
    const code = hits[hit] ?? 0;
    if (isPageview(code)) return placeOf(code);
  }
  return 0;
}

function lastPage(hits: Uint32Array, from: number, to: number): number {
  for (let hit = to - 1; hit >= from; hit -= 1) {
    const code = hits[hit] ?? 0;
    if (isPageview(code)) return placeOf(code);
  }
  return 0;
}
