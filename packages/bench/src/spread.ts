/** The median and range of some figures. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  return {
    median: percentile(sorted, 50),
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    n: sorted.length,
  };
}

/** The percentile of figures in ascending order, linearly interpolated. */
export function percentile(sorted: readonly number[], percent: number): number {
  const place = ((sorted.length - 1) * percent) / 100;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

/** The ratios of figures that were measured in the same rounds. */
export function paired(figures: readonly number[], others: readonly number[]): Spread {
  return spreadOf(figures.map((figure, round) => figure / (others[round] ?? Number.NaN)));
}
