import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstancesResult } from './instances.ts';
import type { OperationName } from './operations.ts';
import type { Sample } from './rounds.ts';
import type { ScaleResult } from './scale.ts';
import type { VariantName } from './variants.ts';

/** All that a run has measured. */
export interface Results {
  readonly mode: 'short' | 'full';
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly node: string;
  readonly machine: string;
  readonly database: string;
  readonly generator: string;
  readonly connections: number;
  readonly rounds: number;
  readonly secondsARound: number;
  /** Websites in the account of the comparisons. */
  readonly websites: number;
  readonly samples: Readonly<Partial<Record<OperationName, readonly Sample[]>>>;
  /** Transactions a second of show's statement by pgbench, once before and once after; empty where it is not installed. */
  readonly pgbench: readonly number[];
  readonly pgbenchVersion?: string;
  readonly scale?: ScaleResult;
  readonly instances?: InstancesResult;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const RESULT = (mode: Results['mode']) => `${root}packages/bench/results/${mode}.json`;

/** What the figures were measured on. */
export function describeMachine(): Pick<Results, 'commit' | 'node' | 'machine'> {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    commit:
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', '--', 'apps', 'packages') === '' ? '' : ' and changes'),
    node: process.version,
    machine: `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB, ${process.platform} ${process.arch}`,
  };
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

export function saveResults(results: Results): string {
  const file = RESULT(results.mode);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  return file;
}

export function readResults(mode: Results['mode']): Results {
  return JSON.parse(readFileSync(RESULT(mode), 'utf8'));
}

export function saveDocument(name: string, text: string): void {
  writeFileSync(`${root}docs/${name}`, text);
}

/** The samples of a variant in the order of the rounds. */
export function samplesOf(results: Results, operation: OperationName, variant: VariantName): Sample[] {
  return (results.samples[operation] ?? [])
    .filter((sample) => sample.variant === variant)
    .sort((a, b) => a.round - b.round);
}
