import { compareStrings } from '../base/byte-order.ts';
import { OTHER_VALUES } from '../hits/dimensions.ts';

/** The visitors of a value, and on the days that they are compared with. */
export interface ChangedVisitors {
  /** `null` stands for none. */
  readonly value: string | null;
  readonly visitors: number;
  readonly before: number;
}

/**
 * The values whose visitors rose most, and those whose visitors fell most: the largest change first, then in byte order, at most
 * {@link MOST_CHANGED} of each. Values with numbers that are only bounds are none of them, and rare values are no value.
 */
export interface MostChanged {
  readonly rises: readonly ChangedVisitors[];
  readonly falls: readonly ChangedVisitors[];
}

export const MOST_CHANGED = 3;

/** The most changed of all values that have exact numbers. */
export function mostChanged(values: readonly ChangedVisitors[]): MostChanged {
  const first = (direction: 1 | -1) => {
    const changeOf = ({ visitors, before }: ChangedVisitors) => (visitors - before) * direction;
    return values
      .filter((each) => changeOf(each) > 0 && each.value !== OTHER_VALUES)
      .sort((a, b) => changeOf(b) - changeOf(a) || compareStrings(a.value, b.value))
      .slice(0, MOST_CHANGED);
  };
  return { rises: first(1), falls: first(-1) };
}
