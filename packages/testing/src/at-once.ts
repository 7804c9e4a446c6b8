/** Runs `work` as often as asked, all at once, and returns what became of each. */
export function atOnce<T>(times: number, work: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  return Promise.allSettled(Array.from({ length: times }, (_, index) => work(index)));
}

/** The results of fulfilled promises. */
export function fulfilled<T>(results: readonly PromiseSettledResult<T>[]): T[] {
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** The reasons of rejected promises. */
export function rejected(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}
