import type { Open } from '@hitherto/testing/scope';
import type { BenchDatabase } from './database.ts';
import type { Figures } from './figures.ts';

/** How much a run measures. */
export interface Plan {
  readonly isFull: boolean;
  readonly rounds: number;
  /** How long each side is loaded in a round. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** Enough for figures to record. */
export const FULL: Plan = { isFull: true, rounds: 5, seconds: 4, warmUpSeconds: 5 };
/** Tries everything with little data. */
export const SHORT: Plan = { isFull: false, rounds: 2, seconds: 2, warmUpSeconds: 2 };

/** A run of one part of the benchmark. */
export interface Run extends Plan {
  readonly database: BenchDatabase;
  /** Closes the opened resource when the part ends. */
  readonly open: Open;
  readonly figures: Figures;
  readonly progress: (text: string) => void;
}

/** One side of a comparison, which can be measured again and again. */
export interface Side<Sample> {
  readonly name: string;
  measure(seconds: number): Promise<Sample>;
}

/**
 * Measures each side once a round, one directly after the other, after a round that only warms up.
 *
 * @returns the values of a side, by round
 */
export async function inTurns<Sample>(
  { rounds, seconds, warmUpSeconds, progress }: Omit<Run, 'database' | 'figures' | 'open'>,
  sides: readonly Side<Sample>[],
): Promise<(name: string, pick: (sample: Sample) => number) => number[]> {
  const samples = new Map<string, Sample[]>(sides.map(({ name }) => [name, []]));
  for (const { measure } of sides) await measure(warmUpSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, measure } of sides) {
      progress(`round ${round} of ${rounds}: ${name}`);
      samples.get(name)?.push(await measure(seconds));
    }
  }
  return (name, pick) => (samples.get(name) ?? []).map(pick);
}
