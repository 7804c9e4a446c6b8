import { setImmediate as otherWork } from 'node:timers/promises';
import { FIRST_HIT_DIMENSIONS, type FirstHitDimension, mapDimensions } from '@hitherto/domain/hits';
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
  const strings = new Map<FirstHitDimension, Buffer | null>();
  for (const dimension of FIRST_HIT_DIMENSIONS) {
    const { values, codes } = visits.strings(dimension);
    const used = renumbered(codes, [0]);
    const usedValues = used.places.map((place) => values[place] ?? null);
    strings.set(dimension, encodeStrings(usedValues, used.codes));
    await otherWork();
  }
  const hits = visits.numbers('hits');
  const pages = renumbered(hits.filter(isPageview).map(placeOf), [0]);
  const events = renumbered(hits.filter((code) => !isPageview(code)).map(placeOf));
  let [pageviewsBefore, eventsBefore] = [0, 0];
  const codes = hits.map((code) => {
    if (!isPageview(code)) return codeOfEvent(events.codes[eventsBefore++] ?? 0);
    return codeOfPage(pages.codes[pageviewsBefore++] ?? 0);
  });
  await otherWork();
  const [pageValues, eventValues] = [visits.pages(), visits.events()];
  return {
    visits: visits.visits,
    firstMinute: visits.firstMinute,
    columns: {
      ...mapDimensions(FIRST_HIT_DIMENSIONS, (dimension) => strings.get(dimension) ?? null),
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
  const places: number[] = [...first];
  // The new number of each place, counted from 1.
  let numbers = new Uint32Array(64);
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
  first.forEach((place, number) => {
    numbers[place] = number + 1;
  });
  return { codes: codes.map(numberOf), places };
}
