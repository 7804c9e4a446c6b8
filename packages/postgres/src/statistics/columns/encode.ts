import { setImmediate as otherWork } from 'node:timers/promises';
import { FIRST_HIT_DIMENSIONS, type FirstHitDimension, mapDimensions } from '@hitherto/domain/hits';
import { encodeList, encodeNumbers, encodeStrings } from './format.ts';
import { type ColumnName, codeOfEvent, codeOfPage, type EventValue } from './visit-columns.ts';

/** A hit: its minute since 1970, and the page of a pageview, or the name and the properties of an event. */
export type HitToEncode =
  | readonly [minute: number, page: string]
  | readonly [minute: number, name: string, props: EventValue[1]];

/** A visit, with the values of its first hit. */
export interface VisitToEncode extends Readonly<Record<FirstHitDimension, string | null>> {
  /** A bigint, as the driver writes it. */
  readonly visitor: string;
  /** In milliseconds. */
  readonly duration: number;
  /** In their order. */
  readonly hits: readonly HitToEncode[];
}

/** A row of `visit_columns` without its key. */
export interface EncodedVisits {
  readonly visits: number;
  readonly firstMinute: number;
  readonly columns: Readonly<Record<ColumnName, Buffer | null>>;
}

/** How many visits are encoded before other work has its turn. */
const VISITS_AT_ONCE = 1_000;

/** Encodes visits that are sorted by visitor and time. */
export async function encodeVisits(visits: readonly VisitToEncode[]): Promise<EncodedVisits> {
  const minutes = visits.flatMap(({ hits }) => hits.map(([minute]) => minute));
  const firstMinute = minutes.reduce((first, minute) => Math.min(first, minute), minutes[0] ?? 0);
  const pages = createDictionary<string>();
  const events = createDictionary<EventValue>(JSON.stringify);
  const hits = await codesOf(visits, ({ hits: ofVisit }) =>
    ofVisit.map(([, text, props]) =>
      props === undefined ? codeOfPage(1 + pages.placeOf(text)) : codeOfEvent(events.placeOf([text, props])),
    ),
  );
  const strings = await encodeDimensions(visits);
  const pageviewsOf = ({ hits: ofVisit }: VisitToEncode) => ofVisit.filter(([, , props]) => props === undefined).length;
  return {
    visits: visits.length,
    firstMinute,
    columns: {
      ...strings,
      repeats: encodeNumbers(visits.map(({ visitor }, place) => Number(visits[place - 1]?.visitor === visitor))),
      duration: encodeNumbers(visits.map(({ duration }) => duration)),
      pageviews: encodeNumbers(visits.map(pageviewsOf)),
      events: encodeNumbers(visits.map((visit) => visit.hits.length - pageviewsOf(visit))),
      minutes: encodeNumbers(minutes.map((minute) => minute - firstMinute)),
      hits: encodeNumbers(hits.flat()),
      page_values: encodeList([null, ...pages.values()]),
      event_values: encodeList(events.values()),
    },
  };
}

async function encodeDimensions(visits: readonly VisitToEncode[]): Promise<Record<FirstHitDimension, Buffer | null>> {
  const dictionaries = mapDimensions(FIRST_HIT_DIMENSIONS, () => createDictionary<string>());
  const codes = await codesOf(visits, (visit) =>
    mapDimensions(FIRST_HIT_DIMENSIONS, (dimension) => {
      const value = visit[dimension];
      return value === null ? 0 : 1 + dictionaries[dimension].placeOf(value);
    }),
  );
  return mapDimensions(FIRST_HIT_DIMENSIONS, (dimension) =>
    encodeStrings(
      [null, ...dictionaries[dimension].values()],
      codes.map((ofVisit) => ofVisit[dimension]),
    ),
  );
}

/** The codes of each visit, computed with breaks for other work. */
async function codesOf<Codes>(
  visits: readonly VisitToEncode[],
  codesOfVisit: (visit: VisitToEncode) => Codes,
): Promise<Codes[]> {
  const codes: Codes[] = [];
  for (let from = 0; from < visits.length; from += VISITS_AT_ONCE) {
    codes.push(...visits.slice(from, from + VISITS_AT_ONCE).map(codesOfVisit));
    await otherWork();
  }
  return codes;
}

/** Distinct values in the order in which they came. */
interface Dictionary<Value> {
  placeOf(value: Value): number;
  values(): readonly Value[];
}

function createDictionary<Value>(keyOf: (value: Value) => unknown = (value) => value): Dictionary<Value> {
  const places = new Map<unknown, number>();
  const values: Value[] = [];
  return {
    placeOf(value) {
      const key = keyOf(value);
      const known = places.get(key);
      if (known !== undefined) return known;
      places.set(key, values.length);
      return values.push(value) - 1;
    },
    values: () => values,
  };
}
