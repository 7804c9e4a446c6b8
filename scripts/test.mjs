// Runs the tests of every package, or of the files and folders that are named, then names those that failed and adds up the
// reports. The last line is "N passed, N failed"; a package whose report is missing, or whose run failed without a failed test to
// show for it, counts as failed.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, normalize, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';
import { failuresOf, summaryOf } from './test-summary.mjs';

const startedIn = process.env.INIT_CWD ?? process.cwd();
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const all = ['apps', 'packages']
  .flatMap((group) => readdirSync(group).map((name) => join(group, name)))
  .filter((dir) => existsSync(join(dir, 'package.json')))
  .filter((dir) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).scripts?.test !== undefined);
/** What to run: the packages and, of each, the files that are named. */
const chosen = filesByPackage(process.argv.slice(2));
const packages = [...chosen.keys()];
const reportOf = (dir) => join(dir, 'reports', 'vitest.json');
for (const dir of packages) rmSync(reportOf(dir), { force: true });

const installed = pnpm(['install', '--reporter=append-only', '--loglevel=warn']);
const tested = installed.status === 0 ? runTests() : installed;

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

/** @param {string[]} paths of files or folders; none stands for all packages */
function filesByPackage(paths) {
  const chosen = new Map();
  for (const path of paths) {
    const file = relative(process.cwd(), resolve(startedIn, path));
    const dir = all.find((name) => file === name || file.startsWith(name + sep));
    if (dir === undefined || !existsSync(file)) {
      console.error(
        `There are no tests at ${path}. Name files or folders, such as packages/domain/test/website.test.ts.`,
      );
      process.exit(1);
    }
    chosen.set(dir, [...(chosen.get(dir) ?? []), normalize(relative(dir, file))]);
  }
  return paths.length === 0 ? new Map(all.map((dir) => [dir, []])) : chosen;
}

function runTests() {
  const turbo = ['exec', 'turbo', 'run'];
  if (packages.length === all.length) {
    // Two packages at a time: while the tests of one wait for programs and databases, those of the other run.
    return pnpm([...turbo, 'test', '--continue', '--concurrency=2', '--output-logs=new-only']);
  }
  // Tests that start the program need it built.
  const built = pnpm([...turbo, 'build', '--output-logs=errors-only']);
  if (built.status !== 0) return built;
  const runs = packages.map((dir) => pnpm(['--dir', dir, 'exec', 'vitest', 'run', ...(chosen.get(dir) ?? [])]));
  return runs.find(({ status }) => status !== 0) ?? built;
}
