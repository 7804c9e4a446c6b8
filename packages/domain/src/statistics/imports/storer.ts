/** Stores one batch while the next one is read, so that reading and storing each have a core. */
export interface Storer {
  /** A function that begins to store a batch once the one before it is stored, and rejects with the error of that one. */
  behind<Batch>(store: (batch: Batch) => Promise<void>): (batch: Batch) => Promise<void>;
  /** Reads, and waits for the last batch, whether or not the reading succeeds. */
  around<Result>(read: () => Promise<Result>): Promise<Result>;
}

export function createStorer(): Storer {
  let storing = Promise.resolve();
  return {
    behind: (store) => async (batch) => {
      await storing;
      storing = store(batch);
      // Thrown where it is awaited.
      storing.catch(() => {});
    },

    async around(read) {
      try {
        return await read();
      } finally {
        await storing;
      }
    },
  };
}
