/**
 * The last lines of `npm test`. They say if tests were left out, and why.
 *
 * @param {{ passed: number, failed: number, skipped: number }} sum
 * @param {boolean} skipsClickHouse
 */
export function summaryOf({ passed, failed, skipped }, skipsClickHouse) {
  const reason = skipsClickHouse ? ' (SKIP_CLICKHOUSE leaves out ClickHouse)' : '';
  const lines = [`${passed} passed, ${failed} failed`];
  return skipped > 0 ? [`${skipped} skipped${reason}`, ...lines] : lines;
}

/**
 * A line for each test that failed, and for each file that cannot be loaded: its failure counts, though it has no tests to count.
 *
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} Test
 * @param {{ testResults: { name: string, status: string, message: string, assertionResults: Test[] }[] }} report of Vitest
 */
export function failuresOf({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [`${name}: ${firstLine(message)}`];
    return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${firstLine(failureMessages.join())}`);
  });
}

/** @param {string} text */
function firstLine(text) {
  return text.split('\n', 1)[0];
}
