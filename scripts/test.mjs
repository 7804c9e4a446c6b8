// Runs the tests of every package, then names those that failed and adds up the reports. The last line is "N passed, N failed";
// a package whose report is missing, or whose run failed without a failed test to show for it, counts as failed.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';
import { failuresOf, summaryOf } from './test-summary.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const packages = ['apps', 'packages']
  .flatMap((group) => readdirSync(group).map((name) => join(group, name)))
  .filter((dir) => existsSync(join(dir, 'package.json')))
  .filter((dir) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).scripts?.test !== undefined);
const reportOf = (dir) => join(dir, 'reports', 'vitest.json');
for (const dir of packages) rmSync(reportOf(dir), { force: true });

const installed = pnpm(['install', '--reporter=append-only', '--loglevel=warn']);
// Two packages at a time: while the tests of one wait for programs and databases, those of the other run.
const turbo = ['exec', 'turbo', 'run', 'test', '--continue', '--concurrency=2', '--output-logs=new-only'];
const tested = installed.status === 0 ? pnpm([...turbo, ...process.argv.slice(2)]) : installed;

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const dir of packages) {
  const counts = countsOf(dir);
  for (const key of Object.keys(sum)) sum[key] += counts[key];
}
if (tested.status !== 0 && sum.failed === 0) {
  sum.failed = 1;
  console.error('The run failed outside of the tests.');
}
for (const line of summaryOf(sum, Boolean(process.env.SKIP_CLICKHOUSE))) console.log(line);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;

function countsOf(dir) {
  if (!existsSync(reportOf(dir))) {
    console.error(`${dir}: no report was written.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const report = JSON.parse(readFileSync(reportOf(dir), 'utf8'));
  const failures = failuresOf(report);
  for (const line of failures) console.error(line);
  const failed = failures.length;
  if (!report.success && failed === 0) console.error(`${dir}: the run failed outside of a test.`);
  return {
    passed: report.numPassedTests,
    failed: report.success ? failed : Math.max(1, failed),
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
