/** Adds up counters in memory, and writes them in the background. */
export interface Tally<Counter> {
  add(counter: Counter): void;
  /** Hands the rest over to be written; resolves when that has ended. */
  close(): Promise<void>;
}

export interface TallyOptions<Counter> {
  /** The same for all counters of one subject. */
  readonly keyOf: (counter: Counter) => string;
  /** The sum of two counters of one subject. */
  readonly sum: (one: Counter, other: Counter) => Counter;
  /** Resolves once the counters are stored. */
  readonly write: (counters: readonly Counter[]) => Promise<void>;
  /** Called when counters are lost, with the reason. */
  readonly onFailure: (error: unknown) => void;
}

/** The owner sees a drop within 5 s (counting.md). */
const WRITE_MS = 1_000;
/** The most waiting counters, to bound memory in a flood while the database is away. */
const MAX_COUNTERS = 50_000;
const MAX_BATCH = 1_000;

/** A tally that writes its counters a second after the first one, and again a second after they are written. */
export function createTally<Counter>({ keyOf, sum, write, onFailure }: TallyOptions<Counter>): Tally<Counter> {
  const counters = new Map<string, Counter>();
  let timer: NodeJS.Timeout | undefined;

  async function writeAll(): Promise<void> {
    const all = [...counters.values()];
    counters.clear();
    const batches = Array.from({ length: Math.ceil(all.length / MAX_BATCH) }, (_, n) =>
      all.slice(n * MAX_BATCH, (n + 1) * MAX_BATCH),
    );
    await Promise.all(batches.map((batch) => write(batch).catch(onFailure)));
  }

  async function writeAgain(): Promise<void> {
    await writeAll();
    timer = undefined;
    if (counters.size > 0) schedule();
  }

  function schedule(): void {
    timer = setTimeout(writeAgain, WRITE_MS).unref();
  }

  return {
    add(counter) {
      const key = keyOf(counter);
      const known = counters.get(key);
      if (known === undefined && counters.size >= MAX_COUNTERS) return;
      counters.set(key, known === undefined ? counter : sum(known, counter));
      if (timer === undefined) schedule();
    },

    close() {
      clearTimeout(timer);
      return writeAll();
    },
  };
}
