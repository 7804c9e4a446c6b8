import type { Day } from '../calendar/days.ts';
import { DIMENSIONS, type Dimension } from '../hits/dimensions.ts';
import type { Totals } from './totals.ts';

/** How sums of days are grouped: by a dimension, or not at all. */
export type SumKind = Dimension | 'total';

/** The kinds of numbers that a day has: of all, by hour, and by the values of each dimension. */
export type NumberKind = SumKind | 'hour';

/** The numbers of a day by one value of a kind, as a file states them. */
export interface DaySum extends Totals {
  readonly day: Day;
  readonly kind: SumKind;
  /** `null` stands for none, and is the value of `total`. */
  readonly value: string | null;
}

/** How many values of a dimension an imported day stores: those with the most visitors. */
export const MAX_VALUES_PER_IMPORTED_DAY = 50_000;

/** The dimensions that these lack, in their order. */
export function dimensionsWithout(known: readonly Dimension[]): Dimension[] {
  return DIMENSIONS.filter((dimension) => !known.includes(dimension));
}
