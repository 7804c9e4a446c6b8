import { stopAll } from '@hitherto/testing/processes';
import { afterAll, describe, expect, test } from 'vitest';
import { ROWS } from '../src/rows.ts';
import { runRow } from '../src/run-row.ts';

const seed = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 31));

afterAll(stopAll);

describe(`a small run of the fault suite (seed ${seed})`, () => {
  for (const row of ROWS) {
    if (row.isTested !== true) continue;
    test(`${row.name} holds`, async () => {
      const outcome = await runRow({ row, count: row.small ?? 1, isFull: false, seed, progress: () => {} });

      expect(outcome.holds, outcome.found).toBe(true);
    });
  }
});
