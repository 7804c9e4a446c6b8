import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFormatted } from '@hitherto/testing/formatted';
import { type Machine, root } from '@hitherto/testing/machine';
import type { InstancesResult } from './instances.ts';
import type { OperationName } from './operations.ts';
import type { Sample } from './rounds.ts';
import type { ScaleResult } from './scale.ts';
import type { VariantName } from './variants.ts';

/** Everything that a run has measured. */
export interface Results extends Machine {
  readonly mode: 'short' | 'full';
  readonly command: string;
  readonly date: string;
  readonly database: string;
  readonly generator: string;
  readonly connections: number;
  readonly rounds: number;
  readonly secondsARound: number;
  /** Websites in the account of the comparisons. */
  readonly websites: number;
  readonly samples: Readonly<Partial<Record<OperationName, readonly Sample[]>>>;
  /** pgbench's transactions per second with show's statement, before and after; empty if it is not installed. */
  readonly pgbench: readonly number[];
  readonly pgbenchVersion?: string;
  readonly scale?: ScaleResult;
  readonly instances?: InstancesResult;
}

/** Where the last result of the API's benchmark is. */
export function resultFile(mode: Results['mode']): string {
  return `${root}packages/bench/results/${mode}.json`;
}

export function saveResults(results: Results): string {
  const file = resultFile(results.mode);
  mkdirSync(dirname(file), { recursive: true });
  writeFormatted(file, `${JSON.stringify(results, null, 1)}\n`);
  return file;
}

export function readResults(mode: Results['mode']): Results {
  return JSON.parse(readFileSync(resultFile(mode), 'utf8'));
}

/** The samples of a variant in the order of the rounds. */
export function samplesOf(results: Results, operation: OperationName, variant: VariantName): Sample[] {
  return (results.samples[operation] ?? [])
    .filter((sample) => sample.variant === variant)
    .sort((a, b) => a.round - b.round);
}
