/**
 * How often a generated case is tried: `few` times with every commit, `many` times with `TESTS=full`, before a release.
 */
export function runs(few: number, many: number): number {
  return process.env.TESTS === 'full' ? many : few;
}
