import { setImmediate as otherWork } from 'node:timers/promises';
import { FIRST_HIT_DIMENSIONS, mapDimensions } from '@hitherto/domain/hits';
import { encodeList, encodeNumbers, encodeStrings } from './format.ts';
import { type ColumnName, codeOfEvent, codeOfPage, isPageview, placeOf, type VisitColumns } from './visit-columns.ts';

/** A row of `visit_columns` without its key. */
export interface EncodedVisits {
  readonly visits: number;
  readonly firstMinute: number;
  readonly columns: Readonly<Record<ColumnName, Buffer | null>>;
}

/** Encodes visits, with the values that they have. */
export async function encodeVisits(visits: VisitColumns): Promise<EncodedVisits> {
  const strings = mapDimensions(FIRST_HIT_DIMENSIONS, (dimension) => {
    const { values, codes } = visits.strings(dimension);
    const used = renumbered(codes, [0]);
    return encodeStrings(
      used.places.map((place) => values[place] ?? null),
      used.codes,
    );
  });
  await otherWork();
  const hits = visits.numbers('hits');
  const pages = renumbered(hits.filter(isPageview).map(placeOf), [0]);
  const events = renumbered(hits.filter((code) => !isPageview(code)).map(placeOf));
  const [ofPages, ofEvents] = [pages.codes.values(), events.codes.values()];
  const codes = hits.map((code) =>
    isPageview(code) ? codeOfPage(ofPages.next().value ?? 0) : codeOfEvent(ofEvents.next().value ?? 0),
  );
  await otherWork();
  const [pageValues, eventValues] = [visits.pages(), visits.events()];
  return {
    visits: visits.visits,
    firstMinute: visits.firstMinute,
    columns: {
      ...strings,
      repeats: encodeNumbers(visits.numbers('repeats')),
      duration: encodeNumbers(visits.numbers('duration')),
      pageviews: encodeNumbers(visits.numbers('pageviews')),
      events: encodeNumbers(visits.numbers('events')),
      minutes: encodeNumbers(visits.numbers('minutes')),
      hits: encodeNumbers(codes),
      page_values: encodeList(pages.places.map((place) => pageValues[place] ?? null)),
      event_values: encodeList(events.places.map((place) => eventValues[place] ?? ['', null])),
    },
  };
}

/**
 * Codes by new numbers: only for the places that are used, in the order in which they come.
 *
 * @param first places that come first in any case
 */
function renumbered(
  codes: Uint32Array,
  first: readonly number[] = [],
): { readonly codes: Uint32Array; readonly places: readonly number[] } {
  const numbers = new Map(first.map((place, number) => [place, number]));
  const places = [...first];
  const renumbered = codes.map((place) => {
    const known = numbers.get(place);
    if (known !== undefined) return known;
    numbers.set(place, places.length);
    return places.push(place) - 1;
  });
  return { codes: renumbered, places };
}
