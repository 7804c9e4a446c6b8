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
