import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFormatted } from '@hitherto/testing/formatted';
import { type Machine, root } from '@hitherto/testing/machine';
import type { Outcome } from './run-row.ts';

/** The last full run of a row, with its environment. */
export interface Result extends Outcome, Machine {
  readonly row: string;
  readonly date: string;
  readonly postgres: string;
}

const FOLDER = `${root}packages/faults/results`;
const fileOf = (row: string) => `${FOLDER}/${row}.json`;

/** The saved result of a row, if any. */
export function readResult(row: string): Result | undefined {
  return existsSync(fileOf(row)) ? JSON.parse(readFileSync(fileOf(row), 'utf8')) : undefined;
}

export function saveResult(result: Result): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFormatted(fileOf(result.row), `${JSON.stringify(result, null, 2)}\n`);
}
