import { compareStrings } from '../base/byte-order.ts';
import { LIVE_DIMENSIONS, type LiveCounts, type LiveDimension } from '../visits/live.ts';
import type { TopValues } from './statistics-repository.ts';

/** The visitors of a span of time: by minute, and by the first values of lists. */
export interface Live {
  readonly visitors: number;
  /** The visitors of each minute that has some, by its start in milliseconds. */
  readonly minutes: ReadonlyMap<number, number>;
  readonly values: ReadonlyMap<LiveDimension, TopValues>;
}

/** The first values of each list. */
export function liveOf({ visitors, minutes, values }: LiveCounts, limit: number): Live {
  const top = LIVE_DIMENSIONS.map((dimension): [LiveDimension, TopValues] => {
    const all = [...values[dimension]].sort(([a, ofA], [b, ofB]) => ofB - ofA || compareStrings(a, b));
    const rows = all.slice(0, limit).map(([value, ofValue]) => ({ value, visitors: ofValue, events: undefined }));
    return [dimension, { rows, total: all.length }];
  });
  return { visitors, minutes, values: new Map(top) };
}
