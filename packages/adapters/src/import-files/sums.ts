import type { Fields } from './rows.ts';

/** Numbers of a row of sums; those that its table does not have are 0. */
export interface Numbers {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly events: number;
  readonly bounces: number;
  /** Of all visits. */
  readonly seconds: number;
}

const NOTHING: Numbers = { visitors: 0, visits: 0, pageviews: 0, events: 0, bounces: 0, seconds: 0 };
const WHOLE = /^\d{1,15}$/;
/** A count has 31 bits where it is stored. */
const MAX_COUNT = 2 ** 31 - 1;

/**
 * The numbers of a row, or why it is faulty.
 *
 * @param columns of the numbers
 */
export function readNumbers(row: Fields, columns: Readonly<Partial<Record<keyof Numbers, string>>>): Numbers | string {
  const numbers = { ...NOTHING };
  for (const [name, column] of Object.entries(columns) as [keyof Numbers, string][]) {
    const text = row[column] ?? '';
    const number = WHOLE.test(text) ? Number(text) : Number.NaN;
    if (!(number <= (name === 'seconds' ? Number.MAX_SAFE_INTEGER / 1_000 : MAX_COUNT))) {
      return `The column "${column}" is no whole number, or too large: "${text.slice(0, 40)}".`;
    }
    numbers[name] = number;
  }
  return numbers;
}

/** Says how much of several files has been read, one after the other. */
export interface Shares {
  /** The file at this place is read from now on. */
  begin(index: number): void;
  /** @param share of the file that is read, from 0 to 1 */
  share(share: number): number;
}

/** @param sizes of the files */
export function sharesOf(sizes: readonly number[]): Shares {
  const total = Math.max(
    1,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  let before = 0;
  let current = 0;
  return {
    begin(index) {
      before = sizes.slice(0, index).reduce((sum, size) => sum + size, 0);
      current = sizes[index] ?? 0;
    },
    share: (share) => Math.min(1, (before + share * current) / total),
  };
}
