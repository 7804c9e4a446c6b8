import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { root } from '../src/machine.ts';

const { failuresOf, summaryOf } = await import(pathToFileURL(join(root, 'scripts/test-summary.mjs')).href);

test('npm test says at its end how many tests passed, and if ClickHouse was left out', () => {
  expect(summaryOf({ passed: 7, failed: 0, skipped: 3 }, true)).toEqual([
    '3 skipped (SKIP_CLICKHOUSE leaves out ClickHouse)',
    '7 passed, 0 failed',
  ]);
  expect(summaryOf({ passed: 7, failed: 0, skipped: 0 }, false)).toEqual(['7 passed, 0 failed']);
});

test('npm test names the tests that failed and the files that cannot be loaded', () => {
  const passed = { status: 'passed', fullName: 'adds', failureMessages: [] };
  const failed = { status: 'failed', fullName: 'divides', failureMessages: ['Error: by zero\n    at divide'] };
  const testResults = [
    { name: 'sum.ts', status: 'failed', message: '', assertionResults: [passed, failed] },
    { name: 'lost.ts', status: 'failed', message: 'Error: Cannot find module\n    at load', assertionResults: [] },
    { name: 'good.ts', status: 'passed', message: '', assertionResults: [passed] },
  ];

  expect(failuresOf({ testResults })).toEqual([
    'sum.ts: divides: Error: by zero',
    'lost.ts: Error: Cannot find module',
  ]);
});
