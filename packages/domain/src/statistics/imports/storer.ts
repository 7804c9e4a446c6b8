/** How many batches wait to be stored: some of them take a second, in which as many are read. */
const MAX_WAITING = 6;

/** Stores batches while the next ones are read, so that reading and storing each have a core. */
export interface Storer {
  /**
   * A function that lets a batch be stored after those before it. It waits while too many others do, and rejects with the error of
   * one of them.
   */
  behind<Batch>(store: (batch: Batch) => Promise<void>): (batch: Batch) => Promise<void>;
  /** Reads, and waits for the last batch, whether or not the reading succeeds. */
  around<Result>(read: () => Promise<Result>): Promise<Result>;
}

export function createStorer(): Storer {
  const waiting: Promise<void>[] = [];
  let last = Promise.resolve();
  return {
    behind: (store) => async (batch) => {
      if (waiting.length >= MAX_WAITING) await waiting.shift();
      last = last.then(() => store(batch));
      // Thrown where it is awaited.
      last.catch(() => {});
      waiting.push(last);
    },

    async around(read) {
      try {
        return await read();
      } finally {
        await last;
      }
    },
  };
}
