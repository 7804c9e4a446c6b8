import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFormatted } from '@hitherto/testing/formatted';
import { root } from '@hitherto/testing/machine';
import type { SteadyResult } from './run.ts';

const FILE = `${root}packages/bench/results/steady.json`;

export function readSteady(): SteadyResult | undefined {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined;
}

export function saveSteady(result: SteadyResult): string {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFormatted(FILE, `${JSON.stringify(result)}\n`);
  return FILE;
}
