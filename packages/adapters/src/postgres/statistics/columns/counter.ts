import type { ColumnName, VisitColumns } from './visit-columns.ts';

/** The places of the chosen visits, in order. */
export type Chosen = Uint32Array;

/** Counts chosen visits, one row of the table after the other. */
export interface Counter<Result> {
  /** The columns that `add` reads. */
  readonly columns: readonly ColumnName[];
  readonly add: (visits: VisitColumns, chosen: Chosen) => void;
  readonly result: () => Result;
}

/** Adds to a number. */
export function add(numbers: Float64Array, place: number, number: number): void {
  numbers[place] = (numbers[place] ?? 0) + number;
}
