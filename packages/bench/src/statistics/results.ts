import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFormatted } from '@hitherto/testing/formatted';
import { type Machine, root } from '@hitherto/testing/machine';
import type { CollectingResult } from './collecting.ts';
import type { CommitterResult } from './committer.ts';
import type { ReadingResult } from './reading.ts';

/** The parts of the benchmark of statistics, which can be measured one by one. */
export interface StatisticsParts {
  readonly collecting: CollectingResult;
  readonly committing: readonly CommitterResult[];
  readonly reading: ReadingResult;
}

export type PartName = keyof StatisticsParts;

export const PARTS = ['collecting', 'committing', 'reading'] as const satisfies readonly PartName[];

/** A part, and how it was measured. */
export interface MeasuredPart<Result> extends Machine {
  readonly command: string;
  readonly date: string;
  readonly database: string;
  readonly rounds: number;
  readonly secondsARound: number;
  readonly result: Result;
}

export type StatisticsResults = { readonly [Name in PartName]?: MeasuredPart<StatisticsParts[Name]> };

const FILE = (mode: 'short' | 'full') => `${root}packages/bench/results/statistics-${mode}.json`;

/** The last results; parts that have not been measured are absent. */
export function readStatistics(mode: 'short' | 'full'): StatisticsResults {
  return existsSync(FILE(mode)) ? JSON.parse(readFileSync(FILE(mode), 'utf8')) : {};
}

export function saveStatistics(mode: 'short' | 'full', results: StatisticsResults): string {
  mkdirSync(dirname(FILE(mode)), { recursive: true });
  writeFormatted(FILE(mode), `${JSON.stringify(results, null, 1)}\n`);
  return FILE(mode);
}
