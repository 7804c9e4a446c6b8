/** Work that is begun at an even pace. */
export interface Pace {
  /** Begins no more of it; resolves when all that was begun has ended, and rejects with the first that failed. */
  stop(): Promise<void>;
}

const going = new Set<() => void>();

/** Ends what a trial that failed has left going. */
export function endPaces(): void {
  for (const end of going) end();
}

/** Begins a piece of work so many times a second, each on time whether or not the ones before have ended. */
export function startPace(perSecond: number, work: (index: number) => Promise<void>): Pace {
  const since = performance.now();
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let begun = 0;
  let timer: NodeJS.Timeout;
  const begin = () => {
    // What a timer that came late has missed is made up for at once.
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
    async stop() {
      end();
      await Promise.all(running);
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** The value that this share of the others does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
