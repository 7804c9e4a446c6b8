import { readFileSync, writeFileSync } from 'node:fs';
import { type Machine, root } from '@hitherto/testing/machine';
import type { Outcome } from './run-row.ts';

/** The last full run of a row, with its environment. */
export interface Result extends Outcome, Machine {
  readonly row: string;
  readonly date: string;
  readonly postgres: string;
}

/** A line for each row. */
const FILE = `${root}packages/faults/results/rows.jsonl`;

function readResults(): Result[] {
  return readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The saved result of a row, if any. */
export function readResult(row: string): Result | undefined {
  return readResults().find((result) => result.row === row);
}

/** Replaces the saved result of the row. */
export function saveResult(result: Result): void {
  const others = readResults().filter(({ row }) => row !== result.row);
  const sorted = [...others, result].sort((a, b) => (a.row < b.row ? -1 : 1));
  writeFileSync(FILE, `${sorted.map((each) => JSON.stringify(each)).join('\n')}\n`);
}
