const going = new Set<() => void>();

/** Ends the work that a failed trial has left running. */
export function endPaces(): void {
  for (const end of going) end();
}

/** Starts work this many times per second, on time, whether or not earlier work has ended. */
export function startPace(perSecond: number, work: (index: number) => Promise<void>) {
  const since = performance.now();
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let begun = 0;
  let timer: NodeJS.Timeout;
  const begin = () => {
    // After a late timer, catch up at once.
    while ((begun * 1_000) / perSecond <= performance.now() - since) {
      const piece = work(begun)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(piece));
      running.add(piece);
      begun += 1;
    }
    timer = setTimeout(begin, since + (begun * 1_000) / perSecond - performance.now());
  };
  const end = () => {
    clearTimeout(timer);
    going.delete(end);
  };
  begin();
  going.add(end);
  return {
    /** Starts no more work; resolves when all started work has ended, or rejects with the first failure. */
    async stop() {
      end();
      await Promise.all(running);
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** The quantile: the value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
