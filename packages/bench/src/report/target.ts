import type { Spread } from '../spread.ts';

/** A target, and what was measured. */
export interface Target {
  readonly figure: string;
  readonly must: string;
  readonly aim: string;
  readonly reached: string;
  /** Whether the figure meets `must`; `undefined` if this run did not measure it. */
  readonly holds: boolean | undefined;
}

export const NOT_MEASURED = 'not measured in this mode';

/** A ratio whose median must be at least so large. */
export function ratioAtLeast(figure: string, must: number, aim: number | undefined, spread: Spread): Target {
  return ratio(figure, '≥', must, aim, spread, spread.median >= must);
}

/** A ratio whose median must be at most so large. */
export function ratioAtMost(figure: string, must: number, aim: number | undefined, spread: Spread): Target {
  return ratio(figure, '≤', must, aim, spread, spread.median <= must);
}

/** A figure that must be at most so large. */
export function atMost(
  figure: string,
  must: number,
  aim: number | undefined,
  value: number | undefined,
  unit = 'ms',
): Target {
  const text = (amount: number) => `${amount.toLocaleString('en')} ${unit}`;
  return {
    figure,
    must: `≤ ${text(must)}`,
    aim: aim === undefined ? '' : text(aim),
    reached: value === undefined ? NOT_MEASURED : `${value.toFixed(value < 10 && unit === 'ms' ? 2 : 0)} ${unit}`,
    holds: value === undefined ? undefined : value <= must,
  };
}

export function ratioText({ median, min, max, n }: Spread): string {
  return n === 0 ? NOT_MEASURED : `${median.toFixed(2)} × (${min.toFixed(2)} to ${max.toFixed(2)})`;
}

function ratio(
  figure: string,
  sign: '≥' | '≤',
  must: number,
  aim: number | undefined,
  spread: Spread,
  holds: boolean,
): Target {
  return {
    figure,
    must: `${sign} ${must} ×`,
    aim: aim === undefined ? '' : `${aim} ×`,
    reached: ratioText(spread),
    holds: spread.n === 0 ? undefined : holds,
  };
}
